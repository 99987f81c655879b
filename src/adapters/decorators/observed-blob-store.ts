import type { BlobKey } from '../../core/blobs/blob-key.js';
import type {
  BlobFile,
  BlobInfo,
  BlobStore,
  ByteRange,
  DiskSpace,
  ListedBlob,
  OpenBlob,
} from '../../core/blobs/blob-store.js';
import { isOutage } from '../../core/shared/errors.js';

/** A method of the store, by its name in the metric: `diskSpace` has always been `room` there, and `file` is a `head`. */
export type BlobOperation = Exclude<keyof BlobStore, 'diskSpace' | 'file'> | 'room';

/** A blob store whose outages are reported. Changes nothing else. */
export class ObservedBlobStore implements BlobStore {
  constructor(
    private readonly inner: BlobStore,
    /** Called with the name of a method that failed because the store is unavailable. Must not throw. */
    private readonly onFailure: (operation: BlobOperation) => void,
  ) {}

  put(...blob: Parameters<BlobStore['put']>): Promise<BlobInfo> {
    return this.observed('put', this.inner.put(...blob));
  }

  async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    const opened = await this.observed('get', this.inner.get(key, range));
    return opened && { ...opened, bytes: this.observedBytes('get', opened.bytes) };
  }

  head(key: BlobKey, isSeenLately?: boolean): Promise<BlobInfo | null> {
    return this.observed('head', this.inner.head(key, isSeenLately));
  }

  file(key: BlobKey): Promise<BlobFile | null> {
    return this.observed('head', this.inner.file(key));
  }

  copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    return this.observed('copy', this.inner.copy(from, to, ifMatch));
  }

  delete(...blobs: Parameters<BlobStore['delete']>): Promise<void> {
    return this.observed('delete', this.inner.delete(...blobs));
  }

  list(prefix: string): AsyncIterable<ListedBlob> {
    return this.observedBytes('list', this.inner.list(prefix));
  }

  sweep(until: Date): Promise<void> {
    return this.observed('sweep', this.inner.sweep(until));
  }

  diskSpace(): Promise<DiskSpace | null> {
    return this.observed('room', this.inner.diskSpace());
  }

  private async observed<T>(operation: BlobOperation, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (isOutage(error)) this.onFailure(operation);
      throw error;
    }
  }

  /** The same iteration, `return()` included, which also reports what it throws. */
  private observedBytes<T>(operation: BlobOperation, inner: AsyncIterable<T>): AsyncIterable<T> {
    return {
      [Symbol.asyncIterator]: () => {
        const steps = inner[Symbol.asyncIterator]();
        return {
          next: () => this.observed(operation, steps.next()),
          return: async () => (await steps.return?.()) ?? { done: true, value: undefined },
        };
      },
    };
  }
}
