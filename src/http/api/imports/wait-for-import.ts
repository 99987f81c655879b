import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../../../core/access/caller.js';
import { hasEnded } from '../../../core/imports/import.js';
import { type ImportDetails, readImport } from '../../../core/imports/read.js';
import type { Uses } from '../../../core/ports.js';
import { SECOND } from '../../../core/shared/clock.js';

const LONGEST_SECONDS = 15;
const LOOK_EVERY_MS = 200;

/** The seconds of `Prefer: wait=N` (RFC 7240 §4.3), 0 without it; at most 15. */
export function preferredWait(prefer: string | undefined): number {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?([0-9]{1,6})/i.exec(prefer ?? '')?.[1];
  return Math.min(LONGEST_SECONDS, Number(seconds ?? 0));
}

/** The import once it has ended, or as it is when the time is up or the process stops. */
export async function waitForImport(
  { store }: Uses<'store'>,
  caller: Caller,
  subject: ImportDetails,
  seconds: number,
  stopping: AbortSignal,
): Promise<ImportDetails> {
  const end = performance.now() + seconds * SECOND;
  let current = subject;
  while (!hasEnded(current) && performance.now() < end && !stopping.aborted) {
    await delay(LOOK_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
    current = await readImport({ store }, caller, subject.id);
  }
  return current;
}
