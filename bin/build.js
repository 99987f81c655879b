import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { bundle, compile } from './build/bundle.js';
import { writeCountries, writeGazetteer } from './build/datasets.js';
import { writeLibrary } from './build/library.js';
import { licences, writeContents } from './build/licences.js';
import { transpile } from './build/transpile.js';

// --if-needed: only what is older than its sources. `npm start` on a fresh clone builds once, later starts compare times.
// --types: with the declarations of the packages, for those who install them. Nothing in here reads them.
const root = join(import.meta.dirname, '..');
const ifNeeded = process.argv.includes('--if-needed');
const withTypes = process.argv.includes('--types');

const [cli, sdk, uploader] = ['cli', 'sdk', 'uploader'].map((name) => join(root, name));

/** The folder of what the SDK has for programs that use `require`. */
const COMMONJS = 'cjs';

// In the order in which they need each other: types, and what is bundled.
const projects = [
  { folder: sdk, built: 'entry.js', types: 'entry.d.ts' },
  { folder: cli, built: 'phs.js', types: 'commands.d.ts' },
  { folder: uploader, built: 'photo-upload.js', types: 'entry.d.ts' },
  { folder: join(root, 'postgres'), built: 'entry.js', types: 'entry.d.ts' },
  { folder: root, built: 'main.js', types: 'library/types/src/core/entry.d.ts' },
];
const firstOld = projects.findIndex((project) => !ifNeeded || isOld(project.folder, project.built));
if (firstOld >= 0) console.log('Building …');
// What follows holds what was built anew.
for (const project of firstOld < 0 ? [] : projects.slice(firstOld)) await build(project);
// Added to what is built, which may be running: packing the SDK must not take the program from under a service.
if (withTypes) for (const { folder, types } of projects) if (isOld(folder, types)) await declare(folder);

function isOld(folder, built) {
  const time = statSync(join(folder, 'dist', built), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folders = (folder === root ? ['src', 'testing', 'docs', 'bin/docs'] : ['src']).map((name) =>
    join(folder, name),
  );
  const sources = folders.flatMap((each) => readdirSync(each, { recursive: true }).map((name) => join(each, name)));
  const tools = ['build.js', ...readdirSync(join(root, 'bin', 'build')).map((name) => join('build', name))].map(
    (name) => join(root, 'bin', name),
  );
  return [...sources, ...tools, join(root, 'package-lock.json')].some((path) => statSync(path).mtimeMs > time);
}

/** Beside, then in place: a build that fails leaves the old one, and a program that starts meanwhile finds one of the two. */
async function build({ folder }) {
  const dist = join(folder, 'dist');
  const [draft, old] = [`${dist}.${process.pid}`, `${dist}.${process.pid}.old`];
  let bundled = null;
  try {
    if (folder === uploader) await packForWeb(join(folder, 'src', 'entry.ts'), join(draft, 'photo-upload.js'));
    else await transpile(join(folder, 'src'), draft, 'es6', folder === root ? ['../testing/', './testing/'] : null);
    if (folder === sdk) {
      // The same modules for programs that use `require`.
      await transpile(join(sdk, 'src'), join(draft, COMMONJS), 'commonjs');
      writeFileSync(join(draft, COMMONJS, 'package.json'), '{"type":"commonjs"}\n');
      // What needs nothing of Node, for edge runtimes and for pages without a bundler.
      const modules = await packForWeb(join(draft, 'entry.js'), join(draft, 'web.js'));
      writeFileSync(join(draft, 'web.licences.txt'), licences(modules));
    }
    if (folder === cli) await packProtocol(draft);
    if (folder === root) {
      await transpile(join(root, 'testing'), join(draft, 'testing'), 'es6', ['../src/', '../']);
      writeCountries(join(draft, 'adapters', 'countries', 'register'));
      writeGazetteer(join(draft, 'adapters', 'places', 'gazetteer'));
      [bundled] = await Promise.all([bundle(draft, join(draft, 'program')), writeDocs(draft)]);
    }
    replace(dist, draft, old);
  } finally {
    for (const left of [draft, old]) rmSync(left, { recursive: true, force: true });
  }
  if (bundled !== null) compile(join(dist, 'program'), bundled);
}

/** Another build may do the same meanwhile, from the same sources: the later one stays. */
function replace(dist, draft, old) {
  for (;;) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      return renameSync(draft, dist);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) || !existsSync(draft)) throw error;
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Packs a module, with all that it loads, as one file without imports. @returns the modules in it */
async function packForWeb(input, file) {
  const draft = await rolldown({ input, platform: 'browser', cwd: dirname(input), logLevel: 'warn' });
  const { output } = await draft.write({ file, format: 'esm', codeSplitting: false });
  await draft.close();
  return output[0].moduleIds;
}

/**
 * Puts what `phs mcp` uses of the Model Context Protocol's SDK into the one module that names it, so that neither package has to install the
 * SDK and all that it needs for other uses.
 */
async function packProtocol(dist) {
  const file = join(dist, 'mcp', 'protocol.js');
  const draft = await rolldown({ input: file, platform: 'node', logLevel: 'warn' });
  const { output } = await draft.generate({ format: 'esm' });
  await draft.close();
  const [{ code, moduleIds }, ...others] = output;
  if (others.length > 0) throw new Error('The protocol is more than one file.');
  writeFileSync(file, code);
  writeContents(dirname(file), moduleIds);
}

/** Writes the documentation into `site` of the built program, by bin/docs and what that imports of the program. Another process, because the bundle is made meanwhile. */
async function writeDocs(dist) {
  const generator = join(dist, 'docs');
  await transpile(join(root, 'bin', 'docs'), generator);
  // It is one folder nearer to what it imports.
  for (const name of readdirSync(generator, { recursive: true }).filter((each) => each.endsWith('.js'))) {
    const code = readFileSync(join(generator, name), 'utf8');
    writeFileSync(join(generator, name), code.replaceAll('../src/', ''));
  }
  const [status] = await once(
    spawn(process.execPath, [join(generator, 'site.js'), join(dist, 'site')], { stdio: 'inherit' }),
    'exit',
  );
  if (status !== 0) throw new Error('The documentation could not be written.');
  rmSync(generator, { recursive: true });
}

async function declare(folder) {
  if (folder === root) return writeLibrary(root);
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`The types of ${folder} could not be written.`);
  if (folder !== sdk) return;
  // A declaration says of itself what module it is by the package.json above it, so both kinds need their own.
  const dist = join(sdk, 'dist');
  const names = readdirSync(dist, { recursive: true }).map(String);
  for (const name of names.filter((each) => each.endsWith('.d.ts') && !each.startsWith(COMMONJS)))
    cpSync(join(dist, name), join(dist, COMMONJS, name));
}
