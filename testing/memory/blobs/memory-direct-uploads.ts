import { inOneChunk } from '../../../src/core/blobs/blob-bytes.js';
import { type BlobKey } from '../../../src/core/blobs/blob-key.js';
import type { BlobStore } from '../../../src/core/blobs/blob-store.js';
import type { DirectUploads, ExpectedBlob } from '../../../src/core/blobs/direct-uploads.js';
import type { UploadAddress } from '../../../src/core/shared/addresses.js';
import { after, type Clock, SECOND } from '../../../src/core/shared/clock.js';

/** Addresses that `put` takes, as the server of a real store would. */
export class MemoryDirectUploads implements DirectUploads {
  private readonly grants = new Map<string, Grant>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly clock: Clock,
  ) {}

  async sign(blobs: readonly ExpectedBlob[], seconds: number): Promise<readonly UploadAddress[]> {
    const expiresAt = after(this.clock.now(), seconds * SECOND);
    return blobs.map(({ key, sizeBytes, sha256 }) => {
      const url = `${ORIGIN}/${this.grants.size}/${key}`;
      const headers = { 'content-length': String(sizeBytes), ...(sha256 !== null && { 'x-sha256': sha256 }) };
      this.grants.set(url, { key, headers, expiresAt });
      return { url, headers };
    });
  }

  async origin(): Promise<string> {
    return ORIGIN;
  }

  /** The request of a client. False when it is refused, and nothing is stored then. */
  async put(url: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Promise<boolean> {
    const grant = this.grants.get(url);
    if (grant === undefined || grant.expiresAt.getTime() <= this.clock.now().getTime()) return false;
    const asSigned = Object.entries(grant.headers).every(([name, value]) => headers[name] === value);
    if (!asSigned || headers['content-length'] !== String(bytes.length)) return false;
    await this.blobs.put(grant.key, inOneChunk(bytes));
    return true;
  }
}

/** There is no server: `put` stands for it. */
const ORIGIN = 'https://store.invalid';

interface Grant {
  readonly key: BlobKey;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}
