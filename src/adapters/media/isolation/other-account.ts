import { existsSync, readFileSync } from 'node:fs';
import { type Isolation, nodeArguments, resourceLimits } from './isolation.js';

/** Above the ids that systems give to their own accounts and to people, below those reserved for others, and mapped in every container. */
const [FIRST_ID, LAST_ID] = [64_200, 65_500] as const;
/** Threads count as processes; one of ours has about fifteen. */
const MAX_PROCESSES = 64;

/**
 * For root: user ids that nobody else has and that own nothing, without groups, capabilities or ways to gain privileges (setpriv(1)). Each
 * process has its own, or it could read and kill the others. They have no names: no account is created.
 */
export function otherAccount(): Isolation {
  const free = freeIds();
  // Another installation on this machine starts elsewhere.
  let next = Math.floor(Math.random() * free.length);
  return {
    level: 'user',
    nextOwner: () => {
      next = (next + 1) % free.length;
      const id = free[next] ?? FIRST_ID;
      return { uid: id, gid: id };
    },
    launch: (program, _, owner) => ({
      command: 'setpriv',
      args: [
        ...[
          `--reuid=${owner?.uid}`,
          `--regid=${owner?.gid}`,
          '--clear-groups',
          '--no-new-privs',
          '--bounding-set=-all',
        ],
        ...['prlimit', ...resourceLimits, `--nproc=${MAX_PROCESSES}`],
        ...nodeArguments(program, process.pid),
      ],
      reportsChildPid: false,
    }),
  };
}

function freeIds(): readonly number[] {
  const lines = ['/etc/passwd', '/etc/group'].flatMap((file) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [],
  );
  const taken = new Set(lines.map((line) => Number(line.split(':')[2])));
  return Array.from({ length: LAST_ID - FIRST_ID }, (_, at) => FIRST_ID + at).filter((id) => !taken.has(id));
}
