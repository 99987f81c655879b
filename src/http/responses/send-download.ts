import type { IncomingMessage, ServerResponse } from 'node:http';
import contentDisposition from 'content-disposition';
import { fileName } from 'photo-service-cli/file-name';
import type { BlobInfo, ByteRange } from '../../core/blobs/blob-store.js';
import type { Download } from '../../core/photos/original.js';
import { DomainError } from '../../core/shared/errors.js';
import type { HttpOptions } from '../http-options.js';
import { headerOf } from '../server/request.js';
import { requestContextOf } from '../server/request-context.js';
import { noneMatch, requireMatch } from './reply.js';

/** Headers with which a GET requests something other than everything. */
const CONDITIONS = ['if-none-match', 'if-modified-since', 'range', 'if-match', 'if-unmodified-since'] as const;

/** A server in front of this one that can read the blobs by itself, if there is one. */
export type FrontServer = Pick<HttpOptions, 'trustedProxies' | 'blobsLocation'>;

/** Bytes and everything that their headers say about them. */
export interface Sendable extends Omit<Download, 'photo'> {
  /** Strong, with its quotes. A function, if the bytes depend on more than what is known before they exist. */
  readonly entityTag: string | ((info: BlobInfo) => string);
  /** Null: unknown, and not sent. */
  readonly lastModified: Date | null;
  readonly filename: string;
  readonly disposition: 'attachment' | 'inline';
  readonly headers: Readonly<Record<string, string>>;
}

/** Only the browser that asked stores it, and asks each time whether it may still use it. */
export const privateHeaders = { 'Cache-Control': 'private, no-cache, no-transform' } as const;

/**
 * Responds with bytes: 200, 206, 304, 412 or 416 (RFC 9110 §13, §14). They are sent no faster than the client reads. When the store fails after
 * the first byte the connection is closed: a partial response can never be taken for the whole.
 * @param front The server that sends whole files instead, for requests that came through it.
 */
