import type { JobWork } from '../../../core/jobs/job.js';
import type { Id } from '../../../core/shared/ids.js';
import { document, generatedKey, key, optionalText, tableOf, text, whole, yesOrNo } from '../database/columns.js';

export interface JobRow {
  readonly customerId: Id;
  readonly id: Id;
  /** `jobKey` of the work. */
  readonly key: string;
  readonly work: JobWork;
  readonly attempt: number;
  readonly failures: number;
  readonly outages: number;
  readonly traceContext: string | null;
  /** When it can be claimed; while a run holds it, when its lease expires. */
  readonly dueAt: Date;
  readonly lease: string | null;
  /** The same work was added during this run. */
  readonly again: boolean;
  /** Why the last run failed. */
  readonly reason: string | null;
  readonly deadAt: Date | null;
  readonly createdAt: Date;
}

/** The database's clock, in microseconds. */
const moment = { type: 'timestamptz' } as const;

export const jobTable = tableOf<JobRow>('job', 'jobs', {
  customerId: key,
  id: generatedKey,
  key: text,
  work: document,
  attempt: whole,
  failures: whole,
  outages: whole,
  traceContext: optionalText,
  dueAt: moment,
  lease: optionalText,
  again: yesOrNo,
  reason: optionalText,
  deadAt: { ...moment, nullable: true },
  createdAt: moment,
});
