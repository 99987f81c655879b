import { type BlobKey, renditionKey, storedKey } from '../blobs/blob-key.js';
import type { BlobInfo, BlobStore } from '../blobs/blob-store.js';
import { inOneChunk, recycled } from '../blobs/open-blob.js';
import { type MediaReader, ReaderFailure, type RenderedPicture, type RenditionFormat } from '../media/media-reader.js';
import { type RenditionName, renditionNames, renditionSizes } from '../media/renditions.js';
import { within } from '../media/transformation.js';
import { notFound } from '../shared/errors.js';
import type { Photo } from './photo.js';
import { lostBytes, lostOriginal, verified } from './verified-bytes.js';

type MakerUses = { blobs: BlobStore; media: MediaReader };

/** Makes renditions, each once: concurrent requests wait for the same one. A process has one of these. */
export class RenditionMaker {
  private readonly underWay = new Map<BlobKey, Promise<BlobInfo>>();

  constructor(private readonly uses: MakerUses) {}

  /** Stores the rendition of a photo in its current rotation. Errors: `not_found` (it cannot be made), `service_unavailable`. */
  make(photo: Photo, name: RenditionName, format: RenditionFormat): Promise<BlobInfo> {
    const key = renditionKey(photo, name, format);
    const making =
      this.underWay.get(key) ?? make(this.uses, photo, name, format).finally(() => this.underWay.delete(key));
    this.underWay.set(key, making);
    return making;
  }
}

async function make(
  { blobs, media }: MakerUses,
  photo: Photo,
  name: RenditionName,
  format: RenditionFormat,
): Promise<BlobInfo> {
  const order = { customerId: photo.customerId, ...within(renditionSizes[name], format) };
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
  yield* recycled(verified(original.bytes, photo.sha256), original.release);
}

async function* storedBytes(blobs: BlobStore, key: BlobKey): AsyncIterable<Uint8Array> {
  const blob = await blobs.get(key);
  if (blob === null) throw new ReaderFailure('The stored rendition has disappeared.');
  yield* recycled(blob.bytes, blob.release);
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
