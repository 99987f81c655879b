import type { Readable } from 'node:stream';
import { checkedRange } from '../../core/blobs/blob-bytes.js';
import { type BlobKey, checkKeys, checkPrefix, isBlobKey } from '../../core/blobs/blob-key.js';
import type { BlobInfo, BlobStore, ByteRange, ListedBlob, OpenBlob } from '../../core/blobs/blob-store.js';
import { checkedBody } from './body.js';
import { onStore, type StoreTimeouts, storeOutage } from './outage.js';
import { inParts, type Part } from './parts.js';

/** Sizes in bytes. */
export interface PartSizes {
  /** Size of a part, which is also held in memory. */
  readonly sent: number;
  /** Bytes that the store copies per call: one call must end before the store is considered dead. */
  readonly copied: number;
}

/** The response of a store to a request for bytes, which is not trusted. */
export interface StoredResponse {
  /** `Content-Range` as the store stated it; absent for a whole blob. */
  readonly contentRange: string | undefined;
  readonly contentLength: number | undefined;
  /** The blob's facts, given the size that its response states. */
  readonly infoOf: (sizeBytes: number | undefined) => BlobInfo;
  /** 64 hex digits of the whole blob; null when unknown. */
  readonly sha256: string | null;
  /** A timeout of its connection must not count while it is paused. */
  readonly body: Readable;
}

/** A page of a list, as far as the store tells. */
export interface ListedPage {
  readonly blobs: readonly {
    key?: string | undefined;
    sizeBytes?: number | undefined;
    modifiedAt?: Date | undefined;
  }[];
  readonly next: string | undefined;
}

/** A blob on its way into a store in parts: it appears as a whole, at the end. Parts are sent one after the other. */
export interface PartsUpload {
  send(bytes: Uint8Array): Promise<void>;
  /** Resolves when the blob exists, or existed and has been replaced since. */
  complete(sizeBytes: number): Promise<BlobInfo>;
  /** Best effort. After an outage, which is a `DomainError`, the caller has waited long enough and does not wait for it. */
  giveUp(because: unknown): Promise<void>;
}

/** Blobs in a store over the network, which any number of processes may use. */
export abstract class RemoteBlobStore implements BlobStore {
  /** @param noun The store's own word for a blob. */
  constructor(
    private readonly noun: 'blob' | 'object',
    private readonly limits: { readonly patience: StoreTimeouts; readonly parts: PartSizes },
  ) {}

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    checkKeys(key);
    const parts = inParts(bytes, this.limits.parts.sent);
    try {
      const first = await parts.next();
      if (first.done) throw new Error('There is always a last part.');
      if (first.value.isLast) return await this.putAtOnce(key, first.value.bytes);
      return await sendAll(await this.beginParts(key), first.value, parts);
    } finally {
      await parts.return();
    }
  }

  async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    checkKeys(key);
    const isSound =
      range === undefined ||
      (Number.isInteger(range.start) && Number.isInteger(range.end) && 0 <= range.start && range.start <= range.end);
    const answer = isSound ? await onStore(() => this.open(key, range)) : 'not within';
    if (answer === null) return null;
    if (answer !== 'not within') return this.opened(answer, range);
    const found = await this.head(key);
    if (found === null) return null;
    checkedRange(range, found.sizeBytes);
    throw storeOutage(new Error(`The store refused a range within the ${this.noun}.`));
  }

  async head(key: BlobKey): Promise<BlobInfo | null> {
    checkKeys(key);
    return this.infoAt(key);
  }

  async file(key: BlobKey): Promise<null> {
    checkKeys(key);
    return null;
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    checkPrefix(prefix);
    let from: string | undefined;
    do {
      const page: ListedPage = await onStore(() => this.listPage(prefix, from));
      for (const { key = '', sizeBytes, modifiedAt } of page.blobs) {
        // What has a name that is not a key was not created by the service.
        if (!isBlobKey(key) || sizeBytes === undefined || modifiedAt === undefined) continue;
        // Stores round the second of a write down; a blob must never look older than it is.
        yield { key, sizeBytes, modifiedAt: new Date(modifiedAt.getTime() + 999) };
      }
      from = page.next;
    } while (from !== undefined);
  }

  /** A store has no known capacity. */
  async diskSpace(): Promise<null> {
    return null;
  }

  abstract copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean>;
  abstract delete(keys: readonly BlobKey[]): Promise<void>;
  abstract sweep(until: Date): Promise<void>;

  protected abstract putAtOnce(key: BlobKey, bytes: Uint8Array): Promise<BlobInfo>;
  protected abstract beginParts(key: BlobKey): Promise<PartsUpload>;
  protected abstract infoAt(key: BlobKey): Promise<BlobInfo | null>;
  /** Null when the blob is absent. A range that only begins within the blob is answered up to the end of the blob. */
  protected abstract open(key: BlobKey, range: ByteRange | undefined): Promise<StoredResponse | 'not within' | null>;
  protected abstract listPage(prefix: string, from: string | undefined): Promise<ListedPage>;

  /** Accepts only a response that matches the request. Errors: RangeError, `service_unavailable`. */
  private async opened(response: StoredResponse, range: ByteRange | undefined): Promise<OpenBlob> {
    const { body, contentRange, contentLength } = response;
    try {
      const stated = /^bytes (\d+)-(\d+)\/(\d+)$/
        .exec(contentRange ?? '')
        ?.slice(1)
        .map(Number);
      const info = response.infoOf(stated?.[2] ?? contentLength);
      const { start, end } = checkedRange(range, info.sizeBytes);
      const length = end - start + 1;
      const isAsked = range === undefined ? stated === undefined : stated?.[0] === start && stated[1] === end;
      if (!isAsked || contentLength !== length) {
        throw storeOutage(
          new Error(`Bytes ${start} to ${end} were requested, but the store returned ${stated ?? contentLength}.`),
        );
      }
      const sha256 = range === undefined ? response.sha256 : null;
      return { ...info, bytes: await checkedBody(body, { length, sha256, silence: this.limits.patience.silence }) };
    } catch (error) {
      body.destroy();
      throw error;
    }
  }
}

/** One part is being sent while the next one fills. */
async function sendAll(upload: PartsUpload, first: Part, rest: AsyncIterable<Part>): Promise<BlobInfo> {
  let sending = upload.send(first.bytes);
  let sizeBytes = first.bytes.length;
  try {
    for await (const { bytes } of rest) {
      await sending;
      sizeBytes += bytes.length;
      sending = upload.send(bytes);
    }
    await sending;
    return await upload.complete(sizeBytes);
  } catch (error) {
    await sending.catch(() => undefined);
    await upload.giveUp(error);
    throw error;
  }
}
