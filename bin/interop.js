import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clients, documents, proxy } from './interop/documents.js';
import { installed, packages, runtimes } from './interop/packages.js';

// Tries what is published with tools and runtimes of others, which are no dependencies of the project: they are 1.4 GB. Linux on x64.
//   npm run interop [-- PART…]      parts: packages installed runtimes documents clients proxy
const here = join(import.meta.dirname, 'interop');
const root = join(here, '../..');
const parts = { packages, installed, runtimes, documents, clients, proxy };
const names = Object.keys(parts);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((part) => !names.includes(part));
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: the parts are ${names.join(', ')}`);

const tools = install();
for (const part of wanted.length > 0 ? wanted : names) {
  console.log(`\n# ${part}`);
  await parts[part]({ root, tools });
}

/** The exact versions of bin/interop/package.json, outside the project's own packages. @returns the folder of their packages */
function install() {
  const manifest = join(here, 'package.json');
  const name = createHash('sha256').update(readFileSync(manifest)).digest('hex').slice(0, 12);
  const folder = join(root, 'node_modules/.cache/photo-service-interop', name);
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(installed)) return join(folder, 'node_modules');
  mkdirSync(folder, { recursive: true });
  copyFileSync(manifest, join(folder, 'package.json'));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error('the tools could not be installed');
  return join(folder, 'node_modules');
}
