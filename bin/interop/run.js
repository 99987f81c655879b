import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Most tools need a newer Node than the project does. */
export const nodeOf = (tools, version = 24) => join(tools, `node-${version}`, 'bin/node');

/** Runs a program to its end. @returns what it printed @throws with all that it printed, if it fails */
export async function run(program, args, { cwd, env = {} } = {}) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', all: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    output.all += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.all += chunk;
  });
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${output.all}`);
  return output.stdout;
}
