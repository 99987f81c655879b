import { Algorithm, hash, type Options, verify } from '@node-rs/argon2';
import type { PasswordHasher } from '../../core/users/passwords.js';
import { Lazy } from '../shared-work.js';

/** The minimum that OWASP's password storage cheat sheet recommends for argon2id: 19 MiB, two passes, one lane. */
const options: Options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** argon2id (RFC 9106) in PHC string format. Does not run on the JavaScript thread. */
export class Argon2PasswordHasher implements PasswordHasher {
  readonly #decoy = new Lazy(() => this.hash('the password of no account'));

  hash(password: string): Promise<string> {
    return hash(password, options);
  }

  async matches(hashed: string, password: string): Promise<boolean> {
    return verify(hashed, password).catch(() => false);
  }

  async pretend(password: string): Promise<void> {
    await this.matches(await this.#decoy.get(), password);
  }
}
