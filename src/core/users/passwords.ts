import { type FieldError, invalid } from '../shared/errors.js';
import { codePoints } from '../shared/text.js';
import { emailError, MAX_EMAIL, normalEmail, type User } from './user.js';

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 200;

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
   * From 0, guessed at once, to 4, out of reach, for an attacker who tries frequent passwords, names, dates, rows of keys and these words first.
   * Takes milliseconds, however long the password is: one is at least as strong as its beginning.
   */
  scoreOf(password: string, words: readonly string[]): Promise<number>;
}

/**
 * The credentials of a person who follows a link: the known address, or else the one given now. Errors: `invalid_request`, with all
 * problems.
 */
export async function readCredentials(
  uses: { passwordStrength: PasswordStrength },
  user: Pick<User, 'email'>,
  given: { readonly email: string; readonly password: string },
): Promise<{ readonly email: string; readonly password: string }> {
  const email = user.email ?? normalEmail(given.email);
  const errors = [user.email === null ? emailError(email) : null, await passwordError(uses, given.password, { email })];
  const wrong = errors.filter((error) => error !== null);
  if (wrong.length > 0) throw invalid(...wrong);
  return { email, password: given.password };
}

/** Returns what is wrong with a password; null if it is hard to guess by its length and by what it is made of. */
export async function passwordError(
  uses: { passwordStrength: PasswordStrength },
  password: string,
  { email }: Pick<User, 'email'>,
): Promise<FieldError | null> {
  const length = codePoints(password);
  const field = 'password';
  if (length < MIN_PASSWORD) {
    const message = `The password must have at least ${MIN_PASSWORD} characters. Several words make a good password.`;
    return { field, code: 'too_short', message, min: MIN_PASSWORD };
  }
  if (length > MAX_PASSWORD) {
    const message = `The password can have at most ${MAX_PASSWORD} characters.`;
    return { field, code: 'too_long', message, max: MAX_PASSWORD };
  }
  return strengthError(uses, password, email === null ? [] : [email.slice(0, MAX_EMAIL)]);
}

const MIN_SCORE = 3;
const PRODUCT = ['photo', 'photos', 'service', 'photo-service', 'photoservice', 'phs'];

/** Returns what is wrong with a password that is easy to guess, by one who knows these texts too; null for others. */
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
