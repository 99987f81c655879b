import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { closedLink } from './open-share.js';
import type { Share } from './share.js';

/** Requests with files per minute from one address. */
export const UPLOADS_OF_VISITOR = 20;

/** Counts a request with files. Errors: `rate_limited`. */
export function requireUploadBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `visitor-uploads:${addressBudget(address)}`, limit: UPLOADS_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many uploads.');
}

/** Part of what visitors of a share may still upload. */
export interface UploadShare {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Takes as much of a share's limits as one request can need, so that requests at the same time never exceed them. What is not used is to be
 * given back (`settleUpload`). Errors: `not_found` (revoked), `limit_reached`.
 */
export function reserveUpload(
  { store, limits }: { store: Transactional<'shares'>; limits: Limits },
  { customerId, id }: Share,
): Promise<UploadShare> {
  return store.transaction(customerId, async ({ shares }) => {
    const share = await shares.lock(id);
    if (share === null) throw closedLink();
    const files = Math.min(share.uploadFilesLimit - share.uploadedFiles, limits.inlineMaxFiles);
    const bytes = Math.min(share.uploadBytesLimit - share.uploadedBytes, limits.inlineMaxBytes);
    if (files <= 0 || bytes <= 0) throw limitReached();
    await shares.update(withUploads(share, files, bytes));
    return { files, bytes };
  });
}

/** Gives back what was not used of a reservation; with files, they are told of. A share that was revoked meanwhile has no limits any more. */
export function settleUpload(
  { store, clock }: { store: Transactional<'shares' | 'outbox'>; clock: Clock },
  { customerId, id }: Share,
  reserved: UploadShare,
  used: UploadShare,
): Promise<void> {
  return store.transaction(customerId, async ({ shares, outbox }) => {
    const share = await shares.lock(id);
    if (share === null) return;
    await shares.update(withUploads(share, used.files - reserved.files, used.bytes - reserved.bytes));
    if (used.files > 0) await outbox.add('share.uploaded', [id], clock.now());
  });
}

export function limitReached(): DomainError {
  const message = 'No more photos can be added under this link. Ask the person who sent it.';
  return new DomainError('limit_reached', message, { name: 'shareUploads' });
}

function withUploads(share: Share, files: number, bytes: number): Share {
  return { ...share, uploadedFiles: share.uploadedFiles + files, uploadedBytes: share.uploadedBytes + bytes };
}
