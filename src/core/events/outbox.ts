import type { Id } from '../shared/ids.js';
import type { ChangeType } from './event.js';

/** What happened to the bound customer's things, written with the change: both are there, or neither. */
export interface Outbox {
  /**
   * One event for each subject, to be delivered to every enabled endpoint that wants the type. Where there is none, nothing is
   * stored. An endpoint that is removed or made at the same moment may be left out or not; the change itself goes through.
   */
  add(type: ChangeType, subjectIds: readonly Id[], at: Date): Promise<void>;
  /** Whether `add` would store something: who would first have to look for the subjects asks. */
  wants(type: ChangeType): Promise<boolean>;
}
