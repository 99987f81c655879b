import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/architecture.md');
const foldersOf = (path: string) =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

test.each(['core', 'api', 'http', 'adapters'])('the drawing has every folder of src/%s, and no other', (ring) => {
  const drawn = [...page.matchAll(new RegExp(`^ +${ring}_\\w+\\["([a-z0-9-]+)`, 'gm'))].map(([, name]) => name);
  expect(drawn.sort()).toEqual(foldersOf(`src/${ring}`).sort());
});

test('every file and use case that the architecture page names exists', () => {
  const files = [...page.matchAll(/`((?:test|src|docs)\/[^`\s]+)`/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);

  const sequence = /```mermaid\nsequenceDiagram\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const useCases = [...sequence.matchAll(/->>I: ((?:[a-z]+[A-Z]\w+(?:, )?)+)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  expect(useCases.length).toBeGreaterThan(5);
  const core = readdirSync(join(root, 'src/core'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const text = core.map((path) => read(join('src/core', path))).join('\n');
  expect(
    useCases.filter((name) => name !== '' && !new RegExp(`^export (async )?function ${name}\\b`, 'm').test(text)),
  ).toEqual([]);
});

test('the links of the architecture page work, and other pages lead to it', () => {
  const links = [...page.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target);
  expect(links.filter((target) => !existsSync(join(root, 'docs', target)))).toEqual([]);
  for (const path of ['README.md', 'CONTRIBUTING.md']) {
    expect(read(path)).toContain(`(${join(dirname(path), 'docs/architecture.md')})`);
  }
});

test('README.md links to pictures and pages that exist', () => {
  const links = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
