import { urlProblem } from '../../../src/core/access/outgoing-url.js';
import type { SourceFetch, SourceFetchRepository } from '../../../src/core/imports/fetch/source-fetch.js';
import {
  type OpenSource,
  SourceFailure,
  type SourceReader,
  type SourceRequest,
} from '../../../src/core/imports/fetch/source-reader.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { MemoryDatabase } from '../memory-database.js';
import { storedJobKey } from '../memory-job-queue.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemorySourceFetchRepository extends MemoryRepository implements SourceFetchRepository {
  async get(itemId: Id): Promise<SourceFetch | null> {
    return this.database.sourceFetches.rowOf(this.customerId, itemId);
  }

  async put(fetches: readonly SourceFetch[]): Promise<void> {
    for (const fetch of fetches) {
      if (!this.held.isLocked('import', fetch.importId)) this.held.requireLocked('item', fetch.itemId);
      if (this.database.importPhotos.rowOf(this.customerId, fetch.itemId) === null) {
        throw new Error(`There is no item ${fetch.itemId}.`);
      }
      this.database.sourceFetches.set(fetch.itemId, { ...fetch, customerId: this.customerId });
    }
  }

  async lock(): Promise<void> {}

  async setValidator(itemId: Id, validator: string | null): Promise<void> {
    const stored = await this.get(itemId);
    if (stored !== null) this.database.sourceFetches.set(itemId, { ...stored, validator });
  }

  async delete(itemId: Id): Promise<void> {
    if ((await this.get(itemId)) !== null) deleteSourceFetch(this.database, itemId);
  }
}

/** Deletes a fetch and its job. */
export function deleteSourceFetch(database: MemoryDatabase, itemId: Id): void {
  const stored = database.sourceFetches.get(itemId);
  if (stored === undefined) return;
  const { customerId, importId, uploadId, host } = stored;
  database.jobs.delete(storedJobKey(customerId, { kind: 'fetch', importId, itemId, uploadId, host }));
  database.sourceFetches.delete(itemId);
}

/** A file on a server that exists in memory only. */
export interface MemorySource {
  readonly bytes: Uint8Array;
  /** Null: it cannot be continued. */
  readonly validator?: string | null;
  /** False: its size is not stated. */
  readonly statesSize?: boolean;
  /** The connection breaks after so many bytes of each response. */
  readonly breaksAfter?: number;
  readonly chunkBytes?: number;
  /** Waited for before each chunk. */
  readonly pace?: () => Promise<unknown>;
}

/** Reads files by their URLs, and keeps what it was asked for. */
export class MemorySourceReader implements SourceReader {
  readonly requests: SourceRequest[] = [];
  /** Sources that are open now. */
  openCount = 0;
  /** By URL. A failure is thrown; what is not here is not found. */
  readonly sources = new Map<string, MemorySource | SourceFailure>();

  problem(sourceUrl: string): string | null {
    return urlProblem(sourceUrl, false, { name: 'sourceUrl', example: 'https://example.com/photo.jpg' });
  }

  async open(request: SourceRequest, stopping: AbortSignal): Promise<OpenSource> {
    const { url, from, maxBytes } = request;
    this.requests.push(request);
    const source = this.sources.get(url) ?? failure('source_not_found', true);
    if (source instanceof SourceFailure) throw source;
    const { bytes, validator = null, statesSize = true } = source;
    if (statesSize && bytes.length > maxBytes) throw failure('file_too_large', true);
    const isSame = from !== null && from.validator === validator && from.offset < bytes.length;
    const offset = isSame ? from.offset : 0;
    this.openCount += 1;
    let isOpen = true;
    const close = () => {
      if (isOpen) this.openCount -= 1;
      isOpen = false;
    };
    const read = chunksOf(source, offset, () => !isOpen || stopping.aborted);
    return { offset, sizeBytes: statesSize ? bytes.length : null, validator, bytes: read, close };
  }
}

export function failure(code: SourceFailure['error']['code'], isFinal: boolean, retryAfter: number | null = null) {
  return new SourceFailure({ code, message: `The source failed: ${code}.` }, isFinal, retryAfter);
}

async function* chunksOf(source: MemorySource, offset: number, isOver: () => boolean): AsyncGenerator<Uint8Array> {
  const { bytes, breaksAfter = Number.POSITIVE_INFINITY, chunkBytes = 1024 ** 2, pace } = source;
  const end = Math.min(bytes.length, offset + breaksAfter);
  for (let at = offset; at < end; at += chunkBytes) {
    await pace?.();
    if (isOver()) throw failure('source_unreachable', false);
    yield bytes.subarray(at, Math.min(end, at + chunkBytes));
  }
  if (end < bytes.length) throw failure('source_unreachable', false);
}
