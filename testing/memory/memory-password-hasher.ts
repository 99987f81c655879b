import { createHash, randomBytes } from 'node:crypto';
import type { PasswordHasher } from '../../src/core/users/passwords.js';

/** Hashes that are quick, and good for nothing but tests. */
export class MemoryPasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(8).toString('hex');
    return `${salt}.${this.digest(salt, password)}`;
  }

  async matches(hash: string, password: string): Promise<boolean> {
    const [salt = '', digest] = hash.split('.');
    return digest === this.digest(salt, password);
  }

  async pretend(): Promise<void> {}

  private digest(salt: string, password: string): string {
    return createHash('sha256').update(salt).update(password).digest('hex');
  }
}
