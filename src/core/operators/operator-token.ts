import { lastFour, readKeySettings } from '../access/api-key.js';
import { readScopes } from '../access/caller.js';
import type { Budget } from '../access/rolling-window.js';
import { type Actor, changedFields } from '../audit/audit-entry.js';
import type { AuditLog } from '../audit/audit-log.js';
import { type Clock, isExpired } from '../shared/clock.js';
import { DomainError, requireBelowLimit, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { base62, hashRandomToken, randomNumber } from '../shared/secrets.js';

/** The permissions that a token of the operator can have, in the accounts of all customers. */
export const operatorScopeMeanings = {
  'customers:read': 'read accounts, their usage, keys, people and webhooks',
  'customers:write': 'create, change, suspend, resume and erase accounts, and manage their webhooks',
  'keys:write': 'create, change and delete API keys of accounts',
  'people:write': 'invite people to accounts and remove them',
} as const;
export type OperatorScope = keyof typeof operatorScopeMeanings;

export const operatorScopes = Object.keys(operatorScopeMeanings) as readonly OperatorScope[];

/** A program of the operator, such as the backend of a sign-up page. It belongs to no customer. */
export interface OperatorToken {
  readonly id: Id;
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. The token itself is never stored. */
  readonly tokenHash: string;
  readonly lastFour: string;
  /** They never change. */
  readonly scopes: readonly OperatorScope[];
  /** Normalised CIDR ranges; empty admits every address. */
  readonly ipList: readonly string[];
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Deleted tokens are retained, without effect: they record who had access, and until when. */
  readonly deletedAt: Date | null;
}

export const operatorTokenSettings = ['name', 'ipList', 'expiresAt'] as const;

/** The settings that may change. */
export type OperatorTokenSettings = Pick<OperatorToken, (typeof operatorTokenSettings)[number]>;

export type NewOperatorToken = Omit<OperatorToken, 'id' | 'deletedAt'>;

/** Tokens that are not deleted. */
export const MAX_OPERATOR_TOKENS = 100;

const PREFIX = 'phs_op_';
const SECRET_LENGTH = 43;

/** `phs_op_` + 256 random bits in 43 base62 characters. */
export function newOperatorToken(): string {
  return PREFIX + base62(randomNumber(32), SECRET_LENGTH);
}

/** Returns what people see of a token after its creation. */
export function operatorTokenPrefix({ lastFour }: Pick<OperatorToken, 'lastFour'>): string {
  return `${PREFIX}…${lastFour}`;
}

export function requireOperatorScope({ scopes }: Pick<OperatorToken, 'scopes'>, scope: OperatorScope): void {
  if (scopes.includes(scope)) return;
  const message = `This request requires an operator token with the scope ${scope}.`;
  throw new DomainError('scope_required', message, { scope });
}

/** Requests per minute of one token: a person who signs up costs several writes. */
export const operatorBudgets = { read: 300, write: 300 } as const;

export function operatorBudget({ id }: Pick<OperatorToken, 'id'>, group: 'read' | 'write'): Budget {
  return { name: `operator-${group}:${id}`, limit: operatorBudgets[group] };
}

/** The tokens of the operator. */
export interface OperatorTokenStore {
  /**
   * The token with this hash; null when it never existed or is deleted. Expired tokens are returned: the caller checks. Once a deletion is
   * committed, no look-up on any process finds the token.
   */
  findByHash(tokenHash: string): Promise<OperatorToken | null>;
  /** Every token, those that were deleted included, oldest first. */
  list(): Promise<readonly OperatorToken[]>;
  /**
   * All or nothing, and one after the other: no token changes while `work` runs. As in `Transactional`, it may be run again from its
   * beginning.
   */
  transaction<T>(work: (tokens: OperatorTokenRepository) => Promise<T>): Promise<T>;
}

/** The tokens inside a transaction, and the operator's log, which records their changes. */
export interface OperatorTokenRepository extends Pick<OperatorTokenStore, 'list'>, Pick<AuditLog, 'addOperatorEntry'> {
  /** Stores a token under a new id. */
  insert(token: NewOperatorToken): Promise<OperatorToken>;
  /** Stores every field, with immediate effect on every process. */
  update(token: OperatorToken): Promise<void>;
}

/** The token, or null: none, malformed, unknown, deleted or expired. The token of an API key is none of the operator's. */
export async function authenticateOperator(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  token: string | null,
): Promise<OperatorToken | null> {
  if (token === null || !/^phs_op_[0-9A-Za-z]{43}$/.test(token)) return null;
  const known = await operatorTokens.findByHash(hashRandomToken(token));
  return known === null || isExpired(known, clock.now()) ? null : known;
}

/** `ipList` as people write it. */
export interface OperatorTokenRequest {
  readonly name: string;
  /** Names of scopes; `all` stands for all of them. */
  readonly scopes: readonly string[];
  readonly ipList: readonly string[];
  readonly expiresAt: Date | null;
}

/** The token itself is only available here. Errors: `invalid_request`, `limit_reached`. */
export async function issueOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  request: OperatorTokenRequest,
): Promise<{ readonly operatorToken: OperatorToken; readonly token: string }> {
  const at = clock.now();
  const { settings, errors } = readSettings(request, at);
  const { scopes, errors: ofScopes } = readScopes(request.scopes, operatorScopes, 'token');
  requireValid([...errors, ...ofScopes]);
  const token = newOperatorToken();
  const secret = { tokenHash: hashRandomToken(token), lastFour: lastFour(token) };
  return operatorTokens.transaction(async (tokens) => {
    const live = (await tokens.list()).filter(({ deletedAt }) => deletedAt === null);
    const tooMany = `There can be at most ${MAX_OPERATOR_TOKENS} operator tokens. Delete one first.`;
    requireBelowLimit(live.length, MAX_OPERATOR_TOKENS, 'operatorTokens', tooMany);
    const operatorToken = await tokens.insert({ ...settings, ...secret, scopes, createdAt: at });
    await tokens.addOperatorEntry(actor, { action: 'operator_token.created', at, subject: operatorToken });
    return { operatorToken, token };
  });
}

