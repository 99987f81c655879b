import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');

/** Rows of docs/reliability.md: the failure by its number, and the tests that are said to bring it about. */
const rows = [...read('docs/reliability.md').matchAll(/^\| (F\d+) \|.*\| (`[^|]*`) \|$/gm)].map(
  ([, fault = '', tests = '']) => ({
    fault,
    tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  }),
);

test('each failure that was thought of has its row', () => {
  // Standbys and second buckets (34 to 36) are the operator's, and not part of the program.
  const numbers = [...Array.from({ length: 33 }, (_, n) => n + 1), 37];
  expect(rows.map(({ fault }) => fault)).toEqual(numbers.map((number) => `F${number}`));
});

test.each(rows)('$fault is brought about by tests that say so', ({ fault, tests }) => {
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter((path) => !new RegExp(`\\b${fault}\\b`).test(read(path)))).toEqual([]);
});
