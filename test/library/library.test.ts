/* @rest */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** An empty folder with the packed package and nothing else: no other package is there, and none is above it. */
let folder: string;

/** The programs of docs/core.md, by the name in the first line of each. */
const programs = [
  ...readFileSync(join(root, 'docs/core.md'), 'utf8').matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```/g),
].map(([, name = '', code = '']) => ({ name, code }));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-library-'));
  const [stage, packed] = [join(folder, 'stage'), join(folder, 'node_modules/photo-service')];
  mkdirSync(packed, { recursive: true });
  run(process.execPath, [join(root, 'bin/build.js'), '--if-needed', '--types'], root);
  run(process.execPath, [join(root, 'bin/packages.js'), '--stage', stage], root);
  run('npm', ['pack', '--silent', '--pack-destination', folder], stage);
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  run('tar', ['-xzf', archive, '-C', packed, '--strip-components=1'], folder);
  rmSync(stage, { recursive: true });
  for (const { name, code } of programs) writeFileSync(join(folder, name), code);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program on its own, and returns what it printed. Errors: the same, when it fails. */
function run(program: string, args: readonly string[], cwd = folder): string {
  const { NODE_OPTIONS: _, NODE_PATH: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...env, NO_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout + stderr;
}

test('docs/core.md has five programs, and the account that they share', () => {
  expect(programs.map(({ name }) => name)).toEqual([
    'account.mjs',
    'import-photo.mjs',
    'page-through.mjs',
    'check-request.mjs',
    'own-rate-windows.test.mjs',
    'pass-time.mjs',
  ]);
});

test.each(programs)('the program $name of docs/core.md runs with nothing but the package', ({ name }) => {
  run(process.execPath, [name]);
});

const vitest = join(root, '.ci/runners/node_modules/vitest/vitest.mjs');
const jestConfig = JSON.stringify({
  transform: {},
  testMatch: ['**/contracts.test.mjs'],
  moduleFileExtensions: ['mjs', 'js'],
});
const byJest = [
  '--experimental-vm-modules',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--rootDir=.',
  `--config=${jestConfig}`,
];

test.each([
  ['node:test', ['--test', 'contracts.test.mjs']],
  ['Vitest', [vitest, 'run', '--globals', '--root=.', 'contracts.test.mjs']],
  ['Jest', byJest],
])('the published contracts run by %s', (runner, args) => {
  if (runner === 'Vitest' && !existsSync(vitest)) throw new Error('Vitest is needed here: npm ci --prefix .ci/runners');
  cpSync(join(__dirname, 'support/published-contracts.mjs'), join(folder, 'contracts.test.mjs'));
  const [, before, after] = /\bpass (\d+)|Tests:? .*?(\d+) passed/.exec(run(process.execPath, args)) ?? [];
  expect(Number(before ?? after)).toBeGreaterThan(800);
});

test('a contract fails where an adapter breaks a promise', () => {
  writeFileSync(
    join(folder, 'lossy.test.mjs'),
    `import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
     import { contracts, MemoryMailer } from 'photo-service/testing';
     const { mailerContract } = contracts({ describe, it, beforeAll: before, afterAll: after, beforeEach, afterEach });
     const open = async () => ({ mailer: new MemoryMailer(), takes() {}, delivered: () => [], close: async () => {} });
     mailerContract('lossy', open);`,
  );
  expect(() => run(process.execPath, ['lossy.test.mjs'])).toThrow('not ok 1 - delivers a mail to its recipient alone');
});

test('the declarations compile strictly, with TypeScript alone, and find what is wrong', () => {
  writeFileSync(
    join(folder, 'use-core.mts'),
    `import { type BlobStore, type Caller, DomainError, type Ports, trashPhoto } from 'photo-service/core';
     import { contracts, MemoryBlobStore, memoryPorts, pictureBytes, runJobs, SettableClock } from 'photo-service/testing';
     import type { TestFunctions } from 'photo-service/testing';
     const clock = new SettableClock();
     const blobs: BlobStore = new MemoryBlobStore(clock);
     const ports = memoryPorts({ clock, blobs });
     const all: Ports = ports;
     const bytes: Uint8Array = pictureBytes({ width: 4 });
     export function test(functions: TestFunctions): void {
       contracts(functions).blobStoreContract('memory', async () => ({ store: blobs, close: async () => undefined }));
       // @ts-expect-error a way to close it is missing
       contracts(functions).blobStoreContract('memory', async () => ({ store: blobs }));
     }
     export async function use(caller: Caller): Promise<string | number> {
       memoryPorts().clock.pass(bytes.length);
       // @ts-expect-error an id is a number
       await trashPhoto(ports, caller, '1').catch((error: unknown) => error instanceof DomainError && error.code);
       // @ts-expect-error the store is missing
       await trashPhoto({ clock }, caller, 1);
       return runJobs(all);
     }`,
  );
  const options = ['--strict', '--noEmit', '--module', 'node16', '--moduleResolution', 'node16', '--target', 'es2022'];
  for (const tsc of ['@typescript/native/bin/tsc', 'typescript/bin/tsc6']) {
    run(process.execPath, [join(root, 'node_modules', tsc), ...options, 'use-core.mts']);
  }
});
