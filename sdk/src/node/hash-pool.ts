import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FileProblem } from '../import/source.js';

const MOST_WORKERS = 4;

/** Text, so that bundlers and other runtimes need to find no second file: what each thread does, CommonJS. */
const WORKER = `
const { createHash } = require('node:crypto');
const { createReadStream } = require('node:fs');
const { parentPort } = require('node:worker_threads');
parentPort.on('message', async (path) => {
  const hash = createHash('sha256');
  try {
    // Bytes arrive without their class.
    const location = typeof path === 'string' ? path : Buffer.from(path);
    for await (const chunk of createReadStream(location, { highWaterMark: 1 << 20 })) hash.update(chunk);
    parentPort.postMessage({ sha256: hash.digest('hex') });
  } catch (error) {
    parentPort.postMessage({ problem: error.code ?? error.message });
  }
});
`;

interface Task {
  readonly path: string | Buffer;
  readonly resolve: (sha256: string) => void;
  readonly reject: (reason: Error) => void;
}

/** Hashes files in worker threads: one for each core up to four, started when they are needed. */
export class HashPool {
  private readonly waiting: Task[] = [];
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Task>();

  constructor(private readonly most = Math.min(MOST_WORKERS, availableParallelism())) {}

  /** SHA-256 of a file in hex. Rejects with `FileProblem` when it cannot be read. */
  sha256(path: string | Buffer, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.waiting.push({ path, resolve, reject });
      this.next();
    });
  }

  /** Ends the threads. What they were doing, and what waited, is rejected. */
  async close(): Promise<void> {
    const closed = new Error('hashing was stopped');
    for (const task of [...this.waiting.splice(0), ...this.busy.values()]) task.reject(closed);
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    this.busy.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private next(): void {
    if (this.waiting.length === 0) return;
    const worker = this.idle.pop() ?? (this.busy.size < this.most ? this.start() : null);
    if (worker === null) return;
    const task = this.waiting.shift() as Task;
    this.busy.set(worker, task);
    worker.postMessage(task.path);
  }

  private start(): Worker {
    const worker = new Worker(WORKER, { eval: true });
    worker.on('message', (answer: { sha256: string } | { problem: string }) => {
      const task = this.busy.get(worker);
      this.busy.delete(worker);
      this.idle.push(worker);
      if ('sha256' in answer) task?.resolve(answer.sha256);
      else task?.reject(unreadable(answer.problem));
      this.next();
    });
    worker.on('error', (error) => {
      this.busy.get(worker)?.reject(error);
      this.busy.delete(worker);
      this.next();
    });
    return worker;
  }
}

/** `EACCES` and the like, or what else is known. */
export function problemOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

/** Returns the problem of a file, without the parts of a file system's error that are of no use to a person. */
export function unreadable(problem: string): FileProblem {
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'The file does not exist.',
    EACCES: 'This user may not read the file.',
    EPERM: 'This user may not read the file.',
    EISDIR: 'It is a folder.',
    EIO: 'The disk could not read the file.',
  };
  return new FileProblem('unreadable', known[problem] ?? `The file cannot be read: ${problem}`);
}
