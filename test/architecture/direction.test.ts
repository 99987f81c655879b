import { join } from 'node:path';
import { measure } from '../../bin/house/measure.js';

/** How the concepts of src/core rely on each other, as `npm run house` reads the sources (house.test.ts shows what it finds). */
const { direction } = measure(join(__dirname, '../..')) as {
  readonly direction: {
    readonly edges: readonly { readonly imports: readonly { readonly repository?: string }[] }[];
    readonly againstDirection: readonly object[];
    readonly cycles: readonly object[];
    readonly unreadableNames: readonly { readonly file: string }[];
    readonly portsImportedBy: number;
  };
};

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
