/** Turns passwords into what can be kept. Slow on purpose. */
export interface PasswordHasher {
  /** Another text each time, with everything in it that `matches` needs. */
  hash(password: string): Promise<string>;
  /** Whether this hash was made of this password. A text that is no hash matches nothing. */
  matches(hash: string, password: string): Promise<boolean>;
  /** Takes as long as a comparison, and matches nothing: for passwords of nobody. */
  pretend(password: string): Promise<void>;
}
