// Run by `npm pack`: copies what this package needs into its node_modules, from where npm puts it into the tarball (bundleDependencies),
// because photo-service-sdk is in no registry and a bundled package needs none. With --remove the copies are removed again: while they are
// there, they hide the workspace itself.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, 'node_modules');
rmSync(target, { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
  const build = join(here, '..', 'bin', 'build.js');
  // On standard error: standard output is the name of the tarball.
  if (existsSync(build)) spawnSync(process.execPath, [build, '--if-needed', '--types'], { stdio: ['ignore', 2, 2] });
  if (!existsSync(join(here, 'dist', 'phs.js'))) throw new Error('dist is not built: npm run build');
  const copied = new Map();
  for (const name of manifestOf(here).bundleDependencies) bundle(name, here, copied);
  // From the commands as they are built, with the packages that were just copied.
  const { manPage } = await import('./dist/man-page.js');
  writeFileSync(join(here, 'dist', 'phs.1'), manPage(manifestOf(here).version));
}

/** Copies a package, and those that it needs. */
function bundle(name, neededBy, copied) {
  const folder = find(name, neededBy);
  const { version, dependencies = {} } = manifestOf(folder);
  if (copied.has(name)) {
    if (copied.get(name) !== version) throw new Error(`${name} is needed in two versions`);
    return;
  }
  copied.set(name, version);
  const filter = (path) => !path.slice(folder.length).split(sep).includes('node_modules');
  cpSync(folder, join(target, name), { recursive: true, filter });
  for (const each of Object.keys(dependencies)) bundle(each, folder, copied);
}

/** Where Node would find it, but for the copies made here. */
function find(name, from) {
  const path = join(from, 'node_modules', name);
  if (from !== here && existsSync(join(path, 'package.json'))) return realpathSync(path);
  if (dirname(from) === from) throw new Error(`${name} is not installed`);
  return find(name, dirname(from));
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
