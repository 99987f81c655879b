import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { isOf, processesOf, processIds } from '../process-status.js';
import { type Isolation, nodeArguments, type Owner, resourceLimits } from './isolation.js';

/** Above the ids that systems give to their own accounts and to people, below those reserved for others, and mapped in every container. */
const [FIRST_ID, LAST_ID] = [64_200, 65_500] as const;
/** Threads count as processes; one of ours has about fifteen. */
const MAX_PROCESSES = 64;
/** How often all processes of an account are ended; more than once only where they end the process that would end them. */
const MAX_TRIES = 20;

/**
 * For root: user ids that nobody else has and that own nothing, without groups, capabilities or ways to gain privileges (setpriv(1)). Each
 * process has its own, or it could read and kill the others. They have no names: no account is created.
 */
export function otherAccount(): Isolation {
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
