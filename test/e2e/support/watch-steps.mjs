// Loaded before the built program by failpoints.ts, and by nothing else (NODE_OPTIONS=--import). Every step that changes something gets a name:
// the use case that takes it, and the port's method, as in `upload:storeDeclaredBytes/blobs.put`. FAILPOINTS is a folder:
//   armed  names the step right after which this very process is killed (kill -9): it took effect, and nobody was told of it yet.
//   seen   collects the names of all steps that are taken.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import vm from 'node:vm';

const adapters = {
  BackupFolder: { port: 'backup', methods: ['removePart'] },
  LocalBlobStore: { port: 'blobs', methods: ['put', 'copy', 'delete'] },
  SmtpMailer: { port: 'mailer', methods: ['send'] },
  TypeormCustomerDirectory: { port: 'customers', methods: ['removeRows', 'remove'] },
  TypeormCustomerStore: { port: 'store', methods: ['transaction'] },
};
const [armed, seen] = ['armed', 'seen'].map((name) => join(process.env.FAILPOINTS, name));
const ofPorts = Object.values(adapters).flatMap(({ methods }) => methods);
const names = new Set();
Error.stackTraceLimit = 40;

// Classes of adapters are handed over as soon as the bundle has defined them. What V8 compiled of a file during the build (load.cjs) is used as
// ever, but not of a file that is longer now: V8 compares the lengths. What it compiles of such a file is kept in FAILPOINTS for later processes.
const { Script } = vm;
const compiled = new Map();
vm.Script = class extends Script {
  constructor(text, options) {
    const longer = watched(text);
    const cache = join(process.env.FAILPOINTS, `${basename(options.filename)}.compiled`);
    const isKept = longer !== text && existsSync(cache);
    super(longer, isKept ? { ...options, cachedData: readFileSync(cache) } : options);
    if (longer !== text && !isKept) compiled.set(cache, this);
  }
};

/** Once functions have run: V8 compiles those alone. */
function keepCompiled() {
  for (const [cache, script] of compiled) {
    keep(cache, script.createCachedData());
  }
  compiled.clear();
}

function keep(file, data) {
  writeFileSync(`${file}.${process.pid}`, data);
  renameSync(`${file}.${process.pid}`, file);
}

function watched(text) {
  const names = Object.keys(adapters).filter((name) => text.includes(`var ${name} = class`));
  if (names.length === 0) return text;
  // Inside the function that the text is.
  return text.replace(/\n\}\)$/, `\nwatchAdapters({ ${names.join(', ')} });\n})`);
}

globalThis.watchAdapters = (classes) => {
  for (const [name, { prototype }] of Object.entries(classes)) watch(prototype, adapters[name]);
};

function watch(prototype, { port, methods }) {
  for (const method of methods) {
    const act = prototype[method];
    prototype[method] = async function (...given) {
      const name = `${useCase(new Error().stack)}/${port}.${method}`;
      const answer = await act.apply(this, given);
      reached(name);
      return answer;
    };
  }
}

/** The innermost named function of core that is under way; where there is none, of the API or a page, or of the command line. */
function useCase(stack) {
  const frames = [...stack.matchAll(/at (?:async )?(?:(\w+)\.)?(\w+)(?:\$\d+)? \((\/[^()\n]+):(\d+):\d+\)/g)];
  const places = frames.map(([, owner, name, file, line]) => ({ owner, name, ...moduleAt(file, Number(line)) }));
  // A function of another file of the bundle is called as a method of what that file exports; objects that stand for a port are not meant.
  const isFunction = ({ owner, name }) => owner === undefined || (owner === 'Object' && !ofPorts.includes(name));
  const found =
    places.find((place) => place.ring === 'core' && isFunction(place)) ??
    places.find(({ ring }) => ['api', 'http', 'pages'].includes(ring)) ??
    places.find(({ owner, ring }) => ring === 'cli' && owner === undefined);
  return found ? `${found.file}:${found.name}` : 'unknown';
}

const bundles = new Map();

/** Ring and file of the module that a line of the bundle comes from: each begins with a comment that names it. */
function moduleAt(bundle, line) {
  if (!bundles.has(bundle)) bundles.set(bundle, modulesOf(bundle));
  return bundles.get(bundle).findLast(({ from }) => from <= line) ?? {};
}

/** Found once for all processes: it takes as long as a step. */
function modulesOf(bundle) {
  const kept = join(process.env.FAILPOINTS, `${basename(bundle)}.modules`);
  if (!existsSync(kept)) keep(kept, JSON.stringify(modulesIn(readFileSync(bundle, 'latin1'))));
  return JSON.parse(readFileSync(kept, 'utf8'));
}

function modulesIn(text) {
  let [line, at] = [1, 0];
  return [...text.matchAll(/^\/\/ (?:(\w+)\/(?:[\w-]+\/)+([\w-]+)|\S+)\.js$/gm)].map(({ index, 1: ring, 2: file }) => {
    for (; at < index; at = text.indexOf('\n', at) + 1) line += 1;
    return { from: line, ring, file };
  });
}

function reached(name) {
  keepCompiled();
  if (!names.has(name)) {
    names.add(name);
    appendFileSync(seen, `${name}\n`);
  }
  if (name === readFileSync(armed, 'utf8')) process.kill(process.pid, 'SIGKILL');
}
