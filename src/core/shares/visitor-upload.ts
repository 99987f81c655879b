import { randomUUID } from 'node:crypto';
import { type Caller, scopes } from '../access/caller.js';
import { addressBudget } from '../access/ip-list.js';
import { type RateWindowStore, requireBudget } from '../access/rolling-window.js';
import { service } from '../audit/audit-entry.js';
import type { ImportCreation } from '../imports/create.js';
import { type Clock, MINUTE } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { truncate } from '../shared/text.js';
import type { Transactional } from '../shared/transactional.js';
import { MAX_TAG_NAME } from '../tags/tag.js';
import { activeReservations, type Share, type UploadReservation, type UploadShare, uploadLeft } from './share.js';
import { closedLink } from './visitors.js';

/** Requests with files per minute from one address. */
export const UPLOADS_OF_VISITOR = 20;

/** Counts a request with files. Errors: `rate_limited`. */
export function requireUploadBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `visitor-uploads:${addressBudget(address)}`, limit: UPLOADS_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many uploads.');
}

/**
 * Period for which a request holds what it reserved without asking for more: one that brings as little meanwhile is closed long before, and a process
 * that is killed gives back what it held. A request that lost its reservation still counts what it has brought.
 */
export const RESERVED_MS = 10 * MINUTE;

/** Bytes that a request holds before it has sent them, at most and, where there are as many, at least. */
const MOST_AHEAD = 4 * 1024 * 1024;
const LEAST_AHEAD = 64 * 1024;

/**
 * Takes of a share's limits what a request needs, so that requests at the same time never exceed them, and some bytes ahead: at most half of
 * those that are left, so that a slow request leaves others most of the limit for as long as it lasts. `settleUpload` gives back what was not
 * used. Errors: `not_found` (revoked before anything was held), `limit_reached`,
 * `HeldByLater`.
 * @param held By this request until now.
 */
export function reserveUpload(
  { store, clock }: { store: Transactional<'shares'>; clock: Clock },
  { customerId, id }: Share,
  needed: UploadShare,
  held: UploadReservation | null = null,
): Promise<UploadReservation> {
  return store.transaction(customerId, async ({ shares }) => {
    const share = await shares.lock(id);
    const now = clock.now();
    const until = now.getTime() + RESERVED_MS;
    if (share === null && held === null) throw closedLink();
    // A share that was revoked meanwhile no longer has limits.
    if (share === null) return { ...needed, bytes: needed.bytes + MOST_AHEAD, id: held?.id ?? '', until };
    const active = activeReservations(share, now);
    const before = active.findIndex((each) => each.id === held?.id);
    const isOther = (each: UploadReservation) => each.id !== held?.id;
    const leftBy = (others: readonly UploadReservation[]) => {
      const left = uploadLeft({ ...share, uploadReservations: others }, now);
      return needed.files <= left.files && needed.bytes <= left.bytes ? left : null;
    };
    const left = leftBy(active.filter(isOther));
    // The older of two that need the same rest gets it: the other one ends, and gives back what it holds.
    if (left === null) {
      const message = 'No more photos can be added under this link. Ask the person who sent it.';
      // Names the limit that does not leave what is needed.
      const limit =
        needed.files > uploadLeft(share, now).files
          ? { limit: share.uploadFilesLimit, name: 'shareUploads' }
          : { limit: share.uploadBytesLimit, name: 'shareUploadBytes' };
      const reached = new DomainError('limit_reached', message, limit);
      throw before >= 0 && leftBy(active.slice(0, before)) ? new HeldByLater(reached) : reached;
    }
    const beyond = left.bytes - needed.bytes;
    const ahead = Math.min(beyond, Math.max(LEAST_AHEAD, Math.min(MOST_AHEAD, Math.floor(beyond / 2))));
    const reservation = { id: held?.id ?? randomUUID(), files: needed.files, bytes: needed.bytes + ahead, until };
    const uploadReservations =
      before < 0 ? [...active, reservation] : active.map((each) => (isOther(each) ? each : reservation));
    await shares.update({ ...share, uploadReservations });
    return reservation;
  });
}

/** There is room, which requests hold that began later: a moment later they may have ended. */
export class HeldByLater extends Error {
  override readonly name = 'HeldByLater';

  /** @param reached What is said once it has been waited for in vain. */
  constructor(readonly reached: DomainError) {
    super(reached.message);
  }
}

/** Counts what a request has used of its reservation, and gives back the rest. */
export function settleUpload(
  { store }: { store: Transactional<'shares'> },
  { customerId, id }: Share,
  reservation: UploadReservation,
  used: UploadShare,
): Promise<void> {
  return store.transaction(customerId, async ({ shares }) => {
    const share = await shares.lock(id);
    if (share === null) return;
    await shares.update({
      ...share,
      uploadedFiles: share.uploadedFiles + used.files,
      uploadedBytes: share.uploadedBytes + used.bytes,
      uploadReservations: share.uploadReservations.filter((each) => each.id !== reservation.id),
    });
  });
}

/** Visitors upload in the name of the service. */
export function visitorCaller({ customerId }: Share, address: string): Caller {
  return { customerId, apiKeyId: null, scopes, ipRestricted: false, actor: { ...service, address } };
}

/** An import of what visitors upload, with a tag of its own. It brings nothing back from the trash. */
export function visitorImport({ id, title }: Share): ImportCreation {
  const name = `Visitors of “${title}”`;
  const tag = truncate(`Share ${id}: ${title}`, MAX_TAG_NAME);
  return { name, source: 'Share', tagNames: [tag], restoreTrashed: false, shareId: id };
}
