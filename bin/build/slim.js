import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installed, Locked } from './packages.js';

// Removes from node_modules what the bundle does not load from there, for an image: what remains runs `phs`, and builds nothing.
//   node bin/build/slim.js [--without PACKAGE …]
const root = join(import.meta.dirname, '..', '..');
const without = process.argv.slice(2).filter((name) => name !== '--without');
const locked = new Locked(join(root, 'package-lock.json'));
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'postgres', 'package.json'), 'utf8'));
const names = [...installed, ...Object.keys(optionalDependencies)].filter(
  (name) => !without.some((each) => name.startsWith(each)),
);
const kept = new Set(locked.withNeeded(names.map((name) => locked.placeOf(name, '')).filter(Boolean)));
// From the inside out, so that a folder is empty by the time that it is looked at.
for (const place of Object.keys(locked.packages).sort().reverse()) {
  if (!place.includes('node_modules/') || kept.has(place)) continue;
  if (![...kept].some((each) => each.startsWith(`${place}/`)))
    rmSync(join(root, place), { recursive: true, force: true });
}
rmSync(join(root, 'node_modules', '.bin'), { recursive: true, force: true });
for (const scope of readdirSync(join(root, 'node_modules')).filter((name) => name.startsWith('@'))) {
  const folder = join(root, 'node_modules', scope);
  if (existsSync(folder) && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
