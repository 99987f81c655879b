/** Hashes passwords for storage. Slow on purpose. */
export interface PasswordHasher {
  /** A different text each time, containing everything that `matches` needs. */
  hash(password: string): Promise<string>;
  /** Whether this hash was made from this password. A text that is not a hash matches nothing. */
  matches(hash: string, password: string): Promise<boolean>;
  /** Takes as long as a comparison, and matches nothing: for accounts that do not exist. */
  pretend(password: string): Promise<void>;
}
