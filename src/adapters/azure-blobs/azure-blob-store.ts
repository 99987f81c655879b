import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobSASPermissions, RestError } from '@azure/storage-blob';
import { type BlobKey, checkKeys } from '../../core/blobs/blob-key.js';
import type { BlobInfo, ByteRange } from '../../core/blobs/blob-store.js';
import { forEachConcurrently } from '../../core/shared/for-each-concurrently.js';
import { onStore } from '../remote-blobs/outage.js';
import {
  type ListedPage,
  type PartsUpload,
  RemoteBlobStore,
  type StoredResponse,
} from '../remote-blobs/remote-blob-store.js';
import { type AzureContainer, infoOf, newMarks, refusalOf, sha256Of, unlessAbsent } from './azure-container.js';

const DELETED_AT_ONCE = 16;

/** Blobs as block blobs of a container: `container/<key>`. */
export class AzureBlobStore extends RemoteBlobStore {
  constructor(private readonly container: AzureContainer) {
    super('blob', container);
  }

  async copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    checkKeys(from, to);
    const source = await this.container.head(from);
    if (source?.etag !== ifMatch) return false;
    const { sizeBytes } = infoOf(source, source.contentLength);
    if (sizeBytes > this.container.parts.copied) {
      const read = await this.get(from);
      if (read?.etag === ifMatch) return this.put(to, read.bytes).then(() => true);
      await read?.bytes[Symbol.asyncIterator]().return?.();
      return false;
    }
    return onStore(async () => {
      try {
        const permissions = BlobSASPermissions.from({ read: true });
        // Azure may read the source for ten minutes.
        const expiresOn = new Date(Date.now() + 10 * 60_000);
        const url = await this.container.blob(from).generateSasUrl({ permissions, expiresOn });
        const options = { metadata: newMarks(sha256Of(source)), sourceConditions: { ifMatch } };
        await this.container.call((signal) => this.container.blob(to).syncCopyFromURL(url, { ...options, ...signal }));
        return true;
      } catch (error) {
        // Azure has several codes for a source that was rewritten or deleted meanwhile.
        if ((await this.container.head(from))?.etag !== ifMatch) return false;
        throw error;
      }
    });
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    checkKeys(...keys);
    const deleteOne = async (key: BlobKey) => {
      const blob = this.container.blob(key);
      const remove = () =>
        this.container.call((signal) => blob.delete({ deleteSnapshots: 'include', ...signal })).catch(unlessAbsent);
      try {
        await remove();
      } catch (error) {
        // A client that was given a signed address may also lease or snapshot its blob.
        if (refusalOf(error) !== 'LeaseIdMissing') throw error;
        await this.container.call((signal) => blob.getBlobLeaseClient().breakLease(0, signal));
        await remove();
      }
    };
    await onStore(() => forEachConcurrently<BlobKey>(Readable.from(new Set(keys)), DELETED_AT_ONCE, deleteOne));
  }

  /** Azure removes blocks of unfinished puts by itself, after a week. */
  async sweep(): Promise<void> {}

  protected async putAtOnce(key: BlobKey, bytes: Uint8Array): Promise<BlobInfo> {
    const metadata = newMarks(createHash('sha256').update(bytes).digest('hex'));
    const blobHTTPHeaders = { blobContentMD5: md5(bytes) };
    const { etag } = await onStore(() =>
      this.container.send((signal) =>
        this.container.blob(key).upload(bytes, bytes.length, { metadata, blobHTTPHeaders, ...signal }),
      ),
    );
    return infoOf({ etag }, bytes.length);
  }

  /** A blob that is sent in blocks exists once their list is committed. */
  protected async beginParts(key: BlobKey): Promise<PartsUpload> {
    const before = await this.container.head(key);
    // All names of blocks of a blob must have one length; random, because other writers of the same key send theirs to the same place.
    const prefix = randomBytes(16).toString('hex');
    const blocks: string[] = [];
    const blob = this.container.blob(key);
    return {
      send: async (bytes) => {
        const name = Buffer.from(`${prefix}${String(blocks.length).padStart(5, '0')}`).toString('base64');
        blocks.push(name);
        const transactionalContentMD5 = md5(bytes);
        await onStore(() =>
          this.container.send((signal) =>
            blob.stageBlock(name, bytes, bytes.length, { transactionalContentMD5, ...signal }),
          ),
        );
      },
      complete: (sizeBytes) =>
        onStore(async () => {
          try {
            const { etag } = await this.container.call((signal) => blob.commitBlockList(blocks, signal));
            return infoOf({ etag }, sizeBytes);
          } catch (error) {
            // A commit drops the blocks of all other writers of the key. If the blob is another than at the beginning, that is what happened:
            // this one existed for a moment before it was replaced.
            if (refusalOf(error) !== 'InvalidBlockList') throw error;
            const found = await this.container.head(key);
            if (found?.etag === undefined || found.etag === before?.etag) throw error;
            return { sizeBytes, etag: prefix };
          }
        }),
      /** Nothing to do: Azure removes blocks that were never committed. */
      async giveUp() {},
    };
  }

  protected async infoAt(key: BlobKey): Promise<BlobInfo | null> {
    const found = await this.container.head(key);
    return found && infoOf(found, found.contentLength);
  }

  protected async open(key: BlobKey, range: ByteRange | undefined): Promise<StoredResponse | 'not within' | null> {
    const [offset, count] = range === undefined ? [0] : [range.start, range.end - range.start + 1];
    const blob = this.container.blob(key, { forReading: true });
    try {
      const answer = await this.container.call((signal) =>
        // What ends early is an outage, and not requested again: the blob may be another by then.
        blob.download(offset, count, { maxRetryRequests: 0, ...signal }),
      );
      const { contentRange, contentLength } = answer;
      const body = answer.readableStreamBody as Readable;
      return { contentRange, contentLength, infoOf: (size) => infoOf(answer, size), sha256: sha256Of(answer), body };
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 416) return 'not within';
      return unlessAbsent(error);
    }
  }

  protected listPage(prefix: string, continuationToken: string | undefined): Promise<ListedPage> {
    return this.container.call(async (signal) => {
      const pages = this.container.client.listBlobsFlat({ prefix, ...signal });
      const page = await pages.byPage(continuationToken === undefined ? {} : { continuationToken }).next();
      if (page.done) throw new Error('The store did not return a page of its list.');
      const blobs = page.value.segment.blobItems.map(({ name, properties }) => ({
        key: name,
        sizeBytes: properties.contentLength,
        modifiedAt: properties.lastModified,
      }));
      return { blobs, next: page.value.continuationToken || undefined };
    });
  }
}

/** Checked by Azure, so that what was changed on the way is not stored. */
function md5(bytes: Uint8Array): Uint8Array {
  return createHash('md5').update(bytes).digest();
}
