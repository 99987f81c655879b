import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { checkedRange, readOnce } from '../../core/blobs/blob-bytes.js';
import { type BlobKey, checkKeys, checkPrefix, isBlobKey } from '../../core/blobs/blob-key.js';
import type { BlobInfo, BlobStore, ByteRange, ListedBlob, OpenBlob } from '../../core/blobs/blob-store.js';
import { abortUnfinished, inParts, MultipartUpload, type Part } from './multipart.js';
import {
  infoOf,
  type Marks,
  newMarks,
  onStore,
  refusalOf,
  type S3Bucket,
  sha256Of,
  statusOf,
  storeOutage,
} from './s3-client.js';

/** Maximum number of keys that S3 accepts in one call. */
const DELETED_AT_ONCE = 1000;

/** Stores report the time of a write in whole seconds, rounded down; a blob must never look older than it is. */
const SECOND_CUT_OFF = 999;

/** Blobs as objects of a bucket: `bucket/<key>`. Any number of processes may use it. Requirements on the store: docs/decisions/0014. */
export class S3BlobStore implements BlobStore {
  constructor(private readonly bucket: S3Bucket) {}

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    checkKeys(key);
    const parts = inParts(bytes, this.bucket.parts.sent);
    try {
      const first = await parts.next();
      if (first.done) throw new Error('There is always a last part.');
      return await (first.value.isLast
        ? this.putAtOnce(key, first.value.bytes)
        : this.putInParts(key, first.value, parts));
    } finally {
      await parts.return();
    }
  }

  async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    checkKeys(key);
    const answer = isSound(range) ? await this.open(key, range) : 'not within';
    if (answer === null) return null;
    if (answer === 'not within') return this.refuse(key, range);
    const body = answer.Body as IncomingMessage;
    try {
      return await openBlob(answer, body, range, this.bucket.patience.silence);
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  async head(key: BlobKey): Promise<BlobInfo | null> {
    checkKeys(key);
    const found = await this.bucket.head(key);
    return found && infoOf(found, found.ContentLength);
  }

  async file(key: BlobKey): Promise<null> {
    checkKeys(key);
    return null;
  }

  async copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    checkKeys(from, to);
    const source = await this.bucket.head(from);
    if (source === null) return false;
    const { sizeBytes, etag } = infoOf(source, source.ContentLength);
    if (etag !== ifMatch) return false;
    const condition = { CopySource: `${this.bucket.name}/${from}`, CopySourceIfMatch: source.ETag };
    const marks = newMarks(sha256Of(source));
    return onStore(async () => {
      try {
        if (sizeBytes > this.bucket.parts.copied) await this.copyInParts(to, condition, marks, sizeBytes);
        else await this.copyAtOnce(to, condition, marks);
        return true;
      } catch (error) {
        if (refusalOf(error) === 'NoSuchKey' || statusOf(error) === 412) return false;
        throw error;
      }
    });
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    checkKeys(...keys);
    const left = [...new Set(keys)];
    while (left.length > 0) {
      const Objects = left.splice(0, DELETED_AT_ONCE).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.bucket.name, Delete: { Objects, Quiet: true } });
      await onStore(async () => {
        const { Errors = [] } = await this.bucket.call((client, options) => client.send(command, options));
        const failed = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
        if (failed.length > 0) throw new Error(`${failed.length} objects could not be deleted: ${failed[0]?.Code}`);
      });
    }
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    checkPrefix(prefix);
    let from: string | undefined;
    do {
      const page = await this.listPage(prefix, from);
      for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
        // An object whose name is not a key was not created by the service.
        if (!isBlobKey(Key) || Size === undefined || LastModified === undefined) continue;
        yield { key: Key, sizeBytes: Size, modifiedAt: new Date(LastModified.getTime() + SECOND_CUT_OFF) };
      }
      from = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (from !== undefined);
  }

  sweep(until: Date): Promise<void> {
    return abortUnfinished(this.bucket, until);
  }

  /** A bucket has no known capacity. */
  async diskSpace(): Promise<null> {
    return null;
  }

  private async putAtOnce(key: BlobKey, bytes: Uint8Array): Promise<BlobInfo> {
    const marks = newMarks(createHash('sha256').update(bytes).digest('hex'));
    const command = new PutObjectCommand({ Bucket: this.bucket.name, Key: key, Body: bytes, Metadata: marks });
    await onStore(() => this.bucket.send((client, options) => client.send(command, options)));
    return { sizeBytes: bytes.length, etag: marks.write };
  }

  /** One part is being sent while the next one fills. */
  private async putInParts(key: BlobKey, first: Part, rest: AsyncIterable<Part>): Promise<BlobInfo> {
    const marks = newMarks(null);
    const upload = await MultipartUpload.begin(this.bucket, key, marks);
    let sending = upload.send(first.bytes);
    let sizeBytes = first.bytes.length;
    try {
      for await (const { bytes } of rest) {
        await sending;
        sizeBytes += bytes.length;
        sending = upload.send(bytes);
      }
      await sending;
      await upload.complete(sizeBytes);
      return { sizeBytes, etag: marks.write };
    } catch (error) {
      await sending.catch(() => undefined);
      await upload.giveUp(error);
      throw error;
    }
  }

  private async copyAtOnce(to: BlobKey, condition: CopyCondition, Metadata: Marks): Promise<void> {
    const target = { Bucket: this.bucket.name, Key: to, Metadata, MetadataDirective: 'REPLACE' as const };
    const command = new CopyObjectCommand({ ...target, ...condition });
    await this.bucket.call((client, options) => client.send(command, options));
  }

  private async copyInParts(to: BlobKey, condition: CopyCondition, marks: Marks, sizeBytes: number): Promise<void> {
    const upload = await MultipartUpload.begin(this.bucket, to, marks);
    try {
      for (let start = 0; start < sizeBytes; start += this.bucket.parts.copied) {
        const end = Math.min(start + this.bucket.parts.copied, sizeBytes) - 1;
        await upload.copy({ ...condition, CopySourceRange: `bytes=${start}-${end}` });
      }
      await upload.complete(sizeBytes);
    } catch (error) {
      await upload.giveUp(error);
      throw error;
    }
  }

  /** Null when the object is absent. A range that only begins within the object is answered up to the end of the object. */
  private open(key: BlobKey, range: ByteRange | undefined): Promise<GetObjectCommandOutput | 'not within' | null> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ Bucket: this.bucket.name, Key: key, Range });
    return onStore(async () => {
      try {
        return await this.bucket.call((client, options) => client.send(command, options));
      } catch (error) {
        if (refusalOf(error) === 'NoSuchKey') return null;
        if (statusOf(error) === 416) return 'not within';
        throw error;
      }
    });
  }

  /** Null when the object is absent, otherwise an error. */
  private async refuse(key: BlobKey, range: ByteRange | undefined): Promise<null> {
    const found = await this.head(key);
    if (found === null) return null;
    checkedRange(range, found.sizeBytes);
    throw storeOutage(new Error('The store refused a range within the object.'));
  }

  private listPage(prefix: string, from: string | undefined): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command({ Bucket: this.bucket.name, Prefix: prefix, ContinuationToken: from });
    return onStore(() => this.bucket.call((client, options) => client.send(command, options)));
  }
}

