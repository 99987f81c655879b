import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/threat-model.md');

/** Tables by the heading above them, as rows of cells without their head. */
const tables = [...page.matchAll(/^#{2,3} (.+)\n\n((?:\|.*\n)+)/gm)].map(([, heading = '', lines = '']) => ({
  heading,
  rows: lines
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    ),
}));
const walls = tables.filter(({ rows }) => rows.some((row) => row.at(-1)?.startsWith('`test/')));

/** Files that are named in code marks. */
const named = (text: string) =>
  [...text.matchAll(/`((?:test|src|docs|docker)\/[^`\s]+)`/g)].map(([, path = '']) => path);

test('every wall names tests that show it', () => {
  expect(walls.map(({ heading }) => heading)).toEqual([
    'Who may do what',
    'Between customers',
    'Pictures',
    'Bytes and load',
    'Browsers',
    'Outwards',
    'The machine and its operator',
  ]);
  const silent = walls.flatMap(({ rows }) =>
    rows.filter((row) => row.length !== 3 || !/^(`test\/[\w/.-]+`(, )?)+$/.test(row[2] ?? '')),
  );
  expect(silent).toEqual([]);
});

test.each(['docs/threat-model.md', 'SECURITY.md'])('every file that %s names in code marks is there', (path) => {
  expect(named(read(path)).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.each(['docs/threat-model.md', 'SECURITY.md'])('every page that %s links to is there', (path) => {
  const links = [...read(path).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  const own = links.filter((target) => !/^(https:|#)/.test(target)).map((target) => target.replace(/#.*/, ''));
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
});

test('the threat model is linked from the pages where people look for it', () => {
  expect(read('README.md')).toContain('(docs/threat-model.md)');
  expect(read('README.md')).toContain('(SECURITY.md)');
  expect(read('SECURITY.md')).toContain('(docs/threat-model.md)');
});
