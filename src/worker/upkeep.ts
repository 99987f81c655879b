import { sweepAudit } from '../core/audit/audit-log.js';
import { forgetBulkEdits } from '../core/bulk-edits/start-bulk-edit.js';
import { finishErasing } from '../core/customers/erase-customer.js';
import { resealDeliverySecrets } from '../core/delivery/delivery-keys.js';
import { sweepIdempotencyKeys } from '../core/idempotency/claim-key.js';
import { expireImports, forgetImports, removeAbandonedUploads } from '../core/imports/expire.js';
import { pollDirectUploads } from '../core/imports/receive/direct.js';
import { type Collected, collectGarbage, GRACE_SECONDS } from '../core/integrity/collect-garbage.js';
import { type Scrubbing, type ScrubUses, scrubOriginals } from '../core/integrity/scrub.js';
import { updateOutdatedPhotos } from '../core/photos/places.js';
import { OlderPhotos } from '../core/photos/similar/hash-older-photos.js';
import { purgeTrash } from '../core/photos/trash.js';
import type { Ports } from '../core/ports.js';
import { DAY, HOUR, MINUTE, SECOND } from '../core/shared/clock.js';
import { resealShareTokens } from '../core/shares/shares.js';
import { countStorage, sweepTraffic } from '../core/traffic/read-traffic.js';
import { resealFactorSecrets } from '../core/users/factors/policy.js';
import { sweepSessions } from '../core/users/session.js';
import { resealWebhookSecrets, sweepDeliveries } from '../core/webhooks/deliver.js';
import { removeAbandonedListeners } from '../core/webhooks/listen.js';
import type { PeriodicTask } from './periodic.js';
import { pause } from './worker.js';

/**
 * Periodic tasks. How each finds its work: docs/decisions/0002.
 * @param onCollected Called with the unowned blobs that were removed. Must not throw.
 */
export function upkeep(
  ports: Ports,
  onCollected: (collected: Collected) => void = () => undefined,
): readonly PeriodicTask[] {
  const olderPhotos = new OlderPhotos(ports);
  return [
    { name: 'forget idle rate limits', everySeconds: 300, run: () => ports.rateWindows.sweep() },
    { name: 'purge the trash', everySeconds: 600, run: (stopping) => purgeTrash(ports, stopping) },
    { name: 'update outdated photos', everySeconds: 600, run: (stopping) => updateOutdatedPhotos(ports, stopping) },
    { name: 'expire idle imports', everySeconds: 600, run: (stopping) => expireImports(ports, stopping) },
    {
      name: 'remove abandoned uploads',
      everySeconds: 60,
      run: (stopping) => removeAbandonedUploads(ports, stopping),
    },
    { name: 'forget old imports', everySeconds: 3600, run: (stopping) => forgetImports(ports, stopping) },
    {
      name: 'remove what nobody owns',
      everySeconds: 12 * 3600,
      run: async (stopping) => onCollected(await collectGarbage(ports, { graceSeconds: GRACE_SECONDS }, stopping)),
    },
    { name: 'forget old bulk edits', everySeconds: 3600, run: (stopping) => forgetBulkEdits(ports, stopping) },
    { name: 'finish erasing customers', everySeconds: 3600, run: (stopping) => finishErasing(ports, stopping) },
    { name: 'forget old idempotency keys', everySeconds: 3600, run: () => sweepIdempotencyKeys(ports) },
    { name: 'forget old sessions', everySeconds: 3600, run: () => sweepSessions(ports) },
    { name: 'forget old counts of requests', everySeconds: 3600, run: () => sweepTraffic(ports) },
    { name: 'count stored bytes by day', everySeconds: 3600, run: () => countStorage(ports) },
    { name: 'forget old entries of the audit log', everySeconds: 24 * 3600, run: () => sweepAudit(ports) },
    { name: 'forget old webhook deliveries', everySeconds: 3600, run: () => sweepDeliveries(ports) },
    {
      name: 'remove webhook endpoints of ended programs',
      everySeconds: 600,
      run: (stopping) => removeAbandonedListeners(ports, stopping),
    },
    { name: 'reseal webhook secrets', everySeconds: 3600, run: (stopping) => resealWebhookSecrets(ports, stopping) },
    { name: 'reseal delivery secrets', everySeconds: 3600, run: (stopping) => resealDeliverySecrets(ports, stopping) },
    { name: 'reseal share tokens', everySeconds: 3600, run: (stopping) => resealShareTokens(ports, stopping) },
    { name: 'reseal second factors', everySeconds: 3600, run: (stopping) => resealFactorSecrets(ports, stopping) },
    { name: 'hash older photos', everySeconds: 600, run: (stopping) => olderPhotos.hash(stopping) },
    ...(ports.directUploads === null ? [] : pollingDirectUploads(ports)),
  ];
}

/**
 * The service is not notified of bytes that clients send directly to the store: imports are polled often while they are used, then less and
 * less.
 */
function pollingDirectUploads(ports: Ports): readonly PeriodicTask[] {
  const looks = [
    { everySeconds: 15, usedWithin: 10 * MINUTE },
    { everySeconds: 60, usedWithin: HOUR },
    { everySeconds: 300, usedWithin: 30 * DAY },
  ];
  return looks.map(({ everySeconds, usedWithin }) => ({
    name: 'notice uploads',
    everySeconds,
    run: (stopping) => pollDirectUploads(ports, usedWithin, stopping),
  }));
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
