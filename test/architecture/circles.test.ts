import { type Source, sources } from './sources.js';

const files = ['src', 'sdk/src', 'cli/src', 'uploader/src', 'postgres/src'].flatMap((folder) => sources(folder));

type Imports = Pick<Source, 'path' | 'imports'>;
/** Whom each entry of a folder imports, and by which imports of files. */
type Entries = Map<string, Map<string, string[]>>;

/** An import counts for one folder alone: the deepest that has both files. So a circle of files is one of entries as well. */
function entriesByFolder(sources: readonly Imports[]): Map<string, Entries> {
  const folders = new Map<string, Entries>();
  const paths = new Set(sources.map(({ path }) => path));
  for (const { path, imports } of sources) {
    for (const target of imports.filter((each) => paths.has(each) && each !== path)) {
      const [from, to] = [path.split('/'), target.split('/')];
      const depth = from.findIndex((name, at) => name !== to[at]);
      const entries = ensure(folders, from.slice(0, depth).join('/'), (): Entries => new Map());
      const targets = ensure(entries, from[depth] as string, (): Map<string, string[]> => new Map());
      ensure(targets, to[depth] as string, (): string[] => []).push(`${path} imports ${target}`);
    }
  }
  return folders;
}

function ensure<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The imports that make a circle of entries; none if the entries have an order. */
function circleOf(entries: Entries): string[] {
  const done = new Set<string>();
  const follow = (entry: string, path: readonly string[]): string[] => {
    const start = path.indexOf(entry);
    if (start !== -1) {
      const circle = [...path.slice(start), entry];
      return circle.slice(1).flatMap((to, at) => entries.get(circle[at] as string)?.get(to) ?? []);
    }
    if (done.has(entry)) return [];
    for (const to of entries.get(entry)?.keys() ?? []) {
      const found = follow(to, [...path, entry]);
      if (found.length > 0) return found;
    }
    done.add(entry);
    return [];
  };
  return [...entries.keys()].map((entry) => follow(entry, [])).find((found) => found.length > 0) ?? [];
}

const circles = (sources: readonly Imports[]) =>
  new Map([...entriesByFolder(sources)].map(([folder, entries]) => [folder, circleOf(entries)]));

test('the files and folders of each folder have an order: each imports those below it', () => {
  const found = circles(files);
  expect(found.size).toBeGreaterThan(50);
  expect([...found.values()].filter((circle) => circle.length > 0)).toEqual([]);
});

test('a circle is found through any number of entries, with the imports that make it', () => {
  const circle = ['a/b/x.ts', 'a/c.ts', 'a/d/y.ts', 'a/b/z.ts'];
  const sources = circle.map((path, at) => ({ path, imports: circle.slice(at + 1, at + 2) }));
  expect(circles([...sources, { path: 'a/e.ts', imports: ['a/b/x.ts'] }])).toEqual(
    new Map([['a', ['a/b/x.ts imports a/c.ts', 'a/c.ts imports a/d/y.ts', 'a/d/y.ts imports a/b/z.ts']]]),
  );
});
