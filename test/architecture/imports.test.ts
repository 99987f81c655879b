import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Source, sources } from './sources.js';

const all = sources();

/** Files of a ring whose imports break its law. */
function broken(ring: RegExp, allowed: (target: string, file: Source) => boolean): string[] {
  return all
    .filter((file) => ring.test(file.path))
    .flatMap((file) =>
      file.imports.filter((target) => !allowed(target, file)).map((target) => `${file.path} imports ${target}`),
    );
}

const isOwn = (target: string) => target.startsWith('src/');
const isOneOf = (rings: readonly string[]) => (target: string) =>
  !isOwn(target) || rings.some((ring) => target.startsWith(`src/${ring}/`));

test('the sources are seen, and their imports', () => {
  expect(all.length).toBeGreaterThan(50);
  expect(all.find(({ path }) => path === 'src/core/photos/list-photos.ts')?.imports).toContain(
    'src/core/shared/pagination.ts',
  );
  expect(all.find(({ path }) => path === 'src/start/serving/open-app.ts')?.imports).toContain('express');
});

test('core imports itself and built-ins of node', () => {
  expect(broken(/^src\/core\//, (target) => target.startsWith('src/core/') || target.startsWith('node:'))).toEqual([]);
});

test('what the API and the pages share imports core and itself', () => {
  expect(broken(/^src\/http\//, isOneOf(['core', 'http']))).toEqual([]);
});

test('the API imports core, what it shares with the pages, and itself', () => {
  expect(broken(/^src\/api\//, isOneOf(['core', 'http', 'api']))).toEqual([]);
});

test('pages import core, what they share with the API, and themselves; the documentation also the header of its document', () => {
  const ofDocument = 'src/api/files/any-origin.ts';
  // A page that takes the same request, or an export that has the same text, says so instead of saying it again.
  const sameAsTheApi = /^src\/api\/\w+\/[a-z-]+\.(dto|view)\.ts$/;
  const isAllowed = isOneOf(['core', 'http', 'pages']);
  const allowed = (target: string, { path }: Source) =>
    isAllowed(target) || (path === 'src/pages/docs/docs.module.ts' ? target === ofDocument : sameAsTheApi.test(target));
  expect(broken(/^src\/pages\//, allowed)).toEqual([]);
});

test('the API and pages reach what is stored through use cases: none of them opens the store', () => {
  const opening = /\.(query|transaction)\(/;
  const rings = all.filter(
    ({ path }) => /^src\/(api|pages|http)\//.test(path) && !path.startsWith('src/pages/assets/'),
  );
  expect(rings.length).toBeGreaterThan(100);
  expect(rings.filter(({ code }) => opening.test(code)).map(({ path }) => path)).toEqual([]);
  // The pattern finds them where they belong.
  expect(all.some(({ path, code }) => path.startsWith('src/core/') && opening.test(code))).toBe(true);
});

test('adapters import core and adapters, never the API or pages', () => {
  const allowed = (target: string) =>
    !isOwn(target) || target.startsWith('src/core/') || target.startsWith('src/adapters/');
  expect(broken(/^src\/adapters\//, allowed)).toEqual([]);
});

test('what is published for tests imports core, the worker, adapters and the contracts, and needs no package that is not in it', () => {
  const byPath = new Map([...all, ...sources('testing'), ...sources('test')].map((file) => [file.path, file]));
  const reached = new Set(sources('testing').map(({ path }) => path));
  // A set is walked on to what is added meanwhile.
  for (const path of reached) {
    // Passkeys of its tests are checked by a library; types and `import()` do not count.
    if (path !== 'test/support/core-world.ts')
      for (const target of byPath.get(path)?.imports ?? []) reached.add(target);
  }
  // Addresses of the installation are those that http serves. The build puts these packages into what is published.
  const allowed =
    /^(node:|testing\/|test\/(contracts|support)\/|src\/(core|worker|adapters)\/|src\/http\/public-addresses\.ts$|(expect|fast-check)$)/;
  expect(reached.size).toBeGreaterThan(200);
  expect([...reached].filter((target) => !allowed.test(target))).toEqual([]);
  const memory = sources('testing/memory').flatMap((file) => file.imports);
  expect(memory.filter((target) => !/^(node:|testing\/|src\/(core|adapters)\/)/.test(target))).toEqual([]);
});

test('the files of pages are found too, with their imports', () => {
  const page = all.find(({ path }) => path === 'src/pages/page.tsx');
  expect(page?.imports).toEqual(expect.arrayContaining(['src/pages/form.tsx', 'preact-render-to-string']));
});

test('only the composition names adapters, apart from what commands and processes use without the ports of an installation', () => {
  const withoutPorts =
    /^src\/adapters\/(age|primary-process|webhooks|data-dir|embedded-postgres|metrics\/process-metrics|process-usage|secret-file|sync-folder|typeorm\/database-state)[/.]/;
  const mayNameThese = /^src\/(cli|start\/processes)\//;
  const allowed = (target: string, { path }: Source) =>
    !target.startsWith('src/adapters/') || (mayNameThese.test(path) && withoutPorts.test(target));
  expect(broken(/^src\/(?!adapters\/|composition\/|ports\.module\.ts)/, allowed)).toEqual([]);
});

test('only what opens memory in the place of a database imports what is published for tests', () => {
  const importers = all.filter(({ imports }) => imports.some((target) => target.startsWith('testing/')));
  expect(importers.map(({ path }) => path)).toEqual(['src/composition/open-memory.ts']);
});

test('the settings import core and themselves', () => {
  const allowed = (target: string) => !isOwn(target) || /^src\/(core|config)\//.test(target);
  expect(broken(/^src\/config\//, allowed)).toEqual([]);
});

test('three files lie directly in src: the entry, the modules and the ports', () => {
  const direct = all.filter(({ path }) => /^src\/[^/]+$/.test(path)).map(({ path }) => path);
  expect(direct.sort()).toEqual(['src/app.module.ts', 'src/main.ts', 'src/ports.module.ts']);
});

test('the embedded Postgres, a package that others use too, has one adapter', () => {
  const importers = all.filter(({ imports }) => imports.includes('photo-service-postgres')).map(({ path }) => path);
  expect(importers).toEqual(['src/adapters/embedded-postgres.ts']);
});

test('every file is imported by its own name: no barrels', () => {
  expect(all.filter(({ path }) => /\/index\.tsx?$/.test(path)).map(({ path }) => path)).toEqual([]);
  // A file of a package that the browser gets beside ours has its types here.
  const isDeclared = (target: string) => existsSync(join(__dirname, '../..', target.replace(/\.ts$/, '.d.ts')));
  const missing = all.flatMap((file) =>
    file.imports.filter((target) => isOwn(target) && !isDeclared(target) && !all.some(({ path }) => path === target)),
  );
  expect(missing).toEqual([]);
});

test('no folder or file is named for what it is not about', () => {
  expect(all.filter(({ path }) => /(^|\/)(utils?|helpers?|common)(\.tsx?|\/|-)/.test(path))).toEqual([]);
});
