import type { IncomingHttpHeaders } from 'node:http';
import { SourceFailure } from '../../core/imports/fetch/source-reader.js';
import { reasonOf } from '../outgoing/reasons.js';

/** Nothing has arrived for too long. */
export class TooQuiet extends Error {}

export function unreachable(message: string, isFinal: boolean, retryAfterSeconds: number | null = null): SourceFailure {
  return new SourceFailure({ code: 'source_unreachable', message }, isFinal, retryAfterSeconds);
}

export function forbidden(message: string): SourceFailure {
  return new SourceFailure({ code: 'source_forbidden', message }, true);
}

/** For an error of a request. Messages contain neither URLs nor addresses: the query of a URL may be a secret. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (error instanceof TooQuiet) return unreachable('The source sent nothing for too long.', false);
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  return unreachable(isLate ? 'The source took too long.' : reasonOf(error), false);
}

const FORBIDDEN = [401, 403, 407, 451];
const NOT_FOUND = [404, 410];
/** The same request may succeed later. */
const PASSING = [408, 421, 425, 429];

export function failureOfStatus(status: number, headers: IncomingHttpHeaders): SourceFailure {
  const message = `The source responded with status ${status}.`;
  if (FORBIDDEN.includes(status)) return forbidden(message);
  if (NOT_FOUND.includes(status)) return new SourceFailure({ code: 'source_not_found', message }, true);
  return unreachable(message, !PASSING.includes(status) && status < 500, secondsOf(headers['retry-after']));
}

/** In seconds only: a date is rarely sent, and clocks differ. */
function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;
}
