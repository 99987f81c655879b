import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOf, freePort } from '../../bench/service.mjs';

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

/** Runs `work` with a new folder, which is removed after it. @param name what its name begins with */
export async function withFolder(name, work) {
  const folder = await mkdtemp(join(tmpdir(), name));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves when a program has printed this text; rejects when it ends before. */
export function printed(child, text, name) {
  return new Promise((resolve, reject) => {
    let all = '';
    child.once('close', () => reject(new Error(`${name} ended: ${all}`)));
    child.stdout.on('data', (chunk) => {
      all += chunk;
      if (all.includes(text)) resolve();
    });
  });
}

/**
 * Runs `work` beside a service of its own, on an empty installation with the operator API.
 * @param root the folder of the program: of this project, or of its package
 */
export async function withService(root, work, node = process.execPath) {
  await withFolder('photo-service-interop-', async (folder) => {
    const port = await freePort();
    const { PATH, HOME } = process.env;
    const settings = { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn', PROCESSES: '1', OPERATOR_API: 'on' };
    const env = { PATH, HOME, ...settings };
    const program = join(root, 'bin/phs.js');
    const child = spawn(node, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const phs = commandsOf(env, program, node);
    try {
      await printed(child, 'is ready at', 'the service');
      const limits = ['--read-limit', '100000', '--write-limit', '100000'];
      const key = phs('key', 'create', '--customer', '1', '--name', 'interop', '--scopes', 'all', ...limits);
      const operator = phs('operator-token', 'create', '--name', 'interop', '--scopes', 'all');
      const first = (await readFile(join(folder, 'first-key'), 'utf8')).trim();
      await work({ url: `http://127.0.0.1:${port}`, token: key.token, operatorToken: operator.token, firstKey: first });
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });
}
