import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folder = join(root, 'docs/decisions');
const pages = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort();
const read = (page: string) => readFileSync(join(folder, page), 'utf8');
const titleOf = (page: string) => /^# \d+\. (\S.*)$/m.exec(read(page))?.[1];

test('no two decisions have the same number', () => {
  const numbers = pages.map((page) => page.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});

test('each decision has its number in its name and in its heading', () => {
  const wrong = pages.filter((page) => {
    const [, number, name] = /^(\d{4})-([a-z0-9-]+)\.md$/.exec(page) ?? [];
    return name === undefined || !new RegExp(`^# ${Number(number)}\\. \\S`).test(read(page));
  });
  expect(wrong).toEqual([]);
});

test('each decision has a status with its date, context, decision and consequences, in this order', () => {
  const form =
    /^# [^\n]+\n\nStatus: accepted \(\d{4}-\d\d-\d\d\)\n\n\*\*Context\.\*\* \S[\s\S]*\n\n\*\*Decision\.\*\* \S[\s\S]*\n\n\*\*Consequences\.\*\*\n\n- \S/;
  expect(pages.filter((page) => !form.test(read(page)))).toEqual([]);
});

test('a decision has at most 25 lines of at most 150 characters', () => {
  const long = pages.filter((page) => {
    const lines = read(page).trimEnd().split('\n');
    return lines.length > 25 || lines.some((line) => line.length > 150);
  });
  expect(long).toEqual([]);
});

test('the index lists every decision with its title and a summary, in order, and no other', () => {
  const rows = [...read('README.md').matchAll(/^\| (\d{4}) \| \[(.+)\]\((.+)\) \| \S.* \|$/gm)].map(
    ([, number, title, page]) => ({ number, title, page }),
  );
  expect(rows).toEqual(pages.map((page) => ({ number: page.slice(0, 4), title: titleOf(page), page })));
});

const text = /\.([cm]?[jt]sx?|md|ya?ml|conf|cfg|css|sql|sh|jsonc?)$|file$|^run$/i;
const skipped = new Set(['node_modules', 'dist', 'fixtures', 'data', 'coverage', '.git']);

function textsIn(path: string): string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : textsIn(inside);
    return entry.isFile() && text.test(entry.name) ? [inside] : [];
  });
}

const files = textsIn('.');

test('every citation of a decision names one that exists', () => {
  const numbers = new Set(pages.map((page) => page.slice(0, 4)));
  const citations = files.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\bdecisions\/(\d{4})(-[a-z0-9-]+\.md)?/g)].map(
      ([cited, number = '', rest]) => ({
        path,
        cited,
        exists: rest === undefined ? numbers.has(number) : pages.includes(number + rest),
      }),
    ),
  );
  expect(citations.length).toBeGreaterThan(20);
  expect(citations.filter(({ exists }) => !exists)).toEqual([]);
});

test('every file that a decision names or links to is there', () => {
  const missing = readdirSync(folder).flatMap((page) => {
    const markdown = read(page);
    const links = [...markdown.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => join(folder, target));
    const paths = [...markdown.matchAll(/`((?:src|test|bin|bench|docs)\/[^`\s]+)`/g)].map(([, path = '']) =>
      join(root, path),
    );
    return [...links, ...paths].filter((path) => !existsSync(path)).map((path) => `${page}: ${path}`);
  });
  expect(missing).toEqual([]);
});
