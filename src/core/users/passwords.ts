import type { FieldError } from '../shared/errors.js';

/** Hashes passwords for storage. Slow on purpose. */
export interface PasswordHasher {
  /** A different text each time, containing everything that `matches` needs. */
  hash(password: string): Promise<string>;
  /** Whether this hash was made from this password. A text that is not a hash matches nothing. */
  matches(hash: string, password: string): Promise<boolean>;
  /** Takes as long as a comparison, and matches nothing: for accounts that do not exist. */
  pretend(password: string): Promise<void>;
}

/** Estimates how hard passwords are to guess. */
export interface PasswordStrength {
  /**
   * From 0, guessed at once, to 4, out of reach, for somebody who tries frequent passwords, names, dates, rows of keys and these words first.
   * Takes milliseconds, however long the password is: one is at least as strong as its beginning.
   */
  scoreOf(password: string, words: readonly string[]): Promise<number>;
}

const MIN_SCORE = 3;
const PRODUCT = ['photo', 'photos', 'service', 'photo-service', 'photoservice', 'phs'];

/** What is wrong with a password that is easy to guess, by one who knows these texts too; null for others. */
export async function strengthError(
  { passwordStrength }: { passwordStrength: PasswordStrength },
  password: string,
  texts: readonly string[],
): Promise<FieldError | null> {
  const words = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]/u)]).filter((word) => word !== '');
  if ((await passwordStrength.scoreOf(password, [...PRODUCT, ...words])) >= MIN_SCORE) return null;
  const message =
    'This password is too easy to guess. Choose four or more words that do not belong together, or let a password manager make one.';
  return { field: 'password', code: 'invalid_format', message };
}
