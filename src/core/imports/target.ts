import type { Caller } from '../access/caller.js';
import { stagingKey } from '../blobs/blob-key.js';
import type { DirectUploads } from '../blobs/direct-uploads.js';
import type { Addresses, UploadAddress } from '../shared/addresses.js';
import { after, type Clock, HOUR, SECOND } from '../shared/clock.js';
import { type Id, isId } from '../shared/ids.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { ImportPhoto } from './import-photo.js';

/** Where to send the bytes of one item, until when. */
export interface UploadTarget extends UploadAddress {
  /** Whether the bytes may come in several requests, each of which continues where the one before ended. */
  readonly isResumable: boolean;
  readonly expiresAt: Date;
}

/** The content of an upload token. It is valid for one upload of one item, and ends with the key that requested it, if there is one. */
export interface UploadGrant {
  readonly customerId: Id;
  readonly importId: Id;
  readonly itemId: Id;
  readonly uploadId: number;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly apiKeyId: Id | null;
  readonly expiresAt: Date;
}

export type TargetUses = { secrets: Secrets; clock: Clock; addresses: Addresses; directUploads: DirectUploads | null };

/**
 * The longest time that an address works. One of this service ends earlier with its key or account, or where the key's IP list does not admit the
 * sender (`requireUploadItem`, receive/upload.ts); once its item has other bytes or has ended (`requireSameBytes`, import-photo.ts); and when the item
 * gets another upload id: after a failure, or when other bytes are declared (edit-item.ts, register/).
 */
const LIFE = 6 * HOUR;

/**
 * Where to send the bytes of these items, in order: directly to the blob store if clients can reach it, otherwise to this service. A key
 * with an IP list always gets addresses of this service, which check the list.
 */
export async function uploadTargets(
  uses: TargetUses,
  caller: Pick<Caller, 'apiKeyId' | 'ipRestricted'>,
  items: readonly ImportPhoto[],
): Promise<readonly UploadTarget[]> {
  const expiresAt = after(uses.clock.now(), LIFE);
  if (uses.directUploads === null || caller.ipRestricted) {
    return items.map(({ customerId, importId, id, uploadId, sizeBytes, sha256 }) => {
      const size = sizeBytes ?? 0;
      const expires = Math.floor(expiresAt.getTime() / SECOND);
      const grant = [customerId, importId, id, uploadId, size, sha256, caller.apiKeyId, expires];
      const token = signToken(uses.secrets, 'upload', grant);
      return { ...uses.addresses.upload(token, size), isResumable: true, expiresAt };
    });
  }
  const blobs = items.map((item) => ({ key: stagingKey(item), sizeBytes: item.sizeBytes ?? 0, sha256: item.sha256 }));
  const signed = await uses.directUploads.sign(blobs, LIFE / SECOND);
  return signed.map((address) => ({ ...address, isResumable: false, expiresAt }));
}

/** Returns what the token grants, or null when it was not signed with one of our secrets. The caller checks the expiry. */
export function readUploadToken({ secrets }: { secrets: Secrets }, token: string): UploadGrant | null {
  const values = readToken(secrets, 'upload', token);
  if (!Array.isArray(values)) return null;
  const [customerId, importId, itemId, uploadId, sizeBytes, sha256, apiKeyId, expires] = values as unknown[];
  if (!isId(customerId) || !isId(importId) || !isId(itemId) || !isId(uploadId)) return null;
  return {
    customerId,
    importId,
    itemId,
    uploadId,
    sizeBytes: Number(sizeBytes),
    sha256: typeof sha256 === 'string' ? sha256 : null,
    apiKeyId: isId(apiKeyId) ? apiKeyId : null,
    expiresAt: new Date(Number(expires) * SECOND),
  };
}
