import { type Isolation, nodeArguments, resourceLimits } from './isolation.js';

/** An ordinary process of this account, with the kernel's limits where prlimit(1) can set them. */
export function ownAccount(hasPrlimit: boolean): Isolation {
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
