import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { plainToInstance, Type } from 'class-transformer';
import { IsInt, validateSync } from 'class-validator';
import WorkerRealmEnvironment from '../support/worker-realm-environment.mjs';

const realm = globalThis as unknown as Record<string | symbol, unknown>;
const environment = () => new WorkerRealmEnvironment({ projectConfig: { testEnvironmentOptions: {} } });

test('globals that a suite adds, replaces or removes are as before for the next', async () => {
  const { fetch } = globalThis;
  const suite = environment();
  const added = Symbol('added');
  Object.assign(realm, { [added]: 1, fetch: null });
  delete realm['structuredClone'];
  await suite.teardown();
  expect(added in realm).toBe(false);
  expect(realm['fetch']).toBe(fetch);
  expect(realm['structuredClone']).toBeInstanceOf(Function);
});

test('environment variables, exit code and listeners of the process are as before for the next suite', async () => {
  process.env['KEPT'] = 'before';
  process.env['REMOVED'] = 'before';
  const before = { listeners: process.rawListeners('SIGTERM'), exit: process.exit, exitCode: process.exitCode };
  const suite = environment();
  Object.assign(process.env, { KEPT: 'changed', ADDED: 'new' });
  delete process.env['REMOVED'];
  process.once('SIGTERM', () => undefined);
  process.exit = () => {
    throw new Error('not reached');
  };
  process.exitCode = 3;
  await suite.teardown();
  expect(process.env).toMatchObject({ KEPT: 'before', REMOVED: 'before' });
  expect(process.env).not.toHaveProperty('ADDED');
  expect({ listeners: process.rawListeners('SIGTERM'), exit: process.exit, exitCode: process.exitCode }).toEqual(
    before,
  );
});

test('the storages of a suite no longer follow the promises of the next', async () => {
  const suite = environment();
  const storage = new AsyncLocalStorage<string>();
  const { run } = AsyncLocalStorage.prototype;
  await storage.run('used', async () => {
    await suite.teardown();
    expect(storage.getStore()).toBeUndefined();
  });
  expect(AsyncLocalStorage.prototype.run).not.toBe(run);
});

test('the rules of the classes that suites share are as before for the next', async () => {
  const suite = environment();
  class Part {}
  class Whole {
    @IsInt() count!: number;
    @Type(() => Part) part!: Part;
  }
  await suite.teardown();
  expect(validateSync(plainToInstance(Whole, { count: 'many' }))).toHaveLength(1);
  expect(plainToInstance(Whole, { part: {} }).part).toBeInstanceOf(Part);
});

test('a suite has the modules of tests to itself, and our others and packages in common with the suites of its worker', () => {
  const load = () => ({
    tests: require('../support/until.js'),
    ours: require('../../src/core/shared/errors.js'),
    theirs: require('@nestjs/common'),
  });
  const loaded: ReturnType<typeof load>[] = [];
  for (let suite = 1; suite <= 2; suite += 1) jest.isolateModules(() => loaded.push(load()));
  expect(loaded[0]?.tests).not.toBe(loaded[1]?.tests);
  expect(loaded[0]?.ours).toBe(loaded[1]?.ours);
  expect(loaded[0]?.theirs).toBe(loaded[1]?.theirs);
});
