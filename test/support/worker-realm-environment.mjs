import { AsyncLocalStorage } from 'node:async_hooks';
import { ModernFakeTimers } from '@jest/fake-timers';
import { getMetadataStorage } from 'class-validator';
import { ModuleMocker } from 'jest-mock';

/** Of all suites of the worker: worker-cache.ts. */
globalThis.workerCache = new Map();
/** Puts on `globalThis`, before the first suite, where class-validator keeps the rules of the classes that suites share. */
getMetadataStorage();

/**
 * Runs a suite in the realm of the worker itself, as Node would, and not in a realm made for the suite: only there can suites share the
 * modules that the worker has loaded (shared-modules-runtime.mjs), and globals are read several times faster. What a suite leaves behind in
 * the realm is undone at its end.
 */
export default class WorkerRealmEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.undo = [restoreGlobals(), restoreProcess(), disableStorages()];
  }

  exportConditions() {
    return this.conditions;
  }

  /** There is none: shared-modules-runtime.mjs compiles for the realm of the worker. */
  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    for (const undo of this.undo) undo();
  }
}

/** What cannot be deleted or redefined stays: jest's and Node's own. */
function restoreGlobals() {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  return () => {
    for (const key of new Set([...Reflect.ownKeys(before), ...Reflect.ownKeys(globalThis)])) {
      const now = Object.getOwnPropertyDescriptor(globalThis, key);
      if (now?.configurable === false) continue;
      if (!Object.hasOwn(before, key)) delete globalThis[key];
      else if (now?.value !== before[key].value || now?.get !== before[key].get)
        Object.defineProperty(globalThis, key, before[key]);
    }
  };
}

function restoreProcess() {
  const { exit, exitCode } = process;
  const env = { ...process.env };
  const listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    Object.assign(process, { exit, exitCode });
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
    Object.assign(process.env, env);
    for (const name of process.eventNames()) {
      for (const listener of process.rawListeners(name)) {
        if (!listeners.get(name)?.includes(listener)) process.removeListener(name, listener);
      }
    }
  };
}

/** In Node 20 each storage that was ever used makes every later promise slower, and each suite has its own. One of a package is enabled by its next use. */
function disableStorages() {
  const used = new Set();
  const { run, enterWith } = AsyncLocalStorage.prototype;
  AsyncLocalStorage.prototype.run = function recordedRun(...given) {
    used.add(this);
    return run.apply(this, given);
  };
  AsyncLocalStorage.prototype.enterWith = function recordedEnterWith(...given) {
    used.add(this);
    return enterWith.apply(this, given);
  };
  return () => {
    Object.assign(AsyncLocalStorage.prototype, { run, enterWith });
    for (const storage of used) storage.disable();
  };
}
