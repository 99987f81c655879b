import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  DecoderPriority,
  IsolationLevel,
  MediaIsolation,
  WantedIsolation,
} from '../../../core/media/media-reader.js';
import { DomainError } from '../../../core/shared/errors.js';
import { isOf, processesOf, processIds } from '../../process-usage.js';
import { NEW_SPACE_MIB } from '../media-channel.js';
import { type FilteredArchitecture, seccompFilter } from './seccomp-filter.js';

/** The files that decoding processes need to read, apart from their picture. */
export interface ProgramFiles {
  readonly script: string;
  /** Folders and files of the program and its packages. */
  readonly paths: readonly string[];
}

/** For a process from its start to its end. Bytes. */
export interface ProcessLimits {
  readonly maxMemoryBytes: number;
  /** Bytes of all its temporary files. */
  readonly maxTemporaryBytes: number;
}

/** The command that starts a process at one level. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** A program that the command reads from its descriptor 4, if it does. */
  readonly filter?: Buffer;
  /** The command keeps running, starts a process that is the parent of ours, and writes JSON with its `child-pid` to descriptor 5. */
  readonly reportsChildPid: boolean;
  /** Where its temporary files are, as it sees it, if that is a file system of its own that the kernel keeps to its size. */
  readonly temporaryFileSystem?: string;
  /** Whether there are processes of its account beside it, as far as known. Absent where it cannot be told, or there can be none. */
  othersOf?(pid: number): boolean;
  /**
   * Ends what the process has started and left, once it has ended itself. Absent where nothing can be left, and where it cannot be told
   * from other processes of this account.
   */
  endOthers?(): Promise<void>;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** One level, as it works on this machine. */