/** The settings as they are stored, or all problems with them. A token has no limits of its own. */
function readSettings({ name, ipList, expiresAt }: OperatorTokenSettings, at: Date, before?: OperatorToken) {
  const given = { name, ipList, expiresAt, readLimit: null, writeLimit: null };
  const { settings, errors } = readKeySettings(given, at, before);
  return { settings: { name: settings.name, ipList: settings.ipList, expiresAt }, errors };
}

/**
 * Changes name, IP list (as people write it) or expiry of a token; absent fields stay. Takes effect with the next request. Scopes never change.
 * Errors: `invalid_request`, `not_found`.
 */
export function editOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  id: Id,
  given: Partial<OperatorTokenSettings>,
): Promise<OperatorToken> {
  return operatorTokens.transaction(async (tokens) => {
    const [before, at] = [await liveToken(tokens, id), clock.now()];
    const { settings, errors } = readSettings({ ...before, ...given }, at, before);
    requireValid(errors);
    const token = { ...before, ...settings };
    const changes = changedFields(before, token, operatorTokenSettings);
    if (changes.length === 0) return before;
    await tokens.update(token);
    await tokens.addOperatorEntry(actor, { action: 'operator_token.edited', at, subject: token, changes });
    return token;
  });
}

/** From here on every process refuses the token. Errors: `not_found`. */
export function deleteOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  id: Id,
): Promise<void> {
  return operatorTokens.transaction(async (tokens) => {
    const [token, at] = [await liveToken(tokens, id), clock.now()];
    await tokens.update({ ...token, deletedAt: at });
    await tokens.addOperatorEntry(actor, { action: 'operator_token.deleted', at, subject: token });
  });
}

async function liveToken(tokens: OperatorTokenRepository, id: Id): Promise<OperatorToken> {
  const found = (await tokens.list()).find((token) => token.id === id && token.deletedAt === null);
  return requireFound(found, 'operator_token');
}
