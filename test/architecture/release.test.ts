import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { datedChangelog, laterThan, stateOf, withVersion } from '../../bin/release/versions.js';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifests = [
  'package.json',
  'sdk/package.json',
  'uploader/package.json',
  'cli/package.json',
  'postgres/package.json',
];

test('versions are compared by their numbers', () => {
  expect(laterThan('0.10.0', '0.9.9')).toBe(true);
  expect(laterThan('1.0.0', '0.99.0')).toBe(true);
  expect(laterThan('0.1.0', '0.1.0')).toBe(false);
  expect(laterThan('0.1.9', '0.2.0')).toBe(false);
});

test('all packages have one version, and need each other in it', () => {
  const [{ version }] = manifests.map((file) => JSON.parse(read(file))) as [{ version: string }];
  for (const file of [...manifests, 'package-lock.json']) {
    expect(withVersion(read(file), version, version)).toBe(read(file));
    const next = withVersion(read(file), version, '77.0.0');
    const ours = [...next.matchAll(/"(photo-service(?:-(?:cli|postgres|sdk|uploader))?)": "(\d[^"]*)"/g)].map(
      ([, , needed]) => needed,
    );
    expect(new Set([...ours, JSON.parse(next).version])).toEqual(new Set(['77.0.0']));
  }
});

test('a release dates its heading in the changelog, and is refused without one', () => {
  expect(datedChangelog('# Changelog\n\n## 0.2.0, unreleased\n', '0.2.0', '2027-01-02')).toContain(
    '## 0.2.0, 2027-01-02\n',
  );
  expect(datedChangelog('## Unreleased\n', '0.2.0', '2027-01-02')).toBe('## 0.2.0, 2027-01-02\n');
  expect(() => datedChangelog('## 0.1.0, 2026-11-23\n', '0.2.0', '2027-01-02')).toThrow('"## 0.2.0, unreleased"');
});

test('CHANGELOG.md alone says which versions are released: their documents exist, and the present version has a heading', () => {
  const changelog = read('CHANGELOG.md');
  const { version } = JSON.parse(read('package.json'));
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$/gm)].map(([, each]) => each);
  expect(stateOf(changelog, version)).toMatch(/^(unreleased|\d{4}-\d\d-\d\d)$/);
  for (const each of released) expect(existsSync(join(root, 'docs/openapi', `released-${each}.json`))).toBe(true);
  const documented = readdirSync(join(root, 'docs/openapi')).flatMap(
    (file) => /^released-([0-9.]+)\.json$/.exec(file)?.[1] ?? [],
  );
  expect(documented.filter((each) => each !== version && !released.includes(each))).toEqual([]);
});

test('of every version before the present one, an installation is kept that upgrades are tested on', () => {
  const { version } = JSON.parse(read('package.json'));
  const earlier = [...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$/gm)].map(([, each]) => each);
  const kept = readdirSync(join(root, 'test/fixtures/installations'));
  expect(earlier.filter((each = '') => each !== version && !kept.includes(each))).toEqual([]);
});

test('what is packed with the service exists, or is built', () => {
  const [, list = ''] = /const FILES = \[([\s\S]*?)\n\];/.exec(read('bin/packages.js')) ?? [];
  const files = [...list.matchAll(/'([^']+)'/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter((file) => !file.startsWith('dist/') && !existsSync(join(root, file)))).toEqual([]);
});
