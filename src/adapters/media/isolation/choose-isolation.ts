import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { DecoderPriority, MediaIsolation, WantedIsolation } from '../../../core/media/media-reader.js';
import { DomainError } from '../../../core/shared/errors.js';
import { isOf, processesOf, processIds } from '../process-usage.js';
import { type Isolation, nodeArguments, type Owner, resourceLimits } from './isolation.js';
import { sandbox } from './sandbox.js';

export interface ChosenIsolation extends MediaIsolation {
  readonly isolation: Isolation;
}

/**
 * The best level that works, or the requested one. Tried, not deduced: it depends on the kernel, containers and security modules.
 * @param start Starts a process at a level; returns null, or why it does not run. Errors: `service_unavailable` when none works, with the
 * reasons.
 */
export async function chooseIsolation(
  wanted: WantedIsolation,
  priority: DecoderPriority,
  start: (isolation: Isolation) => Promise<string | null>,
): Promise<ChosenIsolation> {
  const refused: MediaIsolation['refused'][number][] = [];
  for (const candidate of candidates().filter(({ level }) => wanted === 'auto' || level === wanted)) {
    const isolation = withPriority(candidate, priority);
    const reason = await start(isolation);
    if (reason === null) return { level: isolation.level, isolation, refused };
    refused.push({ level: isolation.level, reason: sentence(reason) });
  }
  const reasons = [...new Set(refused.map(({ level, reason }) => `${level}: ${reason}`))].join(' ');
  const unsupported = 'sandbox needs Linux on x64 or arm64, user needs Linux and root.';
  const message = `No media process can be started with MEDIA_ISOLATION=${wanted}. ${reasons || unsupported}`;
  throw new DomainError('service_unavailable', message);
}

/** A reason without what the runtime prints when a program cannot even be loaded: the place in its own sources, and the stack. */
function sentence(reason: string): string {
  const [first = '', ...others] = reason.split('\n');
  const error = others.find((line) => /^[A-Z][A-Za-z]*: /.test(line));
  const text = error === undefined ? first : `${first.split(': ', 1)[0]}: ${error}`;
  return text.endsWith('.') ? text : `${text}.`;
}

function candidates(): readonly Isolation[] {
  const { platform, arch } = process;
  const isLinux = platform === 'linux';
  return [
    ...(isLinux && (arch === 'x64' || arch === 'arm64') ? [sandbox(arch)] : []),
    ...(isLinux && process.geteuid?.() === 0 ? [otherAccount()] : []),
    ...(isLinux ? [ownAccount(true)] : []),
    ownAccount(false),
  ];
}

/** An ordinary process of this account, with the kernel's limits where prlimit(1) can set them. */
function ownAccount(hasPrlimit: boolean): Isolation {
  return {
    level: 'process',
    nextOwner: () => null,
    launch(program, _folder, _owner, limits) {
      const [node = '', ...args] = nodeArguments(program, process.pid);
      if (!hasPrlimit) return { command: node, args, reportsChildPid: false };
      return { command: 'prlimit', args: [...resourceLimits(limits), node, ...args], reportsChildPid: false };
    },
  };
}

/** Above the ids that systems give to their own accounts and to people, below those reserved for others, and mapped in every container. */
const [FIRST_ID, LAST_ID] = [64_200, 65_500] as const;
/** Threads count as processes; one of ours has about fifteen. */
const MAX_PROCESSES = 64;
/** The number of times that all processes of an account are ended; more than once only where they end the process that would end them. */
const MAX_TRIES = 20;

/**
 * For root: user ids that no one else has and that own nothing, without groups, capabilities or ways to gain privileges (setpriv(1)). Each
 * process has its own, or it could read and kill the others. They have no names: no account is created.
 */
function otherAccount(): Isolation {
  const unnamed = unnamedIds();
  // Another installation on this machine starts elsewhere.
  let at = Math.floor(Math.random() * unnamed.length);
  return {
    level: 'user',
    nextOwner: () => {
      for (const _ of unnamed) {
        at = (at + 1) % unnamed.length;
        const id = unnamed[at] ?? FIRST_ID;
        if (processesOf(id).length === 0) return { uid: id, gid: id };
      }
      throw new Error('processes run under every user id that media processes may have');
    },
    launch: (program, _, owner, limits) => ({
      command: 'setpriv',
      args: [
        ...asOwner(owner),
        ...['prlimit', ...resourceLimits(limits), `--nproc=${MAX_PROCESSES}`],
        ...nodeArguments(program, process.pid),
      ],
      reportsChildPid: false,
      othersOf: others(owner),
      endOthers: () => endAll(owner),
    }),
  };
}

/** Looks at each process of the machine once, when it is new. */
function others(owner: Owner | null): (pid: number) => boolean {
  let known = new Set<number>();
  return (pid) => {
    const running = processIds();
    const own = running.filter((each) => !known.has(each) && each !== pid && isOf(each, owner?.uid ?? -1));
    known = new Set(running);
    return own.length > 0;
  };
}

/** By one kill(2) of all processes of the account: none of them can start another before it ends. */
async function endAll(owner: Owner | null): Promise<void> {
  for (let tries = 0; owner !== null && tries < MAX_TRIES && processesOf(owner.uid).length > 0; tries += 1) {
    const child = spawn('setpriv', [...asOwner(owner), 'sh', '-c', 'kill -KILL -1'], { stdio: 'ignore' });
    await once(child, 'close').catch(() => undefined);
  }
}

function asOwner(owner: Owner | null): readonly string[] {
  const ids = [`--reuid=${owner?.uid}`, `--regid=${owner?.gid}`];
  return [...ids, '--clear-groups', '--no-new-privs', '--bounding-set=-all'];
}

function unnamedIds(): readonly number[] {
  const lines = ['/etc/passwd', '/etc/group'].flatMap((file) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [],
  );
  const named = new Set(lines.map((line) => Number(line.split(':')[2])));
  return Array.from({ length: LAST_ID - FIRST_ID }, (_, at) => FIRST_ID + at).filter((id) => !named.has(id));
}

/**
 * Gives requests priority over pictures. `idle` (SCHED_IDLE, sched(7)): a decoder gets the processor time that nothing else of its control
 * group wants, and gives it up as soon as something does. `low` (nice 10): about a tenth of a busy processor, but what answers a request may
 * have to wait until a decoder's slice of time is over. The priority is given before the process has threads, which inherit it.
 */
function withPriority(isolation: Isolation, priority: DecoderPriority): Isolation {
  const [command, ...first] = priority === 'idle' && idleWorks() ? ['chrt', '--idle', '0'] : ['nice', '-n', '10'];
  return {
    ...isolation,
    launch(...of) {
      const launch = isolation.launch(...of);
      return { ...launch, command, args: [...first, launch.command, ...launch.args] };
    },
  };
}

/** Whether there is chrt(1), of util-linux, and the system allows it: not everywhere in containers, nor outside Linux. */
function idleWorks(): boolean {
  return spawnSync('chrt', ['--idle', '0', 'true'], { stdio: 'ignore' }).status === 0;
}
