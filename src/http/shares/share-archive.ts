import { hash } from 'node:crypto';
import type { ByteRange, OpenBlob } from '../../core/blobs/blob-store.js';
import type { StoredOriginal } from '../../core/photos/list-photos.js';
import type { Ports } from '../../core/ports.js';
import type { Share } from '../../core/shares/share.js';
import { listSharedOriginals, openSharedOriginal } from '../../core/shares/shared-photos.js';
import { openShare } from '../../core/shares/visits.js';
import { withFileNames } from '../responses/archive-names.js';
import type { Sendable } from '../responses/send-download.js';
import { type ZipEntry, zipOf, zipSize } from '../responses/zip.js';

interface ArchivedPhoto extends StoredOriginal {
  readonly path: string;
}

/** All originals of a share as one archive, whose bytes follow from the list of photos alone. Errors: `not_found`, `limit_reached`. */
export async function openArchive(
  ports: Ports,
  share: Share,
  token: string,
): Promise<Omit<Sendable, 'disposition' | 'headers'>> {
  const photos = withFileNames(await listSharedOriginals(ports, share));
  const sizeBytes = zipSize(photos);
  const etag = tagOf(photos);
  const open = async (range?: ByteRange): Promise<OpenBlob> => {
    const bytes = zipOf(entriesOf(ports, token, photos));
    return { sizeBytes, etag, bytes: range === undefined ? bytes : within(bytes, range) };
  };
  return {
    ...{ contentType: 'application/zip', entityTag: `"${etag}"`, lastModified: null },
    filename: `${share.title}.zip`,
    info: async () => ({ sizeBytes, etag }),
    open,
    // It is no blob. Only servers in front ask, and none sends archives.
    blobKey: () => Promise.reject(new Error('An archive is not stored.')),
  };
}

/** Of all that the bytes depend on. Times in archives are in the zone of the process. */
function tagOf(photos: readonly ArchivedPhoto[]): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const facts = photos.map(({ path, sha256, modifiedAt }) => [path, sha256, modifiedAt.getTime()]);
  return hash('sha256', JSON.stringify([zone, facts])).slice(0, 32);
}

/** Opened one after another. Who may see them is asked for each: an archive ends, incomplete, once its share is revoked. */
async function* entriesOf(ports: Ports, token: string, photos: readonly ArchivedPhoto[]): AsyncGenerator<ZipEntry> {
  for (const { id, path, modifiedAt, sizeBytes } of photos) {
    const original = await openSharedOriginal(ports, await openShare(ports, token), id);
    const { bytes } = await original.open();
    yield { path, modifiedAt, sizeBytes, bytes };
  }
}

/** What comes before the range is read and dropped: the checksums at the end of the archive need it. */
async function* within(bytes: AsyncIterable<Uint8Array>, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of bytes) {
    const from = Math.max(0, start - position);
    const wanted = chunk.subarray(from, Math.max(from, end + 1 - position));
    position += chunk.length;
    if (wanted.length > 0) yield wanted;
    if (position > end) return;
  }
}
