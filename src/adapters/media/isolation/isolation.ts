import type { IsolationLevel } from '../../../core/media/isolation.js';

/** What decoding processes need to read, beside their picture. */
export interface ProgramFiles {
  readonly script: string;
  /** Folders and files of the program and its packages. */
  readonly paths: readonly string[];
}

/** How a process is started at one level. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** A program that the command reads from its descriptor 4, if it does. */
  readonly filter?: Buffer;
  /** The command stays, starts a process that is the parent of ours, and writes JSON with the `child-pid` of that to its descriptor 5. */
  readonly reportsChildPid: boolean;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** One level, as it works on this machine. */
export interface Isolation {
  readonly level: IsolationLevel;
  /** Who must own the files of the next process; null: nobody else than who makes them. */
  nextOwner(): Owner | null;
  /** @param folder The process's own: it starts in it, and finds its pictures there by their names alone. */
  launch(program: ProgramFiles, folder: string, owner: Owner | null): Launch;
}

/** What Node is started with. The script's argument is the process id of its parent as it sees it. */
export function nodeArguments({ script }: ProgramFiles, parent: number): readonly string[] {
  return [process.execPath, '--max-old-space-size=512', script, String(parent)];
}

/** The environment of every process: of the service's own, which may hold secrets, nothing. */
export const childEnvironment: Readonly<Record<string, string>> = {
  TZ: 'UTC',
  // Its folder, in which it starts.
  TMPDIR: '.',
  VIPS_CONCURRENCY: '1',
  VIPS_BLOCK_UNTRUSTED: '1',
};

const GIB = 1024 ** 3;

/**
 * Bounds of the kernel on each process (setrlimit(2)), for prlimit(1). WebAssembly reserves address space far beyond the memory that it
 * uses; what is used is watched by the parent.
 */
export const resourceLimits: readonly string[] = [
  `--as=${256 * GIB}`,
  '--core=0',
  '--nofile=256',
  // A HEIC of 210 megapixels is 840 MB unpacked.
  `--fsize=${4 * GIB}`,
];
