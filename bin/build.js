import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, compile } from './build/bundle.js';
import { writeCountries } from './build/countries.js';
import { writeDocs } from './build/docs.js';
import { writeGazetteer } from './build/gazetteer.js';
import { writeLibrary } from './build/library.js';
import { packProtocol } from './build/protocol.js';
import { transpile } from './build/transpile.js';
import { declareCommonJs, packForWeb, packSdkForWeb, writeCommonJs } from './build/web.js';

// --if-needed: only what is older than its sources. `npm start` on a fresh clone builds once, later starts compare times.
// --types: with the declarations of the packages, for those who install them. Nothing in here reads them.
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ifNeeded = process.argv.includes('--if-needed');
const withTypes = process.argv.includes('--types');

const [cli, sdk, uploader] = ['cli', 'sdk', 'uploader'].map((name) => join(root, name));

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
    if (folder === sdk) await Promise.all([writeCommonJs(folder, draft), packSdkForWeb(draft)]);
    if (folder === cli) await packProtocol(draft);
    if (folder === root) {
      await transpile(join(root, 'testing'), join(draft, 'testing'), 'es6', ['../src/', '../']);
      writeCountries(join(draft, 'adapters', 'countries', 'register'));
      writeGazetteer(join(draft, 'adapters', 'places', 'gazetteer'));
      [bundled] = await Promise.all([bundle(draft, join(draft, 'program')), writeDocs(root, draft)]);
    }
    replace(dist, draft, old);
  } finally {
    for (const left of [draft, old]) rmSync(left, { recursive: true, force: true });
  }
  if (bundled !== null) await compile(dist, join(dist, 'program'), bundled);
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

async function declare(folder) {
  if (folder === root) return writeLibrary(root);
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`The types of ${folder} could not be written.`);
  if (folder === sdk) declareCommonJs(folder);
}
