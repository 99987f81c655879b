import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Copies openapi.json and openapi-operator.json out of the built documentation. With --release they are also kept as what this version was released with: the check for
// breaking changes compares with the newest of those.
const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = join(root, 'docs', 'openapi');
for (const [name, kept] of [
  ['openapi.json', 'released'],
  ['openapi-operator.json', 'released-operator'],
]) {
  const document = join(root, 'dist', 'site', name);
  copyFileSync(document, join(root, name));
  if (!process.argv.includes('--release')) continue;
  mkdirSync(folder, { recursive: true });
  copyFileSync(document, join(folder, `${kept}-${version}.json`));
}
