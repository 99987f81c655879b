import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(__dirname, '../..');

let built: Promise<unknown> | undefined;

/**
 * The folder `dist` for tests that start processes, built first where sources are newer. Any number of test processes may ask at the
 * same time.
 */
export async function builtProgram(): Promise<string> {
  built ??= promisify(execFile)(process.execPath, [join(root, 'bin/build.js'), '--if-needed']);
  await built;
  return join(root, 'dist');
}
