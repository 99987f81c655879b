import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { checkedRange, readOnce } from '../../core/blobs/blob-bytes.js';
import type { BlobInfo, ByteRange, OpenBlob } from '../../core/blobs/blob-store.js';
import { storeOutage } from './outage.js';

/** Whether it could be a range of some blob, and may be requested. */
export function isSound(range: ByteRange | undefined): boolean {
  if (range === undefined) return true;
  return Number.isInteger(range.start) && Number.isInteger(range.end) && 0 <= range.start && range.start <= range.end;
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

/**
 * Accepts only a response that matches the request.
 * @param silence Milliseconds that the store may take for the next bytes, however slow the reader is. Errors: RangeError, `service_unavailable`.
 */
export async function openBody(
  response: StoredResponse,
  range: ByteRange | undefined,
  silence: number,
): Promise<OpenBlob> {
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
    return { ...info, bytes: await checkedBody(body, { length, sha256, silence }) };
  } catch (error) {
    body.destroy();
    throw error;
  }
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
export async function checkedBody(body: Readable, expected: ExpectedBody): Promise<AsyncIterable<Uint8Array>> {
  const reader = checked(body, expected);
  // A generator that was never entered skips its `finally` when it is returned, and the connection would stay open: enter it, up to the
  // first yield.
  await reader.next();
  return readOnce(reader);
}

async function* checked(body: Readable, expected: ExpectedBody): AsyncGenerator<Uint8Array, void, void> {
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

async function* arriving(body: Readable, silence: number): AsyncGenerator<Uint8Array, void, void> {
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
