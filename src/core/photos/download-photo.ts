import { createHash } from 'node:crypto';
import type { Caller } from '../access/caller.js';
import { blobCacheOf } from '../blobs/blob-cache.js';
import { type BlobKey, renditionKey, storedKey } from '../blobs/blob-key.js';
import type { BlobStore, ByteRange, OpenBlob } from '../blobs/blob-store.js';
import { inOneChunk } from '../blobs/open-blob.js';
import { type MediaReader, ReaderFailure, type RenderedPicture, type RenditionFormat } from '../media/media-reader.js';
import { defaultFormat, type RenditionName, renditionNames, renditionSizes } from '../media/renditions.js';
import { DomainError, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Photo } from './photo.js';
import { readPhoto, readVisiblePhoto } from './read-photo.js';

/** Bytes that can be sent; which ones is decided after the client's conditions have been checked. */
export interface Download {
  readonly photo: Photo;
  readonly contentType: string;
  /** The total number of bytes, without opening them. Errors: those of `open`, except for lost bytes. */
  sizeBytes(): Promise<number>;
  open(range?: ByteRange): Promise<OpenBlob>;
  /** The blob's location, for programs that read the store directly. Errors: those of `open`. */
  place(): Promise<BlobKey>;
}

/** The original, byte for byte. Errors: `not_found`, `service_unavailable` (its bytes are lost; when opened: the store is unavailable). */
export async function downloadOriginal(
  { store, blobs }: { store: Readable<'photos'>; blobs: BlobStore },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<Download> {
  const photo = await readVisiblePhoto({ store }, caller, id);
  // Thrown before anything is sent. A range of it could not even be verified.
  if (photo.originalLostAt !== null) throw lostOriginal();
  const key = storedKey(photo.blobKey);
  const open = async (range?: ByteRange) => {
    const right = range ? null : await blobCacheOf(blobs).get(key);
    if (right !== null) return right;
    const blob = await blobs.get(key, range);
    if (blob === null || blob.sizeBytes !== photo.sizeBytes) throw lostBytes();
    return range ? blob : blobCacheOf(blobs).caching(key, { ...blob, bytes: verified(blob.bytes, photo.sha256) });
  };
  const place = async () => {
    if ((await blobs.head(key))?.sizeBytes !== photo.sizeBytes) throw lostBytes();
    return key;
  };
  return { photo, contentType: photo.contentType, sizeBytes: async () => photo.sizeBytes, open, place };
}

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
  { store, blobs, media }: { store: Readable<'photos'>; blobs: BlobStore; media: MediaReader },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
  { trashedToo = false, ...request }: RenditionRequest & { readonly trashedToo?: boolean },
): Promise<RenditionDownload> {
  const photo = trashedToo
    ? (await readPhoto({ store }, caller, id, { trashedToo, withExif: false })).photo
    : await readVisiblePhoto({ store }, caller, id);
  return renditionOf({ blobs, media }, photo, request);
}

/**
 * The rendition of a photo in its current rotation, generated when its size is requested or it is opened. Errors of these two: `not_found`
 * (`rendition`, which cannot be made), `service_unavailable`.
 */
export function renditionOf(
  uses: { blobs: BlobStore; media: MediaReader },
  photo: Photo,
  { name, format = defaultFormat(photo) }: RenditionRequest,
): RenditionDownload {
  const key = renditionKey(photo, name, format);
  const sizeBytes = async () => {
    const info = (await uses.blobs.head(key)) ?? (await makeOnce(uses, photo, name, format));
    return info.sizeBytes;
  };
  const stored = async (range?: ByteRange) => {
    const found = await uses.blobs.get(key, range);
    if (found !== null) return found;
    await makeOnce(uses, photo, name, format);
    const made = await uses.blobs.get(key, range);
    if (made === null) throw lostBytes();
    return made;
  };
  const open = async (range?: ByteRange) => {
    if (range) return stored(range);
    const inMemory = blobCacheOf(uses.blobs);
    return (await inMemory.get(key)) ?? inMemory.caching(key, await stored());
  };
  const place = async () => {
    await sizeBytes();
    return key;
  };
  return { photo, name, format, contentType: `image/${format}`, sizeBytes, open, place };
}

