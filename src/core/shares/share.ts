import type { CustomerStatus } from '../customers/customer.js';
import type { Limits } from '../customers/limits.js';
import type { Id } from '../shared/ids.js';

/** A link under which visitors see photos of a customer, until it expires or is revoked. */
export interface Share {
  readonly customerId: Id;
  readonly id: Id;
  /** SHA-256 of the token in its link: what the link is found by. */
  readonly tokenHash: string;
  /** The same token, sealed (core/shared/sealed.ts): people can copy the link again later. */
  readonly token: string;
  readonly title: string;
  /** It shows the photos that have this tag when somebody looks, none once the tag is deleted; null: it shows `photoIds`. */
  readonly tagId: Id | null;
  /** Chosen photos. Those in the trash, or deleted since, are not shown. */
  readonly photoIds: readonly Id[];
  /** Visitors may download originals. */
  readonly mayDownload: boolean;
  /** What visitors may upload in all; no files: they may not. */
  readonly uploadFilesLimit: number;
  readonly uploadBytesLimit: number;
  /** What they have uploaded. */
  readonly uploadedFiles: number;
  readonly uploadedBytes: number;
  /** What requests under way may need of the limits. */
  readonly uploadReservations: readonly UploadReservation[];
  /** Null: the link is enough. */
  readonly passwordHash: string | null;
  readonly expiresAt: Date | null;
  /** How often its page was opened. */
  readonly visits: number;
  readonly lastVisitedAt: Date | null;
  readonly createdAt: Date;
}

/** Part of what visitors of a share may still upload, for one request. */
export interface UploadReservation extends UploadShare {
  readonly id: string;
  /** Milliseconds since 1970: a process that was killed does not give it back. */
  readonly until: number;
}

export interface UploadShare {
  readonly files: number;
  readonly bytes: number;
}

export type NewShare = Omit<
  Share,
  'customerId' | 'id' | 'visits' | 'lastVisitedAt' | 'uploadedFiles' | 'uploadedBytes' | 'uploadReservations'
>;

export interface KnownShare {
  readonly share: Share;
  readonly customerStatus: CustomerStatus;
}

/** Shares that one customer may have at a time, expired ones included. */
export const MAX_SHARES = 200;
export const MAX_SHARE_TITLE = 100;
/** Photos that can be chosen for one share. A tag may have more. */
export const MAX_SHARED_PHOTOS = 1000;
/** The most that visitors of one share may be allowed to upload. */
export const MAX_UPLOAD_FILES = 10_000;
export const MAX_UPLOAD_BYTES = 1024 ** 4;
/** Guesses are limited (`requireShareGuess`). */
export const MIN_SHARE_PASSWORD = 8;

/** Whether visitors may see it. Nothing else tells them whether it exists. */
export function isOpen({ share, customerStatus }: KnownShare, now: Date): boolean {
  return customerStatus === 'active' && !isOver(share, now);
}

/** Whether it has expired. */
export function isOver({ expiresAt }: Pick<Share, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now.getTime();
}

export function activeReservations({ uploadReservations }: Share, now: Date): readonly UploadReservation[] {
  return uploadReservations.filter(({ until }) => until > now.getTime());
}

/** What visitors may still upload besides what has arrived and what requests under way hold. */
export function uploadLeft(share: Share, now: Date): UploadShare {
  const active = activeReservations(share, now);
  const reserved = (name: 'files' | 'bytes') => active.reduce((sum, each) => sum + each[name], 0);
  return {
    files: share.uploadFilesLimit - share.uploadedFiles - reserved('files'),
    bytes: share.uploadBytesLimit - share.uploadedBytes - reserved('bytes'),
  };
}

/** The files that visitors may upload in one request. */
export function nextFiles(share: Share, { inlineMaxFiles }: Pick<Limits, 'inlineMaxFiles'>, now: Date): number {
  const { files, bytes } = uploadLeft(share, now);
  return bytes > 0 ? Math.max(0, Math.min(files, inlineMaxFiles)) : 0;
}

/** In the audit log. */
export function auditSubject({ id, title }: Pick<Share, 'id' | 'title'>): { readonly id: Id; readonly name: string } {
  return { id, name: title };
}
