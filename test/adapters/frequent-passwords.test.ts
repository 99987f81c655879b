import { FrequentPasswords, frequentPasswords } from '../../src/adapters/frequent-passwords.js';
import { MIN_PASSWORD } from '../../src/core/users/user.js';

test('frequent passwords are known, others are not', () => {
  const passwords = new FrequentPasswords();
  for (const known of ['qwertyuiop123', 'passwordpassword', '123456789012']) expect(passwords.has(known)).toBe(true);
  expect(passwords.has('gannet-thimble-ochre-9')).toBe(false);
});

test('those in memory could be chosen, and are in lower case', () => {
  const common = frequentPasswords();
  expect(common.size).toBeGreaterThan(100);
  expect([...common].filter((each) => each.length < MIN_PASSWORD || each !== each.toLowerCase())).toEqual([]);
});
