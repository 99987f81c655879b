import { AsyncLocalStorage } from 'node:async_hooks';
import type { Id } from '../shared/ids.js';

/** Who changes something. */
export interface Actor {
  /** Somebody who is signed in; whoever may run `phs`; or the service by itself. */
  readonly kind: 'person' | 'command_line' | 'service';
  /** Of the user; null where it is nobody's. */
  readonly id: Id | null;
  /** The address of the user at that time; null of one who has none yet, and of all others. */
  readonly name: string | null;
  /** Where the request came from; null where there was none. */
  readonly address: string | null;
}

export const commandLine: Actor = { kind: 'command_line', id: null, name: null, address: null };
export const service: Actor = { kind: 'service', id: null, name: null, address: null };

const acting = new AsyncLocalStorage<() => Actor>();

/**
 * Does some work in somebody's name, and all that comes of it however late. So no use case has to be told who asks only to hand it on,
 * and none can forget it. `who` is asked at each change: of a request it is known only on its way.
 */
export function actAs<T>(who: () => Actor, work: () => T): T {
  return acting.run(who, work);
}

/** Where nobody else was named it is the command line. */
export function whoActs(): Actor {
  return acting.getStore()?.() ?? commandLine;
}
