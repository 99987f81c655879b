import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Connection } from 'photo-service-postgres';

interface Event {
  opened?: Connection;
  logged?: string;
  refused?: string;
  message?: string;
  ended?: string;
  stopped?: boolean;
}

export interface HolderOptions {
  readonly ids?: { uid: number; gid: number };
  readonly path?: string;
}

/** A process that opens a data folder's database, and can be told to stop or be killed. */
export class DatabaseHolder {
  private readonly events: Event[] = [];
  private readonly waiting: (() => void)[] = [];
  readonly exited: Promise<void>;
  private hasExited = false;
  private errors = '';

  private constructor(readonly process: ChildProcess) {
    createInterface({ input: process.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.events.push(JSON.parse(line) as Event);
      this.wake();
    });
    process.stderr?.on('data', (text: Buffer) => {
      this.errors += text.toString();
    });
    process.stdin?.on('error', () => undefined);
    this.exited = new Promise((resolve) =>
      process.on('close', () => {
        this.hasExited = true;
        this.wake();
        resolve();
      }),
    );
  }

  static start(installation: string, dataDir: string, mode: 'own' | 'share', options: HolderOptions = {}) {
    const child = spawn(process.execPath, [join(installation, 'hold-database.mjs'), dataDir, mode], {
      ...options.ids,
      cwd: '/',
      env: { ...process.env, ...(options.path === undefined ? {} : { PATH: options.path }) },
      stdio: 'pipe',
    });
    return new DatabaseHolder(child);
  }

  /** The connection, once it is open; an error with the sentence where it was refused. */
  async opened(): Promise<Connection> {
    const event = await this.next((each) => each.opened !== undefined || each.refused !== undefined);
    if (event.opened === undefined) throw new Error(`${event.refused}: ${event.message}`);
    return event.opened;
  }

  /** The sentence of the refusal. */
  async refused(): Promise<string> {
    const event = await this.next((each) => each.opened !== undefined || each.refused !== undefined);
    if (event.refused === undefined) throw new Error('it was not refused');
    await this.exited;
    return `${event.refused}: ${event.message}`;
  }

  async ended(): Promise<string> {
    return (await this.next((each) => each.ended !== undefined)).ended as string;
  }

  /** Waits for a line of the launcher's log. */
  async logged(line: RegExp): Promise<void> {
    await this.next((each) => line.test(each.logged ?? ''));
  }

  async stop(): Promise<void> {
    this.process.stdin?.write('stop\n');
    await this.exited;
    if (!this.events.some((each) => each.stopped)) throw new Error(`it did not stop in order: ${this.errors}`);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  private wake(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }

  private async next(matches: (event: Event) => boolean): Promise<Event> {
    for (;;) {
      const found = this.events.find(matches);
      if (found !== undefined) return found;
      if (this.hasExited) throw new Error(`the holder ended: ${this.errors}`);
      await new Promise<void>((resume) => this.waiting.push(resume));
    }
  }
}
