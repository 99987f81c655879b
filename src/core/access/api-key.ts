import { crc32 } from 'node:zlib';
import { changedFields } from '../audit/audit-entry.js';
import type { FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { base62, randomNumber } from '../shared/random.js';
import { cleanText, expiryErrors, textErrors } from '../shared/text.js';
import type { Scope } from './caller.js';
import { readIpList } from './ip-list.js';

export interface ApiKey {
  readonly id: Id;
  readonly customerId: Id;
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. The token itself is never stored. */
  readonly tokenHash: string;
  /** The last four characters of the token, so that people can tell keys apart. */
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  /** Normalised CIDR ranges; empty admits every address. */
  readonly ipList: readonly string[];
  /** Requests per minute; null is the default of the group. */
  readonly readLimit: number | null;
  readonly writeLimit: number | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly lastUsedIp: string | null;
  readonly deletedAt: Date | null;
}

const keySettings = ['name', 'ipList', 'readLimit', 'writeLimit', 'expiresAt'] as const;

/** The settings of a key that may change. Its scopes never do. */
export type KeySettings = Pick<ApiKey, (typeof keySettings)[number]>;

export type NewApiKey = Omit<ApiKey, 'id' | 'lastUsedAt' | 'lastUsedIp' | 'deletedAt'>;

/** Names of the settings whose value differs. */
export function changedSettings(before: KeySettings, after: KeySettings): readonly string[] {
  return changedFields(before, after, keySettings);
}

/** The key with these settings; what is absent, and all that is none, stays. */
export function withSettings(key: ApiKey, changes: Partial<KeySettings>): ApiKey {
  const { name, ipList, readLimit, writeLimit, expiresAt } = { ...key, ...changes };
  return { ...key, name, ipList, readLimit, writeLimit, expiresAt };
}

const PREFIX = 'phs_live_';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** `phs_live_` + 256 random bits in 43 base62 characters + CRC-32 of those in 6. */
export function newToken(): string {
  const secret = base62(randomNumber(32), SECRET_LENGTH);
  return PREFIX + secret + checksum(secret);
}

/** Whether a text can be a token at all; detects a typing mistake without a look-up. */
export function isWellFormedToken(text: string): boolean {
  if (!/^phs_live_[0-9A-Za-z]{49}$/.test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return checksum(secret) === text.slice(-CHECKSUM_LENGTH);
}

export function lastFour(token: string): string {
  return token.slice(-4);
}

/** Returns what people see of a key after its creation. */
export function displayPrefix(key: Pick<ApiKey, 'lastFour'>): string {
  return `${PREFIX}…${key.lastFour}`;
}

export function isExpired(key: Pick<ApiKey, 'expiresAt'>, now: Date): boolean {
  return key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime();
}

function checksum(secret: string): string {
  return base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);
}

export const MAX_KEY_NAME = 100;

/**
 * The settings of a key as they are stored, or all problems with them. @param before The settings that they replace: an expiry in the past
 * may stay.
 */
export function readKeySettings(
  settings: KeySettings,
  now: Date,
  before: Pick<KeySettings, 'expiresAt'> | null = null,
): { settings: KeySettings; errors: readonly FieldError[] } {
  const name = cleanText(settings.name);
  const { ipList, errors: ofIpList } = readIpList(settings.ipList);
  const isSameExpiry = before?.expiresAt?.getTime() === settings.expiresAt?.getTime();
  const errors = [
    ...nameErrors(settings.name),
    ...(isSameExpiry ? [] : expiryErrors(settings.expiresAt, now)),
    ...ofIpList,
    ...limitErrors('readLimit', settings.readLimit),
    ...limitErrors('writeLimit', settings.writeLimit),
  ];
  return { settings: { ...settings, name, ipList }, errors };
}

/** Returns the settings that were given, of those that were read: another person or program may have changed the others by now. */
export function givenSettings<Settings extends object>(read: Settings, given: Partial<Settings>): Partial<Settings> {
  const isGiven = ([name]: [string, unknown]) => given[name as keyof Settings] !== undefined;
  return Object.fromEntries(Object.entries(read).filter(isGiven)) as Partial<Settings>;
}

function nameErrors(name: string): FieldError[] {
  if (cleanText(name) !== '') return textErrors('name', name, MAX_KEY_NAME);
  return [{ field: 'name', code: 'required', message: `name must have 1 to ${MAX_KEY_NAME} characters.` }];
}

/** Requests per minute that a key can be granted. */
export const MAX_KEY_LIMIT = 1_000_000;

function limitErrors(field: string, limit: number | null): FieldError[] {
  if (limit === null || (Number.isInteger(limit) && limit >= 0 && limit <= MAX_KEY_LIMIT)) return [];
  const message = `${field} must be 0 to ${MAX_KEY_LIMIT} requests per minute.`;
  return [{ field, code: 'out_of_range', message, min: 0, max: MAX_KEY_LIMIT }];
}
