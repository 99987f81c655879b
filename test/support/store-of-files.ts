import { type BlobKey } from '../../src/core/blobs/blob-key.js';
import type { BlobFile, BlobState, ByteRange, OpenBlob } from '../../src/core/blobs/blob-store.js';
import type { PictureBytes } from '../../src/core/media/media-reader.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryMediaReader } from '../../testing/memory/memory-media-reader.js';
import { present } from './tenant.js';

/** Files, as far as anybody can tell. What happens to `rotten` ones leaves no trace. */
export class StoreOfFiles extends MemoryBlobStore {
  readonly touched = new Map<BlobKey, BlobState>();
  readonly rotten = new Set<BlobKey>();
  bytesRead = 0;

  async stateOf(key: BlobKey): Promise<BlobState> {
    const { etag } = present(await this.head(key));
    return this.touched.get(key) ?? { fingerprint: etag, changedAt: new Date(0) };
  }

  override async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    const blob = await super.get(key, range);
    return blob && { ...blob, bytes: this.read(key, blob.bytes), state: await this.stateOf(key) };
  }

  override async file(key: BlobKey): Promise<BlobFile | null> {
    return (
      (await this.head(key)) && {
        ...present(await this.head(key)),
        path: `/files/${key}`,
        state: await this.stateOf(key),
      }
    );
  }

  private async *read(key: BlobKey, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of bytes) {
      this.bytesRead += chunk.length;
      yield this.rotten.has(key) ? chunk.map((byte, at) => (at === 9 ? byte ^ 1 : byte)) : chunk;
    }
  }
}

/** Notes which pictures it was given as files. */
export class FileTakingReader extends MemoryMediaReader {
  readonly files: (string | null)[] = [];

  override async inspect(bytes: PictureBytes, bounds: Parameters<MemoryMediaReader['inspect']>[1]) {
    this.files.push((await bytes.file?.()) ?? null);
    return super.inspect(bytes, bounds);
  }

  override async render(bytes: PictureBytes, order: Parameters<MemoryMediaReader['render']>[1]) {
    this.files.push((await bytes.file?.()) ?? null);
    return super.render(bytes, order);
  }
}
