import type { Caller } from '../../access/caller.js';
import { inOneChunk, readOnce, wholeOf } from '../../blobs/blob-bytes.js';
import { type BlobKey, renditionKey } from '../../blobs/blob-key.js';
import type { BlobInfo, ByteRange } from '../../blobs/blob-store.js';
import { type ExpectedBytes, LostBytes, type VerifiedBlob, type VerifiedBlobs } from '../../blobs/verified-blobs.js';
import {
  defaultFormat,
  isRenditionName,
  type RenditionFormat,
  type RenditionName,
  renditionFormats,
  renditionSizes,
} from '../../media/media-reader.js';
import { type Transformation, within } from '../../media/transformation.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock, HOUR, SECOND } from '../../shared/clock.js';
import { type Id, isId } from '../../shared/ids.js';
import { readToken, type Secrets, signToken } from '../../shared/secrets.js';
import { isRotation, type Photo, type PhotoWithTags, type Rotation } from '../photo.js';

/** A picture to make of a photo, and where it is stored. */
export interface Rendition {
  readonly key: BlobKey;
  readonly transformation: Transformation;
  /** The bytes that it must have if it is stored (`Photo.thumb`); null: any. */
  readonly expected: ExpectedBytes | null;
  /** The format of larger stored renditions that it may be made from; null: only from the original. */
  readonly source: RenditionFormat | null;
}

/** Makes renditions that are asked for, each once, no matter how many ask for it at the same time. */
export interface RenditionMaker {
  /**
   * Stores the result of `makeRendition`, unless `findRendition` finds it by then. Only one call for it does so at a time, in all processes; the
   * others wait for its result, and one of them goes on when it failed. A rendition that could not be made may be refused for some minutes.
   * Errors: `not_found` (it cannot be made, or the photo no longer exists), `service_unavailable`.
   * @param onStart Called when it is made for this call, and not for another.
   */
  make(photo: Photo, rendition: Rendition, onStart?: () => void): Promise<BlobInfo>;
}

/** One of the named sizes. */
export function fixedRendition(photo: Photo, name: RenditionName, format: RenditionFormat): Rendition {
  const transformation = within(renditionSizes[name], format);
  const isFirst = name === 'thumb' && photo.rotation === 0 && format === defaultFormat(photo);
  const expected = isFirst ? photo.thumb : null;
  return { key: renditionKey(photo, name, format), transformation, expected, source: format };
}

/**
 * The stored rendition, or a range of it; null when there is none, or other bytes than must be there. Those that are compared are read before
 * any of them is returned, and they are few.
 */
export async function openStored(
  { verifiedBlobs }: { verifiedBlobs: VerifiedBlobs },
  { key, expected }: Pick<Rendition, 'key' | 'expected'>,
  range?: ByteRange,
): Promise<VerifiedBlob | null> {
  try {
    const blob = await verifiedBlobs.open(key, expected, { range });
    if (blob === null || expected === null || blob.inMemory !== undefined) return blob;
    const { bytes, release: _, ...info } = blob;
    const inMemory = await wholeOf(bytes);
    return { ...info, bytes: readOnce(inOneChunk(inMemory)), inMemory };
  } catch (error) {
    if (error instanceof LostBytes) return null;
    throw error;
  }
}

/**
 * URLs for `<img>`: each valid for one rendition, without a key, until `expiresAt`; or until the key that requested them ends or gets an IP
 * list, or the photo is no longer visible (open.ts). The addresses that customers sign themselves are those of delivery/deliver.ts.
 */
export type PhotoUrls = Readonly<Record<RenditionName, string>> & { readonly expiresAt: Date };

/** URLs change every half day, and each is valid for 12 to 24 hours: caches work, leaked URLs expire. */
const STEP = 12 * HOUR;

/** Null for a key with an IP list, which URLs that work without the key would bypass. */
export function renditionUrls(
  uses: { secrets: Secrets; clock: Clock; addresses: Addresses },
  caller: Pick<Caller, 'apiKeyId' | 'ipRestricted'>,
  photo: PhotoWithTags,
): PhotoUrls | null {
  if (caller.ipRestricted) return null;
  const now = uses.clock.now();
  const expiresAt = after(now, 2 * STEP - (now.getTime() % STEP));
  const { customerId, id: photoId, rotation } = photo;
  const grant = { customerId, photoId, format: defaultFormat(photo), rotation, expiresAt, apiKeyId: caller.apiKeyId };
  const url = (name: RenditionName) => uses.addresses.rendition(signGrant(uses, { ...grant, name }));
  return { thumb: url('thumb'), small: url('small'), medium: url('medium'), large: url('large'), expiresAt };
}

/** The grant in a signed URL: what it shows, to whom, and until when. */
export interface RenditionGrant {
  readonly customerId: Id;
  readonly photoId: Id;
  readonly name: RenditionName;
  readonly format: RenditionFormat;
  readonly rotation: Rotation;
  /** In whole seconds. */
  readonly expiresAt: Date;
  /** Id of the key that requested it; null for a person who is signed in. */
  readonly apiKeyId: Id | null;
}

/** The token of its URL: the values by their position, because a page has hundreds of URLs. */
function signGrant({ secrets }: { secrets: Secrets }, grant: RenditionGrant): string {
  const { customerId, photoId, name, format, rotation, expiresAt, apiKeyId } = grant;
  const expires = expiresAt.getTime() / SECOND;
  return signToken(secrets, 'rendition', [customerId, photoId, name, format, rotation, expires, apiKeyId]);
}

/** Null for a token that `signGrant` has not made. The caller checks the expiry. */
export function readGrant({ secrets }: { secrets: Secrets }, token: string): RenditionGrant | null {
  const values = readToken(secrets, 'rendition', token);
  if (!Array.isArray(values)) return null;
  const [customerId, photoId, name, format, rotation, expires, apiKeyId] = values as unknown[];
  if (!isId(customerId) || !isId(photoId) || typeof name !== 'string' || !isRenditionName(name)) return null;
  const known = renditionFormats.find((each) => each === format);
  if (known === undefined || !isRotation(rotation)) return null;
  return {
    customerId,
    photoId,
    name,
    format: known,
    rotation,
    expiresAt: new Date(Number(expires) * SECOND),
    // Absent from URLs signed by the previous release: those are valid until they expire, at most a day.
    apiKeyId: isId(apiKeyId) ? apiKeyId : null,
  };
}
