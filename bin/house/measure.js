import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { concepts } from './concepts.js';
import { limits } from './limits.js';
import { oversized, rooms, sizesByConcept, sizesByRing } from './sizes.js';
import { statements } from './statements.js';
import { touched } from './touched.js';
import { readTree } from './tree.js';

/** All measures of the tree in a folder; of its tests, too, where `results` is what `jest --json --outputFile=results` wrote. */
export function measure(folder, results) {
  const root = resolve(folder);
  if (!existsSync(join(root, 'src'))) throw new Error(`There is no src in ${root}.`);
  const all = readTree(root);
  // What the measures of concepts, limits and changes are about: the product, its clients and its tests.
  const ofProduct = all.filter(({ path }) => !/^(uploader|postgres|bin|bench)\//.test(path));
  return {
    rings: sizesByRing(all),
    coreConcepts: sizesByConcept(ofProduct),
    direction: concepts(ofProduct),
    statements: statements(ofProduct),
    limits: limits(ofProduct),
    touched: touched(ofProduct),
    sizes: oversized(all),
    rooms: rooms(all),
    ...(results !== undefined && { tests: testTimes(results, root) }),
  };
}

/** Seconds of each part of the tests, by what `jest --json --outputFile=FILE` has written. Files run beside each other: sums, not waits. */
function testTimes(file, root) {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const parts = {};
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const path = isAbsolute(name) && name.startsWith(root) ? relative(root, name) : name;
    const part = /(?:^|\/)test\/([^/]+)\//.exec(path)?.[1] ?? 'other';
    parts[part] ??= { files: 0, tests: 0, seconds: 0 };
    parts[part].files += 1;
    parts[part].tests += assertionResults.length;
    parts[part].seconds += Math.max(0, endTime - startTime) / 1000;
  }
  const from = Math.min(...testResults.map(({ startTime }) => startTime));
  const to = Math.max(...testResults.map(({ endTime }) => endTime));
  return { parts, waited: testResults.length === 0 ? 0 : (to - from) / 1000 };
}
