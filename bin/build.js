import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// With --if-needed only what is older than its sources: `npm start` on a fresh clone builds once, later starts compare times.
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ifNeeded = process.argv.includes('--if-needed');

// In the order in which they need each other's types.
const projects = [
  { folder: join(root, 'sdk'), built: 'entry.js' },
  { folder: join(root, 'cli'), built: 'phs.js' },
  { folder: join(root, 'postgres'), built: 'entry.js' },
  { folder: root, built: 'main.js' },
];
let isBuilt = false;
for (const project of projects) {
  // What was built anew may have other types: what follows is built anew, too.
  if (ifNeeded && !isBuilt && !isOld(project)) continue;
  if (!build(project)) break;
  isBuilt = true;
}

function isOld({ folder, built }) {
  const time = statSync(join(folder, 'dist', built), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(folder, 'src'), { recursive: true }).map((name) =>
    join(folder, 'src', String(name)),
  );
  const others = [join(folder, 'tsconfig.json'), join(root, 'tsconfig.json'), join(root, 'package-lock.json')];
  return [...sources, ...others].some((path) => statSync(path).mtimeMs > time);
}

/** Beside, then in place: a build that fails leaves the old one, and a running service never sees half of one. */
function build({ folder }) {
  if (!isBuilt) console.log('Building …');
  const dist = join(folder, 'dist');
  const draft = `${dist}.${process.pid}`;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', folder, '--outDir', draft], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  if (status === 0) {
    // Styles and scripts of pages are sent as they stand in the sources.
    for (const assets of assetFolders(join(folder, 'src'))) {
      cpSync(join(folder, 'src', assets), join(draft, assets), { recursive: true });
    }
    // A command is executable, as npm would make it when it links it.
    if (existsSync(join(draft, 'phs.js'))) chmodSync(join(draft, 'phs.js'), 0o755);
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  }
  rmSync(draft, { recursive: true, force: true });
  return status === 0;
}

function assetFolders(sources) {
  const entries = readdirSync(sources, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name === 'assets');
  return folders.map((entry) => relative(sources, join(entry.parentPath, entry.name)));
}