export interface Isolation {
  readonly level: IsolationLevel;
  /** The account of the next process, which no other process has; null: this account. */
  nextOwner(): Owner | null;
  /** @param folder The process's own: its working directory, where it finds its pictures by name. */
  launch(program: ProgramFiles, folder: string, owner: Owner | null, limits: ProcessLimits): Launch;
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
): Promise<MediaIsolation & { readonly isolation: Isolation }> {
  const { platform, arch } = process;
  const isLinux = platform === 'linux';
  const candidates: readonly Isolation[] = [
    ...(isLinux && (arch === 'x64' || arch === 'arm64') ? [sandbox(arch)] : []),
    ...(isLinux && process.geteuid?.() === 0 ? [otherAccount()] : []),
    ...(isLinux ? [ownAccount(true)] : []),
    ownAccount(false),
  ];
  const refused: MediaIsolation['refused'][number][] = [];
  for (const candidate of candidates.filter(({ level }) => wanted === 'auto' || level === wanted)) {
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

/**
 * Gives requests priority over pictures. `idle` (SCHED_IDLE, sched(7)): a decoder gets the processor time that nothing else of its control
 * group wants, and gives it up as soon as something does. `low` (nice 10): about a tenth of a busy processor, but what answers a request may
 * have to wait until a decoder's slice of time is over. The priority is given before the process has threads, which inherit it.
 */
function withPriority(isolation: Isolation, priority: DecoderPriority): Isolation {
  // There need not be a chrt(1), of util-linux, and in containers the system may not allow it.
  const [command, ...first] =
    priority === 'idle' && spawnSync('chrt', ['--idle', '0', 'true'], { stdio: 'ignore' }).status === 0
      ? ['chrt', '--idle', '0']
      : ['nice', '-n', '10'];
  return {
    ...isolation,
    launch(...of) {
      const launch = isolation.launch(...of);
      return { ...launch, command, args: [...first, launch.command, ...launch.args] };
    },
  };
}

/** Where libraries of the runtime are on Linux; missing ones are ignored. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/etc/ld.so.cache', '/nix/store'];

/** All of /dev that there is inside: no terminal among it. */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom', '/dev/zero'];

/** The folder of the process, inside. */
const INSIDE = '/picture';
/**
 * bubblewrap's own process, the parent of ours. The kernel does not deliver most signals to the first process of a namespace, so ours is
 * not that.
 */
const FIRST_INSIDE = 1;
/** An identity that owns nothing: files keep theirs outside. */
const NOBODY = '65534';

/**
 * bubblewrap (`bwrap`): separate namespaces for files, processes, network, users and the rest, all capabilities dropped, no new privileges,
 * and a system call filter. The process ends with its parent.
 *
 * Not `--new-session`: where the kernel schedules sessions against each other (CONFIG_SCHED_AUTOGROUP), each decoder would get as much of the
 * processors as the whole service, whatever its priority. That option protects the terminal; here there is no device to reach it by, no
 * descriptor of it, and the filter refuses to type into one.
 */
function sandbox(architecture: FilteredArchitecture): Isolation {
  const filter = seccompFilter(architecture);
  // bubblewrap limits the size of file systems in memory from version 0.7 on.
  const hasSizes = spawnSync('bwrap', ['--help'], { encoding: 'utf8' }).stdout?.includes('--size ') ?? false;
  return {
    level: 'sandbox',
    nextOwner: () => null,
    launch(program, folder, _, limits): Launch {
      const temporary = join(INSIDE, TEMPORARY);
      const args = [
        ...resourceLimits(limits),
        'bwrap',
        '--unshare-all',
        '--die-with-parent',
        ...['--cap-drop', 'ALL', '--uid', NOBODY, '--gid', NOBODY, '--hostname', 'decoder'],
        '--clearenv',
        ...Object.entries(childEnvironment).flatMap(([name, value]) => ['--setenv', name, value]),
        ...LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path]),
        ...[process.execPath, ...program.paths].flatMap((path) => ['--ro-bind', path, path]),
        ...DEVICES.flatMap((path) => ['--dev-bind', path, path]),
        ...['--ro-bind', folder, INSIDE],
        ...(hasSizes
          ? ['--size', String(limits.maxTemporaryBytes), '--tmpfs', temporary]
          : ['--bind', join(folder, TEMPORARY), temporary]),
        ...['--remount-ro', '/', '--chdir', INSIDE],
        ...['--seccomp', '4', '--info-fd', '5'],
        ...['--', ...nodeArguments(program, FIRST_INSIDE)],
      ];
      const launch = { command: 'prlimit', args, filter, reportsChildPid: true };
      return hasSizes ? { ...launch, temporaryFileSystem: temporary } : launch;
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
  const lines = ['/etc/passwd', '/etc/group'].flatMap((file) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [],
  );
  const named = new Set(lines.map((line) => Number(line.split(':')[2])));
  const unnamed = Array.from({ length: LAST_ID - FIRST_ID }, (_, at) => FIRST_ID + at).filter((id) => !named.has(id));
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
      // By one kill(2) of all processes of the account: none of them can start another before it ends.
      async endOthers() {
        for (let tries = 0; owner !== null && tries < MAX_TRIES && processesOf(owner.uid).length > 0; tries += 1) {
          const child = spawn('setpriv', [...asOwner(owner), 'sh', '-c', 'kill -KILL -1'], { stdio: 'ignore' });
          await once(child, 'close').catch(() => undefined);
        }
      },
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

function asOwner(owner: Owner | null): readonly string[] {
  const ids = [`--reuid=${owner?.uid}`, `--regid=${owner?.gid}`];
  return [...ids, '--clear-groups', '--no-new-privs', '--bounding-set=-all'];
}

/** An ordinary process of this account, with the kernel's limits where prlimit(1) can set them. */
function ownAccount(hasPrlimit: boolean): Isolation {
  return {
    level: 'process',
    nextOwner: () => null,
    launch(program, _folder, _owner, limits) {
      const limiting = hasPrlimit ? ['prlimit', ...resourceLimits(limits)] : [];
      const [command = '', ...args] = [...limiting, ...nodeArguments(program, process.pid)];
      return { command, args, reportsChildPid: false };
    },
  };
}

/**
 * Returns the files that the script of a decoding process loads: the given files, the files that tell Node how to load them, and every `node_modules`
 * that Node searches from there.
 */
export function programFiles(script: string, files: readonly string[]): ProgramFiles {
  const paths = [...files];
  for (let folder = dirname(script), parent = dirname(folder); ; folder = parent, parent = dirname(folder)) {
    paths.push(join(folder, 'package.json'), join(folder, 'node_modules'));
    if (parent === folder) break;
  }
  return { script, paths: paths.filter((path) => existsSync(path)) };
}

export const nodeFlags = ['--max-old-space-size=512', `--max-semi-space-size=${NEW_SPACE_MIB}`];

/** Arguments of Node. The script's argument is the process id of its parent as it sees it. */
function nodeArguments({ script }: ProgramFiles, parent: number): readonly string[] {
  return [process.execPath, ...nodeFlags, script, String(parent)];
}

/** The folder of a process's temporary files, in its own. */
export const TEMPORARY = 'tmp';

/** The environment of every process: nothing from the service's own, which may contain secrets. */
export const childEnvironment: Readonly<Record<string, string>> = {
  TZ: 'UTC',
  // Below its working directory (scratch.ts).
  TMPDIR: TEMPORARY,
  VIPS_CONCURRENCY: '1',
  // One picture at a time is one call at a time: another thread, or heap of glibc, would be memory that none of them gives back.
  UV_THREADPOOL_SIZE: '1',
  MALLOC_ARENA_MAX: '1',
  VIPS_BLOCK_UNTRUSTED: '1',
};

const GIB = 1024 ** 3;

/**
 * Kernel limits of each process (setrlimit(2)), for prlimit(1). WebAssembly reserves far more address space than the memory that it uses, and
 * decoders reserve up to 0.7 GB that they do not use, which counts as data; the parent monitors actual usage (`#requireLimits`, processes/media-process.ts).
 */
const resourceLimits = ({ maxMemoryBytes, maxTemporaryBytes }: ProcessLimits): readonly string[] => [
  `--as=${256 * GIB}`,
  `--data=${maxMemoryBytes + GIB}`,
  '--core=0',
  '--nofile=256',
  `--fsize=${maxTemporaryBytes}`,
];
