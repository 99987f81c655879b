import { crc32 } from 'node:zlib';
import type { CustomerStatus } from '../customers/customer.js';
import { DAY, expiryErrors } from '../shared/clock.js';
import type { FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { base62, randomNumber } from '../shared/secrets.js';
import { cleanText, textErrors } from '../shared/text.js';
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
  /** Declared by `scopeMeanings` (caller.ts). */
  readonly scopes: readonly Scope[];
  /** Normalised CIDR ranges; empty admits every address. */
  readonly ipList: readonly string[];
  /** Requests per minute; null is the default of the group. */
  readonly readLimit: number | null;
  readonly writeLimit: number | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Noted in memory at each use, and written every 30 s (`KeyUseRecorder`, http/server/recorders.ts). */
  readonly lastUsedAt: Date | null;
  readonly lastUsedIp: string | null;
  readonly deletedAt: Date | null;
}

export const keySettings = ['name', 'ipList', 'readLimit', 'writeLimit', 'expiresAt'] as const;

/** The settings of a key that may change. Its scopes never do. */
export type KeySettings = Pick<ApiKey, (typeof keySettings)[number]>;

export type NewApiKey = Omit<ApiKey, 'customerId' | 'id' | 'lastUsedAt' | 'lastUsedIp' | 'deletedAt'>;

/** Keys that one customer may have. */
export const MAX_KEYS = 100;

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

function checksum(secret: string): string {
  return base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);
}

export const MAX_KEY_NAME = 100;

/**
 * The settings of a key as they are stored, or all problems with them. @param before The settings that they replace: an expiry in the past
 * may stay.
 */
export function readKeySettings(
  { name, ipList, readLimit, writeLimit, expiresAt }: KeySettings,
  now: Date,
  before: Pick<KeySettings, 'expiresAt'> | null = null,
): { settings: KeySettings; errors: readonly FieldError[] } {
  const { ipList: ranges, errors: ofIpList } = readIpList(ipList);
  const isSameExpiry = before?.expiresAt?.getTime() === expiresAt?.getTime();
  const errors = [
    ...nameErrors(name),
    ...(isSameExpiry ? [] : expiryErrors(expiresAt, now)),
    ...ofIpList,
    ...limitErrors('readLimit', readLimit),
    ...limitErrors('writeLimit', writeLimit),
  ];
  return { settings: { name: cleanText(name), ipList: ranges, readLimit, writeLimit, expiresAt }, errors };
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

export interface KnownKey {
  readonly key: ApiKey;
  readonly customerStatus: CustomerStatus;
}

/** Keys of all customers: asked before the customer is known. */
export interface KeyFinder {
  /**
   * The key with this hash, with its customer's status, or null when it never existed or is deleted. Expired keys are returned: the caller
   * checks. Once a deletion is committed, no look-up on any process finds the key.
   */
  findByHash(tokenHash: string): Promise<KnownKey | null>;
  /** The same for a key that is not deleted, by id. As fast as `findByHash`, however many calls are concurrent. */
  find(id: Id): Promise<KnownKey | null>;
  /**
   * Records uses of keys: the latest one, and each address. Best effort, never older than what is stored; unknown ids are ignored.
   * Addresses of these keys that were last seen two days before the newest of these uses are deleted.
   */
  touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void>;
}

export interface KeyAddress {
  readonly address: string;
  readonly lastSeenAt: Date;
}

/** Period for which addresses are retained before the newest use of their key. */
export const ADDRESS_RETENTION_MS = 2 * DAY;
export const MAX_LISTED_ADDRESSES = 100;

/** Keys of the bound customer that are not deleted. */
export interface KeyReads {
  get(id: Id): Promise<ApiKey | null>;
  /** All of them, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Addresses from which a key, deleted or not, was used since then, newest first, at most 100. */
  addressesOf(id: Id, since: Date): Promise<readonly KeyAddress[]>;
}

export interface KeyRepository extends KeyReads {
  /** Reads it and locks it until the transaction ends. */
  lock(id: Id): Promise<ApiKey | null>;
  /** Stores it under a new id, as yet unused. */
  insert(key: NewApiKey): Promise<ApiKey>;
  /** Stores every field. It must be locked. */
  update(key: ApiKey): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly keys: KeyReads;
  }
  interface Repositories {
    readonly keys: KeyRepository;
  }
}