/** Renditions being generated, by store: concurrent requests wait for the same one. */
const beingMade = new WeakMap<BlobStore, Map<string, Promise<{ sizeBytes: number }>>>();

function makeOnce(
  uses: { blobs: BlobStore; media: MediaReader },
  photo: Photo,
  name: RenditionName,
  format: RenditionFormat,
): Promise<{ sizeBytes: number }> {
  const flights = beingMade.get(uses.blobs) ?? new Map<string, Promise<{ sizeBytes: number }>>();
  beingMade.set(uses.blobs, flights);
  const key = renditionKey(photo, name, format);
  const flight = flights.get(key) ?? make(uses, photo, name, format).finally(() => flights.delete(key));
  flights.set(key, flight);
  return flight;
}

async function make(
  { blobs, media }: { blobs: BlobStore; media: MediaReader },
  photo: Photo,
  name: RenditionName,
  format: RenditionFormat,
): Promise<{ sizeBytes: number }> {
  const order = { customerId: photo.customerId, longestSide: renditionSizes[name], format };
  const render = (alone: boolean) =>
    media.render(originalBytes(blobs, photo), { ...order, rotation: photo.rotation, alone });
  const larger = await storedLarger(blobs, photo, name, format);
  // It is rotated already.
  const reduced = larger && (await media.render(larger, { ...order, rotation: 0 }).catch(unlessReaderFailed));
  const picture = reduced ?? (await triedTwice(render));
  if (picture === null) throw notFound('rendition');
  return blobs.put(renditionKey(photo, name, format), inOneChunk(picture.bytes));
}

/**
 * The smallest stored rendition that is larger, which is decoded in a fraction of the time that the original takes. Null when there is
 * none, and when the photo itself is not larger than what is requested.
 */
async function storedLarger(
  blobs: BlobStore,
  photo: Photo,
  name: RenditionName,
  format: RenditionFormat,
): Promise<AsyncIterable<Uint8Array> | null> {
  if (Math.max(photo.width, photo.height) <= renditionSizes[name]) return null;
  for (const larger of renditionNames.filter((each) => renditionSizes[each] > renditionSizes[name])) {
    const key = renditionKey(photo, larger, format);
    if ((await blobs.head(key)) !== null) return storedBytes(blobs, key);
  }
  return null;
}

/** Opened when they are read, and not while the picture is queued. */
async function* originalBytes(blobs: BlobStore, photo: Photo): AsyncIterable<Uint8Array> {
  const original = await blobs.get(storedKey(photo.blobKey));
  if (original === null) throw photo.originalLostAt === null ? lostBytes() : lostOriginal();
  yield* verified(original.bytes, photo.sha256);
}

async function* storedBytes(blobs: BlobStore, key: BlobKey): AsyncIterable<Uint8Array> {
  const blob = await blobs.get(key);
  if (blob === null) throw new ReaderFailure('The stored rendition went away.');
  yield* blob.bytes;
}

function unlessReaderFailed(error: unknown): null {
  if (error instanceof ReaderFailure) return null;
  throw error;
}

/** Retried once after a failure of the reader, alone: null when it fails again, because such a picture cannot be rendered here. */
async function triedTwice(
  render: (alone: boolean) => Promise<RenderedPicture | null>,
): Promise<RenderedPicture | null> {
  for (const alone of [false, true]) {
    try {
      return await render(alone);
    } catch (error) {
      if (!(error instanceof ReaderFailure)) throw error;
    }
  }
  return null;
}

/** Holds back the last bytes until the hash of all bytes matches that of the photo: a complete download is a correct one. */
async function* verified(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  for await (const chunk of bytes) {
    if (held !== null) yield held;
    hash.update(chunk);
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw lostBytes();
  if (held !== null) yield held;
}

function lostBytes(): DomainError {
  return new DomainError('service_unavailable', 'The bytes of this photo cannot be read right now. Try again later.');
}

function lostOriginal(): DomainError {
  const message =
    'The stored original of this photo is missing or damaged. Import the same file once more to bring it back.';
  return new DomainError('service_unavailable', message);
}
