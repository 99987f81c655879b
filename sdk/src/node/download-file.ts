import { createHash, type Hash } from 'node:crypto';
import { ChecksumError, ConnectionError } from '../errors.js';
import type { PhotoService } from '../photo-service.js';
import type { Download } from '../photos.js';
import type { DownloadQuery } from '../resources.js';
import { pause } from '../transport.js';
import { replaceWhole } from './whole-files.js';

export interface DownloadFileOptions extends DownloadQuery {
  /** Called with the number of bytes received since its last call; negative if they have to be received again. */
  readonly onBytes?: (count: number) => void;
  readonly signal?: AbortSignal;
}

export interface DownloadedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** The SHA-256 of the file that was written. */
  readonly sha256: string;
}

/** The number of times that an interrupted download is resumed. Each time is one read. */
const ATTEMPTS = 5;

/**
 * Downloads a photo into a file. The bytes go to a new file beside it, which is renamed when its SHA-256 is correct and it is on the disk:
 * a file of this name is never a partial photo. An interrupted download is resumed. A link of this name is replaced, never followed.
 * @throws ChecksumError, ApiError, ConnectionError; then `path` is as it was before.
 */
export async function downloadFile(
  client: PhotoService,
  photoId: number,
  path: string,
  { onBytes = () => undefined, signal, ...query }: DownloadFileOptions = {},
): Promise<DownloadedFile> {
  return replaceWhole(path, 0o666, async (file) => {
    let hash: Hash = createHash('sha256');
    let offset = 0;
    let etag: string | null = null;
    for (let attempt = 1; ; attempt += 1) {
      const download: Download = await client.photos.download(photoId, {
        ...query,
        ...(offset > 0 && etag !== null && { from: { offset, ifRange: etag } }),
        ...(signal && { signal }),
      });
      if (!download.isPart && offset > 0) {
        onBytes(-offset);
        await file.truncate(0);
        [hash, offset] = [createHash('sha256'), 0];
      }
      etag = download.etag;
      try {
        for await (const chunk of download.stream) {
          if (download.sizeBytes !== null && offset + chunk.length > download.sizeBytes) {
            throw new ChecksumError(`More than the declared ${download.sizeBytes} bytes arrived.`);
          }
          await file.write(chunk, 0, chunk.length, offset);
          hash.update(chunk);
          offset += chunk.length;
          onBytes(chunk.length);
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ChecksumError) throw error;
        if ((error as NodeJS.ErrnoException).code?.startsWith('E')) throw error;
        if (attempt >= ATTEMPTS)
          throw new ConnectionError(`The download was interrupted ${attempt} times.`, { cause: error });
        await pause(500 * 2 ** attempt * (0.5 + Math.random() / 2), signal);
        continue;
      }
      const sha256 = hash.digest('hex');
      if (download.sizeBytes !== null && download.sizeBytes !== offset)
        throw new ChecksumError(`${offset} bytes arrived instead of ${download.sizeBytes}.`);
      if (download.sha256 !== null && download.sha256 !== sha256)
        throw new ChecksumError(`The bytes have the SHA-256 ${sha256} instead of ${download.sha256}.`);
      return { path, sizeBytes: offset, sha256 };
    }
  });
}
