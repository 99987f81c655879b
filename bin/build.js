import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// With --if-needed only where sources are newer than dist: `npm start` on a fresh clone builds once, later starts compare times.
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
if (!process.argv.includes('--if-needed') || isOld()) build();

function isOld() {
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join(root, 'src', String(name)));
  const others = ['tsconfig.json', 'package-lock.json'].map((name) => join(root, name));
  return [...sources, ...others].some((path) => statSync(path).mtimeMs > built);
}

/** Beside, then in place: a build that fails leaves the old one, and a running service never sees half of one. */
function build() {
  console.log('Building …');
  const draft = `${dist}.${process.pid}`;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', root, '--outDir', draft], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  if (status === 0) {
    // Styles and scripts of pages are sent as they stand in the sources.
    for (const assets of [join('http', 'settings', 'assets'), join('http', 'docs', 'assets')]) {
      cpSync(join(root, 'src', assets), join(draft, assets), { recursive: true });
    }
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  }
  rmSync(draft, { recursive: true, force: true });
}
