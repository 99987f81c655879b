import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IsolationLevel } from '../../../core/media/media-reader.js';

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

/** The folder of a process's temporary files, in its own. */
export const TEMPORARY = 'tmp';

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

/** Also read by the build, which compiles the script for a Node with these. */
export const nodeFlags = ['--max-old-space-size=512'];

/** Arguments of Node. The script's argument is the process id of its parent as it sees it. */
export function nodeArguments({ script }: ProgramFiles, parent: number): readonly string[] {
  return [process.execPath, ...nodeFlags, script, String(parent)];
}

/** The environment of every process: nothing from the service's own, which may contain secrets. */
export const childEnvironment: Readonly<Record<string, string>> = {
  TZ: 'UTC',
  // Below its working directory (scratch.ts).
  TMPDIR: TEMPORARY,
  VIPS_CONCURRENCY: '1',
  VIPS_BLOCK_UNTRUSTED: '1',
};

const GIB = 1024 ** 3;

/**
 * Kernel limits of each process (setrlimit(2)), for prlimit(1). WebAssembly reserves far more address space than the memory that it uses, and
 * decoders reserve up to 0.7 GB that they do not use, which counts as data; the parent monitors actual usage.
 */
export const resourceLimits = ({ maxMemoryBytes, maxTemporaryBytes }: ProcessLimits): readonly string[] => [
  `--as=${256 * GIB}`,
  `--data=${maxMemoryBytes + GIB}`,
  '--core=0',
  '--nofile=256',
  `--fsize=${maxTemporaryBytes}`,
];

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
