import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './build/bundle.js';
import { transpile } from './build/transpile.js';

// --if-needed: only what is older than its sources. `npm start` on a fresh clone builds once, later starts compare times.
// --types: with the declarations of the packages, for those who install them. Nothing in here reads them.
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ifNeeded = process.argv.includes('--if-needed');
const withTypes = process.argv.includes('--types');

// In the order in which they need each other: types, and what is bundled.
const projects = [
  { folder: join(root, 'sdk'), built: 'entry.js', types: 'entry.d.ts' },
  { folder: join(root, 'cli'), built: 'phs.js', types: 'commands.d.ts' },
  { folder: join(root, 'postgres'), built: 'entry.js', types: 'entry.d.ts' },
  { folder: root, built: 'main.js', types: null },
];
const firstOld = projects.findIndex((project) => !ifNeeded || isOld(project));
if (firstOld >= 0) console.log('Building …');
// What follows holds what was built anew.
for (const project of firstOld < 0 ? [] : projects.slice(firstOld)) await build(project);

function isOld({ folder, built, types }) {
  const files = withTypes && types !== null ? [built, types] : [built];
  const times = files.map((file) => statSync(join(folder, 'dist', file), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const sources = readdirSync(join(folder, 'src'), { recursive: true }).map((name) =>
    join(folder, 'src', String(name)),
  );
  const tools = ['build.js', 'build/bundle.js', 'build/licences.js', 'build/packages.js', 'build/transpile.js'].map(
    (name) => join(root, 'bin', name),
  );
  return [...sources, ...tools, join(root, 'package-lock.json')].some(
    (path) => statSync(path).mtimeMs > Math.min(...times),
  );
}

/** Beside, then in place: a build that fails leaves the old one, and a running service never sees half of one. */
async function build({ folder, types }) {
  const dist = join(folder, 'dist');
  const draft = `${dist}.${process.pid}`;
  try {
    await transpile(join(folder, 'src'), draft);
    if (withTypes && types !== null) declare(folder, draft);
    if (folder === root) await bundle(draft, join(draft, 'program'));
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function declare(folder, target) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', folder, '--outDir', target], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`The types of ${folder} could not be written.`);
}
