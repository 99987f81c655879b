import type { Uses } from '../ports.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, codePoints } from '../shared/text.js';
import { type ApiKey, hashToken, lastFour, newToken } from './api-key.js';
import { MAX_IP_ENTRIES, normalizeRange } from './ip-list.js';
import { isScope, type Scope, scopes } from './scope.js';

export interface KeyRequest {
  readonly customerId: Id;
  readonly name: string;
  /** Names of scopes; `all` stands for every one. */
  readonly scopes: readonly string[];
  readonly ipList: readonly string[];
  /** Requests per minute; null is the default. */
  readonly readLimit: number | null;
  readonly writeLimit: number | null;
  readonly expiresAt: Date | null;
}

export interface IssuedKey {
  readonly key: ApiKey;
  /** The only time that the token is seen. */
  readonly token: string;
}

/** Makes a key for a customer. Errors: `invalid_request`, `not_found` (customer), `limit_reached`. */
export async function issueKey({ keys, clock }: Uses<'keys' | 'clock'>, request: KeyRequest): Promise<IssuedKey> {
  const name = cleanText(request.name);
  const ranges = request.ipList.map(normalizeRange);
  const errors = [
    ...nameErrors(name),
    ...scopeErrors(request.scopes),
    ...rangeErrors(request.ipList, ranges),
    ...limitErrors('readLimit', request.readLimit),
    ...limitErrors('writeLimit', request.writeLimit),
  ];
  if (errors.length > 0) throw invalid(...errors);
  const token = newToken();
  const key = await keys.create({
    customerId: request.customerId,
    name,
    tokenHash: hashToken(token),
    lastFour: lastFour(token),
    scopes: scopes.filter((scope) => request.scopes.includes('all') || request.scopes.includes(scope)) as Scope[],
    ipList: [...new Set(ranges.filter((range) => range !== null))],
    readLimit: request.readLimit,
    writeLimit: request.writeLimit,
    expiresAt: request.expiresAt,
    createdAt: clock.now(),
  });
  return { key, token };
}

function nameErrors(name: string): FieldError[] {
  const length = codePoints(name);
  if (length >= 1 && length <= 100) return [];
  return [
    { field: 'name', code: length === 0 ? 'required' : 'too_long', message: 'name must have 1 to 100 characters.' },
  ];
}

function scopeErrors(names: readonly string[]): FieldError[] {
  const known = `Scopes are ${scopes.join(', ')}, or all.`;
  if (names.length === 0) return [{ field: 'scopes', code: 'required', message: `A key needs a scope. ${known}` }];
  return names
    .filter((name) => name !== 'all' && !isScope(name))
    .map((name) => ({ field: 'scopes', code: 'invalid_format', message: `There is no scope ${name}. ${known}` }));
}

function rangeErrors(entries: readonly string[], ranges: readonly (string | null)[]): FieldError[] {
  if (entries.length > MAX_IP_ENTRIES) {
    return [{ field: 'ipList', code: 'too_many', message: `An IP list has at most ${MAX_IP_ENTRIES} entries.` }];
  }
  return entries
    .filter((_, at) => ranges[at] === null)
    .map((entry) => ({
      field: 'ipList',
      code: 'invalid_format',
      message: `${entry} is no address or range. Write it like 203.0.113.9, 10.0.0.0/8 or 2001:db8::/32.`,
    }));
}

function limitErrors(field: string, limit: number | null): FieldError[] {
  if (limit === null || (Number.isInteger(limit) && limit >= 0 && limit <= 1_000_000)) return [];
  return [
    {
      field,
      code: 'out_of_range',
      message: `${field} must be 0 to 1000000 requests a minute.`,
      min: 0,
      max: 1_000_000,
    },
  ];
}
