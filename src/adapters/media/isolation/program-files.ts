import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProgramFiles } from './isolation.js';

/**
 * What the script of a decoding process loads: the given files, the files that tell Node how to load them, and every `node_modules` that
 * Node searches from there.
 */
export function programFiles(script: string, files: readonly string[]): ProgramFiles {
  const paths = [...files];
  for (let folder = dirname(script), parent = dirname(folder); ; folder = parent, parent = dirname(folder)) {
    paths.push(join(folder, 'package.json'), join(folder, 'node_modules'));
    if (parent === folder) break;
  }
  return { script, paths: paths.filter((path) => existsSync(path)) };
}
