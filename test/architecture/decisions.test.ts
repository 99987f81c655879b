import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../docs/decisions');
const pages = readdirSync(folder).sort();

test('decisions are numbered from 1 without a hole, and no number is taken twice', () => {
  expect(pages.map((page) => Number(page.slice(0, 4)))).toEqual(pages.map((_, at) => at + 1));
});

test('each has its number in its name and in its heading', () => {
  const wrong = pages.filter((page) => {
    const [, number, name] = /^(\d{4})-([a-z0-9-]+)\.md$/.exec(page) ?? [];
    const heading = readFileSync(join(folder, page), 'utf8').split('\n')[0] ?? '';
    return name === undefined || !new RegExp(`^# (${number}|${Number(number)})[.:]? \\S`).test(heading);
  });
  expect(wrong).toEqual([]);
});
