import type { Caller } from '../../core/access/caller.js';
import type { RenditionName } from '../../core/media/media-reader.js';
import { downloadOriginal } from '../../core/photos/original.js';
import { downloadRendition, type RenditionDownload } from '../../core/photos/renditions/rendition.js';
import type { Uses } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { privateHeaders, reprDigest, type Sendable } from './send-download.js';

/** The bytes of a download request, ready to be sent. Errors: those of the use cases. */
export async function openDownload(
  uses: Uses<'store' | 'blobs' | 'verifiedBlobs' | 'renditionMaker'>,
  caller: Caller,
  id: Id,
  query: { rendition?: 'original' | RenditionName; format?: 'jpeg' | 'webp'; disposition?: Sendable['disposition'] },
): Promise<Sendable> {
  const { rendition = 'original', format, disposition = 'attachment' } = query;
  if (rendition !== 'original') {
    const download = await downloadRendition(uses, caller, id, { name: rendition, format });
    return { ...sendableRendition(download), disposition, headers: privateHeaders };
  }
  const download = await downloadOriginal(uses, caller, id);
  const { sha256, createdAt, filename } = download.photo;
  return {
    ...download,
    entityTag: `"sha256-${sha256}"`,
    lastModified: createdAt,
    filename,
    disposition,
    headers: { ...privateHeaders, 'Repr-Digest': reprDigest(sha256) },
  };
}

/** The tag contains everything that the bytes depend on. A new rotation is a new picture, so its date is that of the last change. */
export function sendableRendition(download: RenditionDownload) {
  const { photo, name, format } = download;
  return {
    ...download,
    entityTag: `"${photo.sha256}-${name}-${format}-r${photo.rotation}"`,
    lastModified: photo.updatedAt,
    filename: `${stem(photo.filename)}.${format === 'jpeg' ? 'jpg' : format}`,
  };
}

/** The name without its ending; a name that begins with its only dot has none. */
function stem(filename: string): string {
  const dot = filename.lastIndexOf('.');
  return dot > 0 ? filename.slice(0, dot) : filename;
}
