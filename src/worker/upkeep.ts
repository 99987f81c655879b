import { sweepAudit } from '../core/audit/audit-log.js';
import { forgetBulkEdits } from '../core/bulk-edits/manage-bulk-edits.js';
import { finishErasing } from '../core/customers/erase-customer.js';
import { resealSecrets, type SealedRows } from '../core/customers/reseal.js';
import { sweepIdempotencyKeys } from '../core/idempotency/claim-key.js';
import { expireImports, forgetImports, removeAbandonedUploads } from '../core/imports/expire.js';
import { pollDirectUploads } from '../core/imports/receive/direct.js';
import { type Collected, collectGarbage, GRACE_SECONDS } from '../core/integrity/collect-garbage.js';
import { type Scrubbing, type ScrubUses, scrubOriginals } from '../core/integrity/scrub.js';
import { purgeTrash } from '../core/photos/trash.js';
import type { Ports } from '../core/ports.js';
import { DAY, HOUR, MINUTE, SECOND } from '../core/shared/clock.js';
import { countStorage, sweepTraffic } from '../core/traffic/read-traffic.js';
import { sweepSessions } from '../core/users/session.js';
import { removeAbandonedListeners } from '../core/webhooks/listen.js';
import { sweepDeliveries } from '../core/webhooks/send.js';
import type { PeriodicTask } from './periodic.js';
import { pause } from './worker.js';

/**
 * The periodic tasks: what each is called, how often it runs in seconds, and what it runs. How each finds its work: docs/decisions/0002.
 * @param sealed Values that are stored sealed, to be sealed anew.
 * @param onCollected Called with the unowned blobs that were removed. Must not throw.
 */
export function upkeep(
  ports: Ports,
  sealed: readonly SealedRows<Ports>[],
  onCollected: (collected: Collected) => void = () => undefined,
): readonly PeriodicTask[] {
  const collect = async (stopping: AbortSignal) =>
    onCollected(await collectGarbage(ports, { graceSeconds: GRACE_SECONDS }, stopping));
  // The service is not notified of bytes that clients send directly to the store: imports are polled often while they are used, then less
  // and less.
  const poll = (usedWithin: number) => (stopping: AbortSignal) => pollDirectUploads(ports, usedWithin, stopping);
  const [minute, hour] = [60, 3600];
  const tasks: readonly (readonly [name: string, everySeconds: number, run: PeriodicTask['run']])[] = [
    ['remove abandoned uploads', minute, (stopping) => removeAbandonedUploads(ports, stopping)],
    ['forget idle rate limits', 5 * minute, () => ports.rateWindows.sweep()],
    ['purge the trash', 10 * minute, (stopping) => purgeTrash(ports, stopping)],
    ['expire idle imports', 10 * minute, (stopping) => expireImports(ports, stopping)],
    [
      'remove webhook endpoints of ended programs',
      10 * minute,
      (stopping) => removeAbandonedListeners(ports, stopping),
    ],
    ['forget old imports', hour, (stopping) => forgetImports(ports, stopping)],
    ['forget old bulk edits', hour, (stopping) => forgetBulkEdits(ports, stopping)],
    ['finish erasing customers', hour, (stopping) => finishErasing(ports, stopping)],
    ['forget old idempotency keys', hour, () => sweepIdempotencyKeys(ports)],
    ['forget old sessions', hour, () => sweepSessions(ports)],
    ['forget old counts of requests', hour, () => sweepTraffic(ports)],
    ['count stored bytes by day', hour, () => countStorage(ports)],
    ['forget old webhook deliveries', hour, () => sweepDeliveries(ports)],
    ['reseal secrets', hour, (stopping) => resealSecrets(ports, sealed, stopping)],
    ['collect garbage', 12 * hour, collect],
    ['forget old entries of the audit log', 24 * hour, () => sweepAudit(ports)],
    ...(ports.directUploads === null
      ? []
      : ([
          ['notice uploads of imports in use', 15, poll(10 * MINUTE)],
          ['notice uploads of imports used lately', minute, poll(HOUR)],
          ['notice uploads of idle imports', 5 * minute, poll(30 * DAY)],
        ] as const)),
  ];
  return tasks.map(([name, everySeconds, run]) => ({ name, everySeconds, run }));
}

/** While it verifies originals it reads no more than this, so that the disk is left to requests. */
const SCRUBBED_BYTES_PER_SECOND = 20_000_000;

/** Reads every original once in so many days. @param onChecked As in `Scrubbing`. */
export function scrubTask(uses: ScrubUses, days: number, onChecked: Scrubbing['onChecked']): PeriodicTask {
  const rest: Scrubbing['rest'] = (bytes, stopping) =>
    pause((bytes / SCRUBBED_BYTES_PER_SECOND) * SECOND, stopping, { idle: true });
  return {
    name: 'verify originals',
    everySeconds: 600,
    run: (stopping) => scrubOriginals(uses, { days, onChecked, rest }, stopping),
  };
}
