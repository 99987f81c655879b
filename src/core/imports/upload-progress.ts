import type { Clock } from '../shared/clock.js';
import type { Reader, Transactional } from '../shared/transactional.js';
import { type ImportPhoto, isAwaited, requireSameBytes } from './import-photo.js';
import { type GrantUses, requireUploadItem, uploadForbidden } from './require-upload-grant.js';
import { abandonedUntil, newResumableUpload, offsetOf, type ResumableUpload } from './resumable-upload.js';
import type { UploadSlots } from './upload-slots.js';
import type { UploadGrant } from './upload-target.js';

/** How far an upload is. */
export interface UploadProgress {
  /** Bytes that need not be sent again. All of them: the item has its bytes. */
  readonly offset: number;
  readonly sizeBytes: number;
  /** When its address ends. */
  readonly expiresAt: Date;
}

export function progressOf({ sizeBytes, expiresAt }: UploadGrant, offset: number): UploadProgress {
  return { offset, sizeBytes, expiresAt };
}

type IdleUses = { store: Transactional<'importPhotos' | 'resumableUploads'>; clock: Clock };

/**
 * How far the upload is that this address is for. A request that is still sending to it ends, and what it has brought is included: its sender
 * asks because it wants to go on over another connection. Errors: `upload_forbidden`, `import_photo_final`.
 */
export async function readUploadProgress(
  uses: GrantUses & IdleUses & { uploads: UploadSlots },
  target: { readonly token: string; readonly address: string | null },
): Promise<UploadProgress> {
  const { grant } = await requireUploadItem(uses, target);
  // One whose connection broke ends by itself, once it has read what had arrived before.
  if ((await senderAfter(uses, grant, ENDING_TRIES)) !== null) uses.uploads.interrupt(grant.itemId);
  await untilIdle(uses, grant);
  const item = await uses.importBatchers.readItem(grant.customerId, grant.importId, grant.itemId);
  if (item === null) throw uploadForbidden();
  const known = await uses.store.query(grant.customerId, (reader) => currentUpload(uses, reader, grant, item));
  if (known === null) requireReceived(item, grant);
  return progressOf(grant, known === null ? grant.sizeBytes : offsetOf(known));
}

/** The upload that bytes are added to: a new one if there is none that they could follow; null when the item does not wait for them. */
export async function currentUpload(
  { clock }: { clock: Clock },
  { resumableUploads }: Reader<'resumableUploads'>,
  grant: UploadGrant,
  item: ImportPhoto | null,
): Promise<ResumableUpload | null> {
  if (item === null || !isAwaited(item, grant)) return null;
  const known = await resumableUploads.get(item.id);
  const isAbandoned = known !== null && known.updatedAt.getTime() <= abandonedUntil(clock.now()).getTime();
  const isOurs = known?.uploadId === item.uploadId && !isAbandoned;
  return isOurs ? known : newResumableUpload(item, clock.now());
}

/** An item that has its bytes has all of this upload, unless it was declared with other ones. Errors: `import_photo_final`. */
export function requireReceived(item: ImportPhoto, { sha256 }: UploadGrant): void {
  requireSameBytes(item, { sha256: sha256 ?? item.sha256 });
}

const TRY_AFTER_MS = 50;
const ENDING_TRIES = 40;
const IDLE_TRIES = 100;

/**
 * Resolves once no other request adds to the upload: it stores what it has got when its connection breaks, which takes a moment. One that
 * does not finish in time, as its process died or does not notice, can add nothing any more.
 */
async function untilIdle(uses: IdleUses, grant: UploadGrant): Promise<void> {
  const sender = await senderAfter(uses, grant, IDLE_TRIES);
  if (sender !== null) await release(uses, { ...grant, sender });
}

/** Null as soon as no request adds to the upload; otherwise the one that still does. */
async function senderAfter({ store, clock }: IdleUses, { customerId, itemId }: UploadGrant, tries: number) {
  for (let left = tries; ; left -= 1) {
    const sender = (await store.query(customerId, (reader) => reader.resumableUploads.get(itemId)))?.sender ?? null;
    if (sender === null || left <= 1) return sender;
    await clock.pause(TRY_AFTER_MS);
  }
}

/** This sender adds nothing any more. */
export function release(
  { store }: Pick<IdleUses, 'store'>,
  { customerId, importId, itemId, sender }: Pick<ResumableUpload, 'customerId' | 'importId' | 'itemId' | 'sender'>,
): Promise<void> {
  return store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    await importPhotos.lock(importId, itemId);
    const known = await resumableUploads.get(itemId);
    if (known !== null && known.sender === sender) await resumableUploads.put({ ...known, sender: null });
  });
}
