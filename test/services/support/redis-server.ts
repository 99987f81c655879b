import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';
import { Daemon } from './daemon.js';
import { program } from './programs.js';

/** A Redis of its own that keeps nothing on disk, and can be made to hang, to die and to come back at the same address. */
export class RedisServer {
  private pid = 0;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private daemon: Daemon,
  ) {}

  static async start(): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'redis-'));
    const port = await freePort();
    const server = new RedisServer(folder, port, launch(folder, port));
    await server.answers();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Sends one command over a connection of its own. */
  async command(...words: string[]): Promise<unknown> {
    const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(words);
    } finally {
      client.destroy();
    }
  }

  /** It takes connections, and answers nothing any more. */
  hang(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  goOn(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Connections are cut and refused. */
  async kill(): Promise<void> {
    await this.daemon.stop();
  }

  /** After `kill`. It remembers nothing. */
  async startAgain(): Promise<void> {
    this.daemon = launch(this.folder, this.port);
    await this.answers();
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answers(): Promise<void> {
    const info = await until('redis-server to answer', () => this.command('INFO', 'server').catch(() => false));
    this.pid = Number(/process_id:(\d+)/.exec(String(info))?.[1]);
  }
}

function launch(folder: string, port: number): Daemon {
  const command = [program('redis-server', 'redis-server'), '--port', String(port), '--bind', '127.0.0.1'] as const;
  return Daemon.start([...command, '--save', '', '--appendonly', 'no', '--dir', folder], join(folder, 'redis.out'));
}
