import { Argon2PasswordHasher } from '../../src/adapters/argon2/argon2-password-hasher.js';
import type { PasswordHasher } from '../../src/core/users/passwords.js';
import { MemoryPasswordHasher } from '../../testing/memory/users/memory-users.js';

/** What `PasswordHasher` promises. */
function passwordHasherContract(name: string, hasher: PasswordHasher): void {
  describe(`PasswordHasher: ${name}`, () => {
    it('matches the password of a hash, and no other', async () => {
      const hash = await hasher.hash('five calm words');
      expect(hash).not.toContain('five');
      expect(await hasher.matches(hash, 'five calm words')).toBe(true);
      for (const other of ['five calm word', 'Five calm words', '', 'five calm words ']) {
        expect(await hasher.matches(hash, other)).toBe(false);
      }
    });

    it('makes another hash each time, and accepts every character', async () => {
      const [first, second] = [await hasher.hash('pässwörd 📷'), await hasher.hash('pässwörd 📷')];
      expect(first).not.toBe(second);
      expect(await hasher.matches(second, 'pässwörd 📷')).toBe(true);
    });

    it.each(['', 'no hash', '$argon2id$v=19$broken'])('matches nothing with %j for a hash', async (hash) => {
      expect(await hasher.matches(hash, 'a password')).toBe(false);
    });

    it('takes the time of a comparison without a hash to compare', async () => {
      expect(await hasher.pretend('a password')).toBeUndefined();
    });
  });
}

passwordHasherContract('memory', new MemoryPasswordHasher());
passwordHasherContract('argon2', new Argon2PasswordHasher());

test('argon2 hashes are argon2id, with 19 MiB and two passes', async () => {
  expect(await new Argon2PasswordHasher().hash('x')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});
