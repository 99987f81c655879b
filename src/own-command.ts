import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How `phs` is run in a folder, for messages. */
export function ownCommand(folder = process.cwd()): string {
  // Installed there, or the folder of the program. Elsewhere `npx phs` would run somebody else's package of that name.
  const places = [join('node_modules', '.bin', 'phs'), join('bin', 'phs.js')];
  return places.some((place) => existsSync(join(folder, place))) ? 'npx phs' : 'npx photo-service';
}

/** Where the photos of the examples are, seen from a folder. */
export function examplePhotos(folder = process.cwd()): string {
  const near = join('examples', 'photos');
  return existsSync(join(folder, near)) ? near : fileURLToPath(new URL('../examples/photos', import.meta.url));
}
