import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { circles } from './circles.js';
import { conceptOf, concepts } from './concepts.js';
import { rooms, sizesByRing, totals } from './sizes.js';
import { readTree } from './tree.js';

export function measure(folder) {
  const root = resolve(folder);
  if (!existsSync(join(root, 'src'))) throw new Error(`There is no src in ${root}.`);
  const files = readTree(root);
  return {
    rings: sizesByRing(files),
    coreConcepts: totals(files, ({ path }) => conceptOf(path)),
    direction: concepts(files.filter(({ path }) => path.startsWith('src/core/'))),
    circles: circles(files.filter(({ path }) => /^(src|sdk|cli|uploader|postgres)\//.test(path))),
    rooms: rooms(files),
  };
}
