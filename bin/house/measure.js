import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { concepts } from './concepts.js';
import { limits } from './limits.js';
import { rooms } from './rooms.js';
import { oversized, sizesByConcept, sizesByRing } from './sizes.js';
import { statements } from './statements.js';
import { testTimes } from './test-times.js';
import { touched } from './touched.js';
import { readTree } from './tree.js';

/** All measures of the tree in a folder; of its tests, too, where `results` is what `jest --json --outputFile=results` wrote. */
export function measure(folder, results) {
  const root = resolve(folder);
  if (!existsSync(join(root, 'src'))) throw new Error(`There is no src in ${root}.`);
  const files = readTree(root);
  return {
    rings: sizesByRing(files),
    coreConcepts: sizesByConcept(files),
    direction: concepts(files),
    statements: statements(files),
    limits: limits(files),
    touched: touched(files),
    sizes: oversized(files),
    rooms: rooms(files),
    ...(results !== undefined && { tests: testTimes(results, root) }),
  };
}
