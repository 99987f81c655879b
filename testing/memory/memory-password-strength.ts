import type { PasswordStrength } from '../../src/core/users/passwords.js';

const frequent = new Set(['passwordpassword', 'password12345', '123456789abc', 'qwertyuiop123']);

/** Frequent passwords, those of few characters, and those that are one of the words with little more, are guessed. */
export class MemoryPasswordStrength implements PasswordStrength {
  async scoreOf(password: string, words: readonly string[]): Promise<number> {
    const plain = password.toLowerCase();
    const rest = words.map((word) => plain.replace(word.toLowerCase(), '').length);
    return frequent.has(plain) || new Set(plain).size < 4 || Math.min(...rest) < 4 ? 0 : 4;
  }
}
