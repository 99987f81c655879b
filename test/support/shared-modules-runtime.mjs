import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { compileFunction, constants } from 'node:vm';
import Runtime from 'jest-runtime';

/** Our own folders whose modules suites share. They keep no state: test/architecture/state.test.ts. */
export const sharedFolders = ['src', 'sdk/src', 'cli/src', 'uploader/src', 'postgres/src', 'testing/memory'];

/** Modules that suites share, by file. */
const shared = new Map();
/** Runs the suite of now. Shared modules load others by it: the suite that loaded them may be over. */
let current;
/** By file; a watching process sees new sources of a file. */
const compiled = new Map();
const sourceMaps = new Map();
/** By the folder that requires. */
const requires = new Map();

/**
 * Loads packages and the modules of `sharedFolders` once per worker; jest would evaluate Nest, TypeORM and all the others anew for each
 * suite, which cost more than the tests did, and what is evaluated anew is slow until it is optimised. Packages are loaded by Node itself,
 * ES modules included. Modules of tests are evaluated for each suite as ever, but compiled once.
 */
export default class SharedModulesRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const [{ rootDir }, , , , , , , { watch, watchAll }] = given;
    if (watch || watchAll) shared.clear();
    current = this;
    const folders = sharedFolders.map((folder) => join(rootDir, folder, sep));
    this.isShared = (file) => folders.some((folder) => file.startsWith(folder));
    // What follows is private to jest-runtime, whose version is exact.
    this.executor.transformCache.sourceMaps = sourceMaps;
    // For the realm of the worker: jest itself compiles for the realm that an environment made.
    const parameters = this.executor.injectedModuleParameters;
    this.executor.compile = (source, filename) => {
      const known = compiled.get(filename);
      if (known?.source === source) return known.body;
      const body = compileFunction(source, parameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
      compiled.set(filename, { source, body });
      return body;
    };
  }

  requireModule(from, name, options, ...rest) {
    if (!name || options?.isInternalModule) return super.requireModule(from, name, options, ...rest);
    if (isPackage(name)) return requireOf(from)(name);
    const file = this.executor.resolution.resolveCjs(from, name);
    return this.isShared(file) ? this.requireShared(file) : super.requireModule(from, name, options, ...rest);
  }

  requireShared(file) {
    const known = shared.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    // Before it runs, for modules that import each other.
    shared.set(file, module);
    const require = (name) => (isBuiltin(name) ? requireOf(file)(name) : current.requireModule(file, name));
    try {
      const body = this.executor.compile(this.executor.transformCache.transform(file), file);
      body.call(module.exports, module, module.exports, require, dirname(file), file);
    } catch (error) {
      shared.delete(file);
      throw error;
    }
    return module.exports;
  }
}

function isPackage(name) {
  const isWorkspace = name.startsWith('photo-service-');
  return !(isWorkspace || name.startsWith('.') || isAbsolute(name) || isBuiltin(name));
}

function requireOf(file) {
  const folder = dirname(file);
  const known = requires.get(folder);
  if (known) return known;
  const made = createRequire(file);
  requires.set(folder, made);
  return made;
}
