import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm start` on a fresh clone builds once; later starts only compare times.
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = statSync(join(root, 'dist', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = [join(root, 'tsconfig.json'), join(root, 'package-lock.json')].concat(
  readdirSync(join(root, 'src'), { recursive: true }).map((name) => join(root, 'src', String(name))),
);
if (sources.some((path) => statSync(path).mtimeMs > built)) {
  console.log('Building …');
  const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
