import { newUlid } from '../../src/core/shared/ids.js';

const at = Date.parse('2026-11-21T12:00:00.000Z');

test('a ULID is 10 characters of time and 16 of chance, in Crockford’s base 32', () => {
  expect(newUlid(at)).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  // The example of the specification.
  expect(newUlid(1_469_918_176_385).slice(0, 10)).toBe('01ARYZ6S41');
  expect(newUlid(2 ** 48 - 1).slice(0, 10)).toBe('7ZZZZZZZZZ');
});

test('later ULIDs sort after earlier ones, and no two of one moment are the same', () => {
  expect(newUlid(at + 1) > newUlid(at)).toBe(true);
  expect(new Set(Array.from({ length: 10_000 }, () => newUlid(at))).size).toBe(10_000);
});

test('every random character of a ULID can be every one of the 32', () => {
  const seen = Array.from({ length: 16 }, () => new Set<string>());
  for (let round = 0; round < 2000; round += 1) {
    for (const [place, character] of [...newUlid(at).slice(10)].entries()) seen[place]?.add(character);
  }
  expect(seen.map(({ size }) => size)).toEqual(seen.map(() => 32));
});
