import { randomUUID } from 'node:crypto';
import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import type { Limits } from '../customers/limits.js';
import { type Clock, HOUR } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { closedLink } from './open-share.js';
import { activeReservations, nextUpload, type Share, type UploadReservation, type UploadShare } from './share.js';

/** Requests with files per minute from one address. */
export const UPLOADS_OF_VISITOR = 20;

/** Counts a request with files. Errors: `rate_limited`. */
export function requireUploadBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `visitor-uploads:${addressBudget(address)}`, limit: UPLOADS_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many uploads.');
}

/**
 * How long a request may take until what it reserved is free again without its being given back. A slower one still counts what it has
 * brought; meanwhile others may have used the same part of the limit.
 */
export const RESERVED_MS = HOUR;

/**
 * Takes as much of a share's limits as one request can need, so that requests at the same time never exceed them. What is not used is to be
 * given back (`settleUpload`); a process that is killed does so by the passing of time. Errors: `not_found` (revoked), `limit_reached`.
 */
export function reserveUpload(
  { store, limits, clock }: { store: Transactional<'shares'>; limits: Limits; clock: Clock },
  { customerId, id }: Share,
): Promise<UploadReservation> {
  return store.transaction(customerId, async ({ shares }) => {
    const share = await shares.lock(id);
    if (share === null) throw closedLink();
    const now = clock.now();
    const next = nextUpload(share, limits, now);
    if (next === null) throw limitReached();
    const reservation = { id: randomUUID(), ...next, until: now.getTime() + RESERVED_MS };
    await shares.update({ ...share, uploadReservations: [...activeReservations(share, now), reservation] });
    return reservation;
  });
}

/** Counts what a request has used of its reservation, and gives back the rest. A share that was revoked meanwhile has no limits any more. */
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

export function limitReached(): DomainError {
  const message = 'No more photos can be added under this link. Ask the person who sent it.';
  return new DomainError('limit_reached', message, { name: 'shareUploads' });
}