export async function sendDownload(
  request: IncomingMessage,
  response: ServerResponse,
  sendable: Sendable,
  front: FrontServer | null = null,
): Promise<void> {
  const isPlain = request.method === 'GET' && !CONDITIONS.some((name) => headerOf(request, name) !== undefined);
  if (isPlain && isBehind(front, request)) {
    await handOver(request, response, sendable, front);
    return;
  }
  // A request for everything, unconditionally, needs no check before opening.
  const all = isPlain ? await sendable.open() : null;
  const info = all ?? (await sendable.info());
  const { sizeBytes } = info;
  const tag = tagOf(sendable, info);
  if (all === null) requireCurrent(request, sendable, tag);
  setHeaders(response, sendable, tag);
  if (all === null && isUnchanged(request, sendable, tag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const range = rangeOf(request, response, sendable, info);
  const length = range ? range.end - range.start + 1 : sizeBytes;
  const opened = request.method === 'HEAD' ? null : (all ?? (await sendable.open(range)));
  // Of another length when it was replaced meanwhile: sending its bytes tells.
  const inMemory = opened?.inMemory?.length === length ? opened.inMemory : undefined;
  const bytes = opened === null || inMemory !== undefined ? null : await withFirstChunk(opened.bytes);
  // Only now: nothing of a range belongs to an error.
  if (range) {
    response.statusCode = 206;
    response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  }
  response.setHeader('Content-Type', sendable.contentType);
  response.setHeader('Content-Length', length);
  if (bytes !== null) await sendBytes(response, bytes, length, opened?.release);
  // A client that has disconnected gets none.
  else if (!response.destroyed) response.end(inMemory);
}

type ReadingFront = FrontServer & { readonly blobsLocation: string };

/** Requests that bypass the front server must neither see its headers nor miss the bytes. */
function isBehind(front: FrontServer | null, { socket }: IncomingMessage): front is ReadingFront {
  if (front === null || front.blobsLocation === null || front.trustedProxies === null) return false;
  return front.trustedProxies.contains(socket.remoteAddress ?? '');
}

/** All headers about the bytes, and where nginx finds them. */
async function handOver(
  request: IncomingMessage,
  response: ServerResponse,
  sendable: Sendable,
  { blobsLocation }: ReadingFront,
): Promise<void> {
  const key = await sendable.blobKey();
  const info = await sendable.info();
  requestContextOf(request).sentByFront = info.sizeBytes;
  setHeaders(response, sendable, tagOf(sendable, info));
  // nginx adds it again.
  response.removeHeader('Accept-Ranges');
  response.setHeader('Content-Type', sendable.contentType);
  response.setHeader('X-Accel-Redirect', `${blobsLocation}/${key}`);
  response.end();
}

function tagOf({ entityTag }: Sendable, info: BlobInfo): string {
  return typeof entityTag === 'string' ? entityTag : entityTag(info);
}

function setHeaders(
  response: ServerResponse,
  { lastModified, filename, disposition, headers }: Sendable,
  tag: string,
): void {
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('ETag', tag);
  if (lastModified !== null) response.setHeader('Last-Modified', lastModified.toUTCString());
  response.setHeader('Content-Disposition', dispositionOf(filename, disposition));
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

const PLAIN_NAME = /^[A-Za-z0-9_ .()-]+$/;

/** RFC 6266: an ASCII name for everyone, and by RFC 8187 the real one, as it is in archives: without what changes how it is read. */
export function dispositionOf(filename: string, type: 'attachment' | 'inline'): string {
  const name = fileName(filename);
  // Most are written as they are, which need not be found out again.
  if (PLAIN_NAME.test(name)) return `${type}; filename="${name}"`;
  return contentDisposition(name, { type, fallback: name.replace(/[^\x20-\x7e]|%/gu, '_') });
}

/**
 * `If-Match`; only without it, `If-Unmodified-Since` (RFC 9110 §13.2.2). With them a client makes sure that the ranges it puts together are
 * those of one file. Errors: `precondition_failed`.
 */
function requireCurrent(request: IncomingMessage, { lastModified }: Sendable, tag: string): void {
  const match = headerOf(request, 'if-match');
  requireMatch(match, tag);
  if (match !== undefined) return;
  const since = Date.parse(headerOf(request, 'if-unmodified-since') ?? '');
  if (lastModified === null || Number.isNaN(since) || wholeSeconds(lastModified) <= since) return;
  const message = 'The file has changed since the time in If-Unmodified-Since. Retrieve all of it again.';
  throw new DomainError('precondition_failed', message, { currentEtag: tag });
}

/** `If-None-Match`; only without it, `If-Modified-Since` (RFC 9110 §13.2.2). */
function isUnchanged(request: IncomingMessage, { lastModified }: Sendable, tag: string): boolean {
  const known = headerOf(request, 'if-none-match');
  if (known !== undefined) return !noneMatch(known, tag);
  return (
    lastModified !== null && Date.parse(headerOf(request, 'if-modified-since') ?? '') >= wholeSeconds(lastModified)
  );
}

/** One range is sent as such. Several ranges, other units and invalid ones get everything, as RFC 9110 §14.2 allows. */
function rangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  sendable: Sendable,
  info: BlobInfo,
): ByteRange | undefined {
  const { sizeBytes } = info;
  const header = headerOf(request, 'range');
  if (header === undefined || !isStillCurrent(headerOf(request, 'if-range'), sendable, tagOf(sendable, info)))
    return undefined;
  const range = singleRange(header, sizeBytes);
  if (range !== 'unsatisfiable') return range;
  response.setHeader('Content-Range', `bytes */${sizeBytes}`);
  const message = `The file has ${sizeBytes} bytes; the range starts after its end.`;
  throw new DomainError('range_not_satisfiable', message);
}

/** One range of bytes (RFC 9110 §14.1.2): from–to, from–, or –last; truncated to the end. Undefined when it is not one. */
export function singleRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i.exec(header) ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return to.match(/^0+$/) ? 'unsatisfiable' : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const [start, end] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

/** `If-Range` (RFC 9110 §13.1.5): a strong tag, or exactly the date that we sent. */
function isStillCurrent(ifRange: string | undefined, { lastModified }: Sendable, tag: string): boolean {
  if (ifRange === undefined || ifRange === tag) return true;
  return lastModified !== null && Date.parse(ifRange) === wholeSeconds(lastModified);
}

function wholeSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000) * 1000;
}

/** RFC 9530. */
export function reprDigest(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
}

/**
 * Writes bytes to a response, no faster than the client reads, and ends it. When their source fails the connection is closed and the error
 * is thrown: a partial response can never be taken for the whole. A client that disconnects is not an error.
 * @param length As announced in the headers; null when unknown.
 * @param release Called with each chunk but the last once the system has it, if the source wants it back.
 */
export async function sendBytes(
  response: ServerResponse,
  bytes: AsyncIterable<Uint8Array>,
  length: number | null = null,
  release?: (piece: Uint8Array) => void,
): Promise<void> {
  let left = length ?? Number.POSITIVE_INFINITY;
  try {
    for await (const chunk of bytes) {
      // Returning tells the source that no more is needed.
      if (response.destroyed) return;
      left -= chunk.length;
      if (left < 0) throw new Error(`There are more bytes than the declared ${length}.`);
      // The last ones with the end: a small body is sent together with its headers.
      if (left === 0) response.end(chunk);
      else if (!response.write(chunk, (error) => !error && release?.(chunk))) await waitForDrain(response);
    }
    if (length !== null && left > 0) throw new Error(`${left} of ${length} bytes are missing.`);
    if (!response.writableEnded) response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      response.off('drain', goOn);
      response.off('close', goOn);
      resolve();
    };
    response.on('drain', goOn);
    response.on('close', goOn);
  });
}

/** Waits for the first bytes, so that a source that has none still becomes a proper error. */
export async function withFirstChunk(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  return continueFrom(first, iterator);
}

async function* continueFrom(
  first: IteratorResult<Uint8Array>,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
