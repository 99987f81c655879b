import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { sources } from './sources.js';

const root = join(__dirname, '../..');

test('core and what is published for tests compile by themselves, with fields that are defined before a constructor assigns what it was given', () => {
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.library.json', '--noEmit'];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root })).toMatchObject({ status: 0, stdout: '' });
});

test('a name that a file of core exports means one thing: all of them are published together', () => {
  const names = sources('src/core').flatMap(({ code }) =>
    [...code.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
