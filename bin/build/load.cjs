// Part of the built program: bundle.js puts it beside the files that it writes, and each of those that starts a process or a thread is loaded by it.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { basename, join } = require('node:path');
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8');
const vm = require('node:vm');

// Before any file is compiled, because code that V8 compiled under other flags is not taken. Pretenuring allocates what has once outlived young
// collections in the old generation from then on. Of a request nothing is old: its parts there only kept others alive until the next full
// collection. Many times more then outlived a young collection (bench/measurements.md).
setFlagsFromString('--no-allocation-site-pretenuring');
// The sizes of a process's heap were read when it began, and stay. As flags they only kept V8 from taking what was compiled without them; and
// they would overrule the limits that a thread is started with.
for (const size of ['--max-old-space-size', '--max-semi-space-size']) setFlagsFromString(`${size}=0`);

/** V8 does not take what another version of it compiled, or the same one with other flags: each has a folder of its own. */
const folder = join(__dirname, 'compiled', cachedDataVersionTag().toString(16));
const scripts = new Map();
const loaded = new Map();

/**
 * Returns what a file beside this one exports, as `require` does, with the code that V8 compiled of it during the build, which saves a third of
 * the processor time of a start. What is missing there is compiled as usual. Node's own cache of this kind needs Node 22 and a folder that the
 * service may write to; its switch turns this one off, too.
 */
function load(name) {
  const file = join(__dirname, name);
  if (loaded.has(file)) return loaded.get(file).exports;
  const module = { exports: {} };
  loaded.set(file, module);
  try {
    const script = prepare(name);
    const outside = createRequire(file);
    const require = (id) => (id.startsWith('./') ? load(id) : outside(id));
    script
      .runInThisContext()
      .call(module.exports, module.exports, Object.assign(require, outside), module, file, __dirname);
    return module.exports;
  } catch (error) {
    loaded.delete(file);
    throw error;
  }
}

/** Compiles a file beside this one, and does not run it. Its text is ASCII (bundle.js). */
function prepare(name) {
  const filename = join(__dirname, name);
  const text = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(filename, 'latin1')}\n})`;
  const script = new vm.Script(text, { filename, cachedData: compiledCode(filename) });
  scripts.set(filename, script);
  return script;
}

function compiledCode(file) {
  if (process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined;
  try {
    return readFileSync(join(folder, basename(file)));
  } catch {
    return undefined;
  }
}

exports.load = load;

// For the build, `node load.cjs FILE…`: writes what V8 compiles of these files, and of their functions that are called.
if (require.main === module) {
  // Loading an entry would start what it is for.
  for (const file of process.argv.slice(2)) (file.endsWith('.main.js') ? prepare : load)(file);
  mkdirSync(folder, { recursive: true });
  for (const [file, script] of scripts) writeFileSync(join(folder, basename(file)), script.createCachedData());
  // Not waiting for what the files have begun.
  process.exit();
}
