/* @rest */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { preProcessFile } from 'typescript';

const root = join(__dirname, '../..');

/** A source and all that it leads to, by the paths and names that they import. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  const imports = preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName);
  for (const name of imports) {
    const target = name.startsWith('.') ? join(dirname(file), name.replace(/\.js$/, '.ts')) : name;
    if (seen.has(target)) continue;
    seen.add(target);
    if (name.startsWith('.')) reached(target, seen);
  }
  return seen;
}

test('the types are those of the documents: npm run sdk:types', () => {
  const program = join(root, 'node_modules/openapi-typescript/bin/cli.js');
  for (const [document, types] of [
    ['openapi.json', 'api-types.ts'],
    ['openapi-operator.json', 'operator-types.ts'],
  ]) {
    const args = [program, String(document), '-o', `sdk/src/${types}`, '--default-non-nullable=false', '--check'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(status === 0 ? '' : stderr).toBe('');
  }
});

test.each(['generate/agent-schemas.js', 'generate/sdk-reference.js'])(
  'the output of bin/%s is up to date: npm run sdk:types',
  (program) => {
    const check = spawnSync(process.execPath, [join(root, 'bin', program), '--check'], { encoding: 'utf8' });
    expect(check).toMatchObject({ status: 0, stderr: '' });
  },
);

test('the part for browsers needs nothing of Node, and only two small packages', () => {
  const all = [...reached(join(root, 'sdk/src/entry.ts'))];
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter((target) => !target.startsWith(root)).sort()).toEqual(['openapi-fetch', 'thumbhash']);
  expect(all.map((target) => relative(root, target)).filter((path) => path.startsWith('sdk/src/node/'))).toEqual([]);
});

test('the part for Node adds what is built in', () => {
  const others = [...reached(join(root, 'sdk/src/node/entry.ts'))].filter((target) => !target.startsWith(root));
  expect(others.filter((name) => !name.startsWith('node:')).sort()).toEqual(['openapi-fetch', 'thumbhash']);
});
