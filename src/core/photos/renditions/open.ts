import type { KeyFinder } from '../../access/api-key.js';
import { isExpired } from '../../access/api-key.js';
import type { Caller } from '../../access/caller.js';
import type { BlobStore, ByteRange } from '../../blobs/blob-store.js';
import { lostBytes, type VerifiedBlobs } from '../../blobs/verified-blobs.js';
import { defaultFormat, type RenditionFormat, type RenditionName } from '../../media/media-reader.js';
import type { Clock } from '../../shared/clock.js';
import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Readable } from '../../shared/transactional.js';
import type { Download } from '../original.js';
import { type Photo, rotate } from '../photo.js';
import { readPhoto, readVisiblePhoto } from '../read-photo.js';
import {
  fixedRendition,
  openStored,
  type Rendition,
  type RenditionGrant,
  type RenditionMaker,
  readGrant,
} from './rendition.js';

export interface RenditionRequest {
  readonly name: RenditionName;
  /** Default: webp for pictures with transparency, otherwise jpeg. */
  readonly format?: RenditionFormat | undefined;
}

export interface RenditionDownload extends Download {
  readonly name: RenditionName;
  readonly format: RenditionFormat;
}

/** A smaller, upright picture, generated and stored on first use. Errors: `not_found`; when opened those of `renditionOf`. */
export async function downloadRendition(
  { store, ...uses }: RenditionUses & { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
  { trashedToo = false, ...request }: RenditionRequest & { readonly trashedToo?: boolean },
): Promise<RenditionDownload> {
  const photo = trashedToo
    ? (await readPhoto({ store }, caller, id, { trashedToo, withExif: false })).photo
    : await readVisiblePhoto({ store }, caller, id);
  return renditionOf(uses, photo, request);
}

/** A rendition of a named size, in the current rotation of the photo. Errors: those of `openRendition`. */
export function renditionOf(
  uses: RenditionUses,
  photo: Photo,
  { name, format = defaultFormat(photo) }: RenditionRequest,
): RenditionDownload {
  return { ...openRendition(uses, photo, fixedRendition(photo, name, format)), name, format };
}

/** Opens the rendition that a signed URL refers to. Errors: `url_forbidden`, `not_found`, `service_unavailable`. */
export async function openSignedRendition(
  uses: RenditionUses & { store: Readable<'photos'>; keys: KeyFinder; secrets: Secrets; clock: Clock },
  token: string,
): Promise<RenditionDownload & { readonly expiresAt: Date }> {
  const grant = readGrant(uses, token);
  if (grant === null || grant.expiresAt.getTime() <= uses.clock.now().getTime()) throw forbiddenUrl();
  // Asked for with the key, so that there is one wait for both; without the key it counts for nothing, its absence neither.
  const found = readVisiblePhoto(uses, grant, grant.photoId);
  found.catch(() => undefined);
  if (!(await isKeyValid(uses, grant))) throw forbiddenUrl();
  const download = renditionOf(uses, rotate(await found, grant.rotation), grant);
  return { ...download, expiresAt: grant.expiresAt };
}

function forbiddenUrl(): DomainError {
  return new DomainError('url_forbidden', 'This URL is invalid or expired. Request the photo again for new ones.');
}

/** A key that has an IP list by now would get no such URL. A person's URL contains no key, and only expires. */
async function isKeyValid(
  { keys, clock }: { keys: KeyFinder; clock: Clock },
  { apiKeyId }: RenditionGrant,
): Promise<boolean> {
  if (apiKeyId === null) return true;
  const known = await keys.find(apiKeyId);
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return false;
  return known.key.ipList.length === 0;
}

export type RenditionUses = { blobs: BlobStore; verifiedBlobs: VerifiedBlobs; renditionMaker: RenditionMaker };

/**
 * A rendition, generated when its size is requested or it is opened. Errors of these two: `not_found` (`rendition`, which cannot be made),
 * `service_unavailable`.
 * @param onStart As in `RenditionMaker.make`.
 */
export function openRendition(
  { blobs, verifiedBlobs, renditionMaker }: RenditionUses,
  photo: Photo,
  rendition: Rendition,
  onStart?: () => void,
): Download {
  const { key, transformation, expected } = rendition;
  // Finds it if it was made since the photo was read.
  const make = () => renditionMaker.make(photo, rendition, onStart);
  const info = async () => {
    const stored = expected === null ? await blobs.head(key) : await openStored({ verifiedBlobs }, rendition);
    return stored ?? make();
  };
  const open = async (range?: ByteRange) => {
    const found = await openStored({ verifiedBlobs }, rendition, range);
    if (found !== null) return found;
    await make();
    const made = await verifiedBlobs.open(key, null, { range });
    if (made === null) throw lostBytes();
    return made;
  };
  const blobKey = async () => {
    await info();
    return key;
  };
  return { photo, contentType: `image/${transformation.format}`, info, open, blobKey };
}
