import { spawnSync } from 'node:child_process';
import type { DecoderPriority } from '../../../core/media/media-reader.js';
import type { Isolation } from './isolation.js';

/**
 * Gives requests priority over pictures. `idle` (SCHED_IDLE, sched(7)): a decoder gets the processor time that nothing else of its control
 * group wants, and gives it up as soon as something does. `low` (nice 10): about a tenth of a busy processor, but what answers a request may
 * have to wait until a decoder's slice of time is over. The priority is given before the process has threads, which inherit it.
 */
export function withPriority(isolation: Isolation, priority: DecoderPriority): Isolation {
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
