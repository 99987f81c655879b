import { dictionary } from '@zxcvbn-ts/language-common';
import { MIN_PASSWORD } from '../core/users/user.js';

/** The 49,000 most frequent passwords in leaks, in lower case; only those long enough to be chosen are in memory. */
export function commonPasswords(): ReadonlySet<string> {
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD));
}
