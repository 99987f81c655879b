import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/support/processes.js';
import { program } from './programs.js';

/** One call to the kernel that succeeded: the moments are places in the trace, which has one order for all threads. */
export interface SystemCall {
  readonly name: string;
  /** As strace prints the arguments: file descriptors with their paths, texts cut to 200 bytes. */
  readonly text: string;
  readonly began: number;
  readonly ended: number;
}

const WATCHED = 'openat,write,pwrite64,writev,fsync,fdatasync,rename,renameat2,link,linkat,unlink';

/** Looks over the shoulder of a running process and all its threads. */
export class Trace {
  private constructor(
    private readonly strace: ChildProcess,
    private readonly folder: string,
  ) {}

  static async of(pid: number): Promise<Trace> {
    const folder = mkdtempSync(join(tmpdir(), 'phs-trace-'));
    const args = ['-f', '-y', '-s', '200', '-e', `trace=${WATCHED}`, '-o', join(folder, 'trace'), '-p', String(pid)];
    const strace = spawn(program('strace', 'strace'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    strace.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
    });
    await until('strace to be attached', () => {
      if (strace.exitCode !== null) throw new Error(`strace ended: ${said}`);
      return said.includes('attached') && isTraced(pid);
    });
    return new Trace(strace, folder);
  }

  /** Lets the process go. What it called successfully meanwhile, in the order of their ends. */
  async end(): Promise<readonly SystemCall[]> {
    const ended = new Promise((resolve) => this.strace.once('exit', resolve));
    this.strace.kill('SIGINT');
    await ended;
    const lines = readFileSync(join(this.folder, 'trace'), 'utf8').split('\n');
    rmSync(this.folder, { recursive: true });
    return callsIn(lines);
  }
}

/** strace attaches to one thread after the other: calls of those that wait would be missing. */
function isTraced(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).every((thread) =>
      /^TracerPid:\t[1-9]/m.test(readFileSync(`${tasks}/${thread}/status`, 'utf8')),
    );
  } catch (error) {
    // A thread may end while they are read.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/;
const BEGUN = /^(\d+) +(\w+)\((.*?) *<unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/;

/** strace splits a call in two lines where another thread's came between. */
function callsIn(lines: readonly string[]): readonly SystemCall[] {
  const open = new Map<string, { text: string; began: number }>();
  const calls: SystemCall[] = [];
  for (const [at, line] of lines.entries()) {
    const begun = BEGUN.exec(line);
    if (begun) {
      const [, thread = '', , text = ''] = begun;
      open.set(thread, { text, began: at });
      continue;
    }
    const [, thread = '', name = '', rest = '', result = '-1'] = RESUMED.exec(line) ?? WHOLE.exec(line) ?? [];
    const earlier = RESUMED.test(line) ? open.get(thread) : undefined;
    open.delete(thread);
    if (Number(result) < 0) continue;
    calls.push({ name, text: (earlier?.text ?? '') + rest, began: earlier?.began ?? at, ended: at });
  }
  return calls;
}