type CopyCondition = { readonly CopySource: string; readonly CopySourceIfMatch: string | undefined };

/** Whether it could be a range of some blob, and may be requested. */
function isSound(range: ByteRange | undefined): boolean {
  if (range === undefined) return true;
  return Number.isInteger(range.start) && Number.isInteger(range.end) && 0 <= range.start && range.start <= range.end;
}

/** Accepts only a response that matches the request. Errors: RangeError, `service_unavailable`. */
async function openBlob(
  answer: GetObjectCommandOutput,
  body: IncomingMessage,
  range: ByteRange | undefined,
  silence: number,
): Promise<OpenBlob> {
  const stated = /^bytes (\d+)-(\d+)\/(\d+)$/
    .exec(answer.ContentRange ?? '')
    ?.slice(1)
    .map(Number);
  const info = infoOf(answer, stated?.[2] ?? answer.ContentLength);
  const { start, end } = checkedRange(range, info.sizeBytes);
  const length = end - start + 1;
  const isAsked = range === undefined ? stated === undefined : stated?.[0] === start && stated[1] === end;
  if (!isAsked || answer.ContentLength !== length) {
    throw storeOutage(
      new Error(`Bytes ${start} to ${end} were requested, but the store returned ${stated ?? answer.ContentLength}.`),
    );
  }
  const sha256 = range === undefined ? sha256Of(answer) : null;
  return { ...info, bytes: await checkedBody(body, { length, sha256, silence }) };
}

export interface ExpectedBody {
  /** The exact number of bytes expected. */
  readonly length: number;
  /** 64 hex digits of all of them; null when unknown. */
  readonly sha256: string | null;
  /** Milliseconds that the store may take for the next bytes, however slow the reader is. */
  readonly silence: number;
}

/**
 * The bytes of a response, once. The last ones are held back until all have been verified: a complete read is a correct one. Errors:
 * `service_unavailable` for a body that is short, long, wrong, cut off or stuck.
 */
async function checkedBody(body: IncomingMessage, expected: ExpectedBody): Promise<AsyncIterable<Uint8Array>> {
  // The client's own timeout does not distinguish a silent store from a paused reader.
  body.socket.setTimeout(0);
  const reader = checked(body, expected);
  // A generator that was never entered skips its `finally` when it is returned, and the connection would stay open: enter it, up to the
  // first yield.
  await reader.next();
  return readOnce(reader);
}

async function* checked(body: IncomingMessage, expected: ExpectedBody): AsyncGenerator<Uint8Array, void, void> {
  const { length, sha256 } = expected;
  const hash = sha256 === null ? null : createHash('sha256');
  let held: Uint8Array | null = null;
  let arrived = 0;
  try {
    yield new Uint8Array(0);
    for await (const chunk of arriving(body, expected.silence)) {
      if (held !== null) yield held;
      held = chunk;
      arrived += chunk.length;
      hash?.update(chunk);
      if (arrived > length) throw storeOutage(new Error(`more than ${length} bytes arrived`));
    }
    if (arrived < length) throw storeOutage(new Error(`only ${arrived} of ${length} bytes arrived`));
    if (hash !== null && hash.digest('hex') !== sha256)
      throw storeOutage(new Error('the bytes differ from those that were stored'));
    if (held !== null) yield held;
  } finally {
    body.destroy();
  }
}

async function* arriving(body: IncomingMessage, silence: number): AsyncGenerator<Uint8Array, void, void> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  for (;;) {
    const patience = setTimeout(() => body.destroy(new Error(`no bytes within ${silence} ms`)), silence);
    try {
      const next = await iterator.next();
      if (next.done) return;
      clearTimeout(patience);
      yield next.value;
    } catch (error) {
      throw storeOutage(error);
    } finally {
      clearTimeout(patience);
    }
  }
}
