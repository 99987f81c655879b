import { commonPasswords } from '../../src/adapters/frequent-passwords.js';
import { MIN_PASSWORD } from '../../src/core/users/user.js';

test('the common passwords are those that could be chosen, in lower case', () => {
  const common = commonPasswords();
  for (const known of ['qwertyuiop123', 'passwordpassword', '123456789012']) expect(common).toContain(known);
  expect(common.size).toBeGreaterThan(100);
  const odd = [...common].filter((each) => each.length < MIN_PASSWORD || each !== each.toLowerCase());
  expect(odd).toEqual([]);
});
