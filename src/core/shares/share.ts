import type { CustomerStatus } from '../customers/customer.js';
import type { Limits } from '../customers/limits.js';
import { rangeErrors } from '../media/photo-fields.js';
import { expiryErrors, isExpired } from '../shared/clock.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { codePoints, requiredTextErrors } from '../shared/text.js';
import { MAX_PASSWORD, type PasswordStrength, strengthError } from '../users/passwords.js';

/** A link under which visitors see photos of a customer, until it expires or is revoked. */
export interface Share {
  readonly customerId: Id;
  readonly id: Id;
  /** SHA-256 of the token in its link: what the link is found by. */
  readonly tokenHash: string;
  /** The same token, sealed (core/shared/secrets.ts): people can copy the link again later. */
  readonly token: string;
  readonly title: string;
  /** It shows the photos that have this tag when a visitor opens it, none once the tag is deleted; null: it shows `photoIds`. */
  readonly tagId: Id | null;
  /** Chosen photos. Those in the trash, or deleted since, are not shown. */
  readonly photoIds: readonly Id[];
  /** Visitors may download originals. */
  readonly mayDownload: boolean;
  /** The limits of what visitors may upload in all; no files: they may not. */
  readonly uploadFilesLimit: number;
  readonly uploadBytesLimit: number;
  /** The amounts that they have uploaded. */
  readonly uploadedFiles: number;
  readonly uploadedBytes: number;
  /** The parts of the limits that requests under way may need. */
  readonly uploadReservations: readonly UploadReservation[];
  /** Null: the link is enough. */
  readonly passwordHash: string | null;
  readonly expiresAt: Date | null;
  /** Number of times that its page was opened. */
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
const MAX_UPLOAD_FILES = 10_000;
const MAX_UPLOAD_BYTES = 1024 ** 4;
/** Guesses are limited (`enterShare`, visitors.ts). */
export const MIN_SHARE_PASSWORD = 8;

/** Whether visitors may see it. Nothing else tells them whether it exists. */
export function isOpen({ share, customerStatus }: KnownShare, now: Date): boolean {
  return customerStatus === 'active' && !isExpired(share, now);
}

export function activeReservations({ uploadReservations }: Share, now: Date): readonly UploadReservation[] {
  return uploadReservations.filter(({ until }) => until > now.getTime());
}

/** Returns what visitors may still upload besides what has arrived and what requests under way hold. */
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

export function shareAuditSubject({ id, title }: Pick<Share, 'id' | 'title'>) {
  return { id, name: title };
}

/** The settings that people choose, and may change later. */
export interface ShareSettings
  extends Pick<Share, 'title' | 'mayDownload' | 'expiresAt' | 'uploadFilesLimit' | 'uploadBytesLimit'> {
  /** Null: none. */
  readonly password: string | null;
}

type GivenShareSettings = { readonly [Name in keyof ShareSettings]?: ShareSettings[Name] | undefined };

/** All problems with the values. Absent ones are not examined. */
export function settingsErrors(settings: GivenShareSettings, now: Date): FieldError[] {
  const { title, expiresAt, password, uploadFilesLimit, uploadBytesLimit } = settings;
  return [
    ...requiredTextErrors('title', title, MAX_SHARE_TITLE),
    ...expiryErrors(expiresAt, now),
    ...passwordErrors(password),
    ...rangeErrors('uploadFilesLimit', uploadFilesLimit, { min: 0, max: MAX_UPLOAD_FILES, whole: true }),
    ...rangeErrors('uploadBytesLimit', uploadBytesLimit, { min: 0, max: MAX_UPLOAD_BYTES, whole: true }),
  ];
}

/** Errors: `invalid_request` for a password that is easy to guess, or made of the title. */
export async function requireGoodSharePassword(
  uses: { passwordStrength: PasswordStrength },
  password: string | null | undefined,
  title: string | undefined,
): Promise<void> {
  const error = password ? await strengthError(uses, password, title === undefined ? [] : [title]) : null;
  if (error !== null) throw invalid(error);
}

function passwordErrors(password: string | null | undefined): FieldError[] {
  if (password === null || password === undefined) return [];
  const [field, length] = ['password', codePoints(password)];
  if (length < MIN_SHARE_PASSWORD) {
    const message = `password must have at least ${MIN_SHARE_PASSWORD} characters.`;
    return [{ field, code: 'too_short', message, min: MIN_SHARE_PASSWORD }];
  }
  if (length <= MAX_PASSWORD) return [];
  const message = `password can have at most ${MAX_PASSWORD} characters.`;
  return [{ field, code: 'too_long', message, max: MAX_PASSWORD }];
}

/** Shares of the bound customer. */
export interface ShareReads {
  get(id: Id): Promise<Share | null>;
  /** All of them, newest first. */
  list(): Promise<readonly Share[]>;
}

export interface ShareRepository extends ShareReads {
  /** Reads it and locks it until the transaction ends. */
  lock(id: Id): Promise<Share | null>;
  /** Stores it under a new id, without visits or uploads. */
  insert(share: NewShare): Promise<Share>;
  /** Stores every field. It must be locked. */
  update(share: Share): Promise<void>;
  /** From the commit on, no process finds it. */
  delete(id: Id): Promise<void>;
}

/** Shares of all customers: asked before it is known whose photos a link shows. */
export interface ShareFinder {
  /**
   * The share with this hash of its token, with its customer's status; null when there is none. Nothing is remembered between
   * calls. Expired shares are returned: the caller checks.
   */
  find(tokenHash: string): Promise<KnownShare | null>;
}

declare module '../ports.js' {
  interface Ports {
    readonly shares: ShareFinder;
  }
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly shares: ShareReads;
  }
  interface Repositories {
    readonly shares: ShareRepository;
  }
}
