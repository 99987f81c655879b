import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sources } from './sources.js';

const root = join(__dirname, '../..');

test('core and the memory adapters compile by themselves, with fields that are defined before a constructor assigns what it was given', () => {
  const folder = mkdtempSync(join(tmpdir(), 'closed-core-'));
  const config = {
    extends: join(root, 'tsconfig.json'),
    // Vitest, tsx and browsers define fields like this: an initializer must not read a parameter property.
    compilerOptions: { useDefineForClassFields: true, typeRoots: [join(root, 'node_modules/@types')] },
    include: [join(root, 'src/core'), join(root, 'testing/memory')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  try {
    const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: root });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a name that a file of core exports means one thing: all of them are published together', () => {
  const names = sources('src/core').flatMap(({ code }) =>
    [...code.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
