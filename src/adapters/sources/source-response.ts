import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type OpenSource, SourceFailure, type SourceRequest } from '../../core/imports/fetch/source-reader.js';
import { unreachable } from './source-failures.js';

/** Seconds after a change in which `Last-Modified` may be the same for two versions of a file. */
const WEAK_SECONDS = 60;

/** What a 200 or 206 says about the file. Throws `SourceFailure`. */
export function readResponse(
  { from, maxBytes }: SourceRequest,
  { statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
): Pick<OpenSource, 'offset' | 'sizeBytes' | 'validator'> {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity' && coding !== '') {
    throw unreachable('The source sends the file compressed, although it was asked not to.', true);
  }
  const whole = statusCode === 206 ? continued(from, headers) : { offset: 0, sizeBytes: lengthOf(headers) };
  if (whole.sizeBytes !== null && whole.sizeBytes > maxBytes) throw tooLargeFor(maxBytes);
  return { ...whole, validator: validatorOf(headers) };
}

function tooLargeFor(maxBytes: number): SourceFailure {
  const message = `The file is larger than ${maxBytes} bytes, the maximum.`;
  return new SourceFailure({ code: 'file_too_large', message }, true);
}

/** The rest of the file, from where it was asked for. */
function continued(from: SourceRequest['from'], headers: IncomingHttpHeaders): { offset: number; sizeBytes: number } {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  const isRest = from !== null && Number(first) === from.offset && Number(last) === Number(total) - 1;
  if (!isRest) throw unreachable('The source sent another part of the file than it was asked for.', false);
  return { offset: from.offset, sizeBytes: Number(total) };
}

function lengthOf({ 'content-length': length }: IncomingHttpHeaders): number | null {
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** What `If-Range` takes: a strong ETag, or a time long enough ago (RFC 9110, 8.8.2.2). */
function validatorOf(headers: IncomingHttpHeaders): string | null {
  if (headers['accept-ranges']?.toLowerCase() === 'none') return null;
  const { etag, date, 'last-modified': modified } = headers;
  if (etag !== undefined) return etag.length <= 502 && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : null;
  if (modified === undefined || date === undefined || modified.length > 50) return null;
  return Date.parse(date) - Date.parse(modified) >= WEAK_SECONDS * 1000 ? modified : null;
}
