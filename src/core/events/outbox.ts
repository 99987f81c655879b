import type { Id } from '../shared/ids.js';
import type { ChangeType } from './event.js';

/** Events of the bound customer, written with the change: both are committed, or neither. */
export interface Outbox {
  /**
   * One event per subject, to be delivered to every enabled endpoint that subscribes to the type. If there is none, nothing is stored. An
   * endpoint that is concurrently removed or created may or may not be included; the change itself succeeds.
   */
  add(type: ChangeType, subjectIds: readonly Id[], at: Date): Promise<void>;
  /** Whether `add` would store something: for callers that would have to read the subjects first. */
  wants(type: ChangeType): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Repositories {
    readonly outbox: Outbox;
  }
}
