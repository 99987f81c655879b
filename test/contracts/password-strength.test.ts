import { ZxcvbnPasswordStrength } from '../../src/adapters/zxcvbn-password-strength.js';
import type { PasswordStrength } from '../../src/core/users/passwords.js';
import { MemoryPasswordStrength } from '../../testing/memory/users/memory-users.js';

const adapters: readonly (readonly [string, PasswordStrength])[] = [
  ['zxcvbn', new ZxcvbnPasswordStrength()],
  ['memory', new MemoryPasswordStrength()],
];

describe.each(adapters)('a password by %s', (_, strength) => {
  test.each(['password12345', 'passwordpassword', 'qwertyuiop123', 'aaaaaaaaaaaaaaaa', 'a'.repeat(200)])(
    '%s is easy to guess',
    async (password) => {
      expect(await strength.scoreOf(password, [])).toBeLessThan(3);
    },
  );

  test.each(['gannet-thimble-ochre-9', 'five calm words of mine', `gannet thimble ${'ochre '.repeat(30)}`])(
    '%s is hard to guess',
    async (password) => {
      expect(await strength.scoreOf(password, [])).toBeGreaterThanOrEqual(3);
    },
  );

  test('a password is guessed sooner if it contains words about its person', async () => {
    expect(await strength.scoreOf('zbigniew.wojtkowiak1', [])).toBeGreaterThanOrEqual(3);
    expect(await strength.scoreOf('zbigniew.wojtkowiak1', ['zbigniew.wojtkowiak'])).toBeLessThan(3);
  });
});
