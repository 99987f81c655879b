// Part of the built program: bundle.js puts it beside the files that it writes, and each of those that starts a process or a thread loads it first.
require('./v8-flags.cjs');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

/** V8 does not take what another version of it compiled, or the same one with other flags: each has a folder of its own. */
const folder = join(__dirname, 'compiled', cachedDataVersionTag().toString(16));
const scripts = new Map();
const compile = Module.prototype._compile;

// From now on, files beside this one are loaded with the code that V8 compiled of them during the build, which saves a third of the processor
// time of a start. What is missing there is compiled as usual. Node's own cache of this kind needs Node 22 and a folder that the service may
// write to; its switch turns this one off, too.
if (process.env.NODE_DISABLE_COMPILE_CACHE === undefined) {
  Module.prototype._compile = function (text, file, ...rest) {
    if (dirname(file) !== __dirname) return Reflect.apply(compile, this, [text, file, ...rest]);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${text}\n})`, {
      filename: file,
      cachedData: compiledCode(file),
    });
    scripts.set(file, script);
    const given = [this.exports, Module.createRequire(file), this, file, dirname(file)];
    return Reflect.apply(script.runInThisContext(), this.exports, given);
  };
}

function compiledCode(file) {
  try {
    return readFileSync(join(folder, basename(file)));
  } catch {
    return undefined;
  }
}

/** For the build: writes what V8 compiled of the files that were loaded, and of their functions that were called. */
exports.writeCompiledCode = () => {
  mkdirSync(folder, { recursive: true });
  for (const [file, script] of scripts) writeFileSync(join(folder, basename(file)), script.createCachedData());
};
