import { dictionary } from '@zxcvbn-ts/language-common';
import { MIN_PASSWORD } from '../core/users/user.js';

/** The 49,000 that leaks show most often, in lower case; those alone that are long enough to be chosen take memory. */
export function commonPasswords(): ReadonlySet<string> {
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD));
}
