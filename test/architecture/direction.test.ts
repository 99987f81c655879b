import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');

/** How the concepts of src/core rely on each other, as `npm run house` reads the sources (house.test.ts shows what it finds). */
let direction: {
  readonly edges: readonly { readonly imports: readonly { readonly repository?: string }[] }[];
  readonly againstDirection: readonly object[];
  readonly cycles: readonly object[];
  readonly unreadableNames: readonly { readonly file: string }[];
  readonly portsImportedBy: number;
};
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/house.js'), '--json'], {
    maxBuffer: 2 ** 26,
  });
  ({ direction } = JSON.parse(stdout));
});

test('imports and names of repositories are seen', () => {
  expect(direction.edges.length).toBeGreaterThan(30);
  const names = direction.edges.flatMap(({ imports }) => imports.flatMap(({ repository }) => repository ?? []));
  expect(new Set(names).size).toBeGreaterThan(5);
});

test('concepts rely on those of their own level and below it, and never in a circle', () => {
  expect(direction.againstDirection).toEqual([]);
  expect(direction.cycles).toEqual([]);
});

test('no use case takes all repositories or all ports: it names its own', () => {
  expect(direction.portsImportedBy).toBe(0);
  // It stores a response in the transaction of any use case, whatever that touches.
  const anyUseCase = 'src/core/idempotency/claim-key.ts';
  expect(direction.unreadableNames.filter(({ file }) => file !== anyUseCase)).toEqual([]);
});
