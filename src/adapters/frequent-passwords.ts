import { createRequire } from 'node:module';
import { type CommonPasswords, MIN_PASSWORD } from '../core/users/user.js';

/**
 * The 49,000 most frequent passwords in leaks, in lower case; only those long enough to be chosen are in memory, from the first question
 * on: most processes are never asked.
 */
export class FrequentPasswords implements CommonPasswords {
  #known: ReadonlySet<string> | null = null;

  has(password: string): boolean {
    this.#known ??= frequentPasswords();
    return this.#known.has(password);
  }
}

export function frequentPasswords(): ReadonlySet<string> {
  const require = createRequire(import.meta.url);
  const { dictionary }: typeof import('@zxcvbn-ts/language-common') = require('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD));
}
