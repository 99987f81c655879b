import { givenSettings, isExpired, lastFour, readKeySettings } from '../access/api-key.js';
import { readScopes } from '../access/caller.js';
import type { Actor } from '../audit/audit-entry.js';
import type { Clock } from '../shared/clock.js';
import { invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/random.js';
import {
  isWellFormedOperatorToken,
  newOperatorToken,
  type OperatorToken,
  type OperatorTokenSettings,
  type OperatorTokenStore,
  operatorScopes,
} from './operator-token.js';

/** The token, or null: none, malformed, unknown, deleted or expired. The token of an API key is none of the operator's. */
export async function authenticateOperator(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  token: string | null,
): Promise<OperatorToken | null> {
  if (token === null || !isWellFormedOperatorToken(token)) return null;
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

export interface IssuedOperatorToken {
  readonly operatorToken: OperatorToken;
  /** The token is only available here. */
  readonly token: string;
}

/** Errors: `invalid_request`, `limit_reached`. */
export async function issueOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  request: OperatorTokenRequest,
): Promise<IssuedOperatorToken> {
  const { name, ipList, expiresAt } = request;
  const limits = { readLimit: null, writeLimit: null };
  const { settings, errors } = readKeySettings({ name, ipList, expiresAt, ...limits }, clock.now());
  const { scopes, errors: ofScopes } = readScopes(request.scopes, operatorScopes, 'token');
  const wrong = [...errors, ...ofScopes];
  if (wrong.length > 0) throw invalid(...wrong);
  const token = newOperatorToken();
  const created = {
    name: settings.name,
    tokenHash: hashRandomToken(token),
    lastFour: lastFour(token),
    scopes,
    ipList: settings.ipList,
    expiresAt,
    createdAt: clock.now(),
  };
  return { operatorToken: await operatorTokens.create(created, actor), token };
}

/**
 * Changes name, IP list (as people write it) or expiry of a token; absent fields stay. Takes effect with the next request. Scopes never change.
 * Errors: `invalid_request`, `not_found`.
 */
export async function editOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  id: Id,
  changes: Partial<OperatorTokenSettings>,
): Promise<OperatorToken> {
  const found = (await operatorTokens.list()).find((token) => token.id === id && token.deletedAt === null);
  const before = requireFound(found, 'operator_token');
  const { name, ipList, expiresAt } = { ...before, ...changes };
  const limits = { readLimit: null, writeLimit: null };
  const { settings, errors } = readKeySettings({ name, ipList, expiresAt, ...limits }, clock.now(), before);
  if (errors.length > 0) throw invalid(...errors);
  const given = givenSettings<OperatorTokenSettings>(settings, changes);
  return requireFound(await operatorTokens.update(id, given, clock.now(), actor), 'operator_token');
}

/** From here on every process refuses the token. Errors: `not_found`. */
export async function deleteOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  id: Id,
): Promise<void> {
  if (!(await operatorTokens.delete(id, clock.now(), actor))) throw notFound('operator_token');
}
