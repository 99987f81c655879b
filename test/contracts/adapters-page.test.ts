import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { databasePortNames } from '../../src/adapters/typeorm/database-ports.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';

const page = readFileSync(join(__dirname, '../../docs/adapters.md'), 'utf8');

/** Stands for the store of the page. */
class AtticBlobStore extends MemoryBlobStore {
  constructor(readonly folder: string) {
    super();
  }
}

/** The contract's tests for it, as the file on the page defines them. */
function runExample(): void {
  const [example] = [...page.matchAll(/```ts\n(.*?)```/gs)].flatMap(([, code = '']) =>
    code.includes('blobStoreContract(') ? [code] : [],
  );
  const { code } = transformSync(example ?? '', {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const load = (name: string) => (name.endsWith('/attic-blob-store.js') ? { AtticBlobStore } : require(name));
  new Function('require', 'exports', code)(load, {});
}

runExample();

test('every contract that is given an adapter is on the page, with its file', () => {
  const defined = readdirSync(__dirname).flatMap((file) => {
    const code = readFileSync(join(__dirname, file), 'utf8');
    const name = /export function (\w+Contract)\(\s*(?:name: string,\s*)?open: /.exec(code)?.[1];
    return name === undefined ? [] : [[name, `test/contracts/${file}`]];
  });
  const listed = [...page.matchAll(/^\| `.* \| `(\w+)` \| `(\S+)` \|$/gm)].map(([, name, file]) => [name, file]);
  expect(listed.sort()).toEqual(defined.sort());
  expect(listed.length).toBeGreaterThan(10);
  // All of them are published.
  const published = readFileSync(join(__dirname, '../../testing/contracts.ts'), 'utf8');
  expect(listed.filter(([, file = '']) => !published.includes(`'../${file.replace(/ts$/, 'js')}'`))).toEqual([]);
});

test('the ports that share one database are on the page', () => {
  const [, listed = ''] = /in one line:\n(.*)\.\n/.exec(page) ?? [];
  expect(listed.split(', ')).toEqual(databasePortNames.map((name) => `\`${name}\``));
});
