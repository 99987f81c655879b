import { format } from 'node:util';
import { expect as assertions } from 'expect';

/** The functions of a test runner: `describe`, `it` and the hooks of Vitest and Jest; node:test calls `beforeAll` and `afterAll` `before` and `after`. */
export interface TestFunctions {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly beforeAll: Hook;
  readonly afterAll: Hook;
  readonly beforeEach: Hook;
  readonly afterEach: Hook;
}

type Hook = (body: () => Promise<void>) => unknown;

/** The functions that the contracts of this process run by. */
let functions: TestFunctions | null = null;

export function useTestFunctions(given: TestFunctions): void {
  functions = given;
}

function current(): TestFunctions {
  if (functions === null)
    throw new Error('A contract is called without test functions: use contracts({ describe, it, … }).');
  return functions;
}

/*
 * The globals of the contracts: when they are published, the build puts these in the place of those that Jest gives them here. Runners that
 * count parameters, as for a callback, see none.
 */

export function describe(name: string, body: () => void): void {
  current().describe(name, () => void body());
}

export function it(name: string, body: () => unknown): void {
  current().it(name, async () => void (await body()));
}

export const beforeAll = (body: () => unknown) => void current().beforeAll(async () => void (await body()));
export const afterAll = (body: () => unknown) => void current().afterAll(async () => void (await body()));
export const beforeEach = (body: () => unknown) => void current().beforeEach(async () => void (await body()));
export const afterEach = (body: () => unknown) => void current().afterEach(async () => void (await body()));

/** A test for each row, named by its values: `%i`, or `$what` of an object. */
it.each = (rows: readonly unknown[]) => (name: string, body: (...row: never) => unknown) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row];
    const named = name.replace(/\$(\w+)/g, (_, key: string) => String((row as Record<string, unknown>)[key]));
    it(format(named, ...values.slice(0, named.match(/%[a-z]/g)?.length ?? 0)), () => body(...(values as never)));
  }
};

/** Compares bytes as bytes: the names of all indexes would take seconds for a picture. */
assertions.addEqualityTesters([
  (a, b) => {
    const isOfOneKind = a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor;
    return isOfOneKind ? Buffer.compare(a, b) === 0 : undefined;
  },
]);

/** Without its type: the declarations of the package must not need that of another. */
export const expect: unknown = assertions;
