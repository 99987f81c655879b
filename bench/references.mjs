// Bare servers to compare with.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort, root, until200 } from './service.mjs';

/** Each in a process of its own. */
export class References {
  #started = [];

  constructor(connection) {
    this.env = { ...process.env, DATABASE: JSON.stringify(connection) };
  }

  async start(name, args, path, processes = 1) {
    const port = await freePort();
    const script = join(root, 'bench', 'references', name);
    const stdio = ['ignore', 'ignore', 'inherit'];
    const env = { ...this.env, PROCESSES: String(processes) };
    const child = spawn(process.execPath, [script, String(port), ...args], { env, stdio });
    this.#started.push(child);
    const url = `http://127.0.0.1:${port}${path}`;
    await until200(url);
    return { url, pid: child.pid };
  }

  stop() {
    for (const child of this.#started) child.kill('SIGKILL');
  }
}
