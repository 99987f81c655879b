import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import { compileFunction, constants } from 'node:vm';
import Runtime from 'jest-runtime';

/** By file; a watching process sees new sources of a file. */
const compiled = new Map();
/** By the folder that requires. */
const requires = new Map();

/**
 * Loads packages once per worker, by Node itself, ES modules included; jest would evaluate Nest, TypeORM and all the others anew for each
 * suite, which cost more than the tests did. Our own modules, workspaces included, are evaluated for each suite as ever, but compiled once.
 */
export default class SharedPackagesRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    // For the realm of the worker: jest itself compiles for the realm that an environment made. Private to jest-runtime, whose version is exact.
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
    if (name && !options?.isInternalModule && isPackage(name)) return requireOf(from)(name);
    return super.requireModule(from, name, options, ...rest);
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
