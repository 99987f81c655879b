import type { BlobStore, OpenBlob } from '../../core/blobs/blob-store.js';
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

  put(...blob: Parameters<BlobStore['put']>) {
    return this.observed('put', this.inner.put(...blob));
  }

  async get(...blob: Parameters<BlobStore['get']>): Promise<OpenBlob | null> {
    const opened = await this.observed('get', this.inner.get(...blob));
    return opened && { ...opened, bytes: this.observedBytes('get', opened.bytes) };
  }

  head(...blob: Parameters<BlobStore['head']>) {
    return this.observed('head', this.inner.head(...blob));
  }

  file(...blob: Parameters<BlobStore['file']>) {
    return this.observed('head', this.inner.file(...blob));
  }

  copy(...blobs: Parameters<BlobStore['copy']>) {
    return this.observed('copy', this.inner.copy(...blobs));
  }

  delete(...blobs: Parameters<BlobStore['delete']>) {
    return this.observed('delete', this.inner.delete(...blobs));
  }

  list(prefix: string) {
    return this.observedBytes('list', this.inner.list(prefix));
  }

  sweep(until: Date) {
    return this.observed('sweep', this.inner.sweep(until));
  }

  diskSpace() {
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
