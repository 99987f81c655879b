import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  childEnvironment,
  type Isolation,
  type Launch,
  nodeArguments,
  resourceLimits,
  TEMPORARY,
} from './isolation.js';
import { type FilteredArchitecture, seccompFilter } from './seccomp-filter.js';

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
export function sandbox(architecture: FilteredArchitecture): Isolation {
  const filter = seccompFilter(architecture);
  const hasSizes = knowsSizes();
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

/** Whether bubblewrap limits the size of file systems in memory, which it does from version 0.7 on. */
function knowsSizes(): boolean {
  return spawnSync('bwrap', ['--help'], { encoding: 'utf8' }).stdout?.includes('--size ') ?? false;
}
