import { isExpired, lastFour, readKeySettings } from '../access/api-key.js';
import { readScopes } from '../access/caller.js';
import { type Actor, changedFields } from '../audit/audit-entry.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/random.js';
import {
  isWellFormedOperatorToken,
  MAX_OPERATOR_TOKENS,
  newOperatorToken,
  type OperatorToken,
  type OperatorTokenRepository,
  type OperatorTokenSettings,
  type OperatorTokenStore,
  operatorScopes,
  operatorTokenSettings,
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
  const at = clock.now();
  const { settings, errors } = readSettings(request, at);
  const { scopes, errors: ofScopes } = readScopes(request.scopes, operatorScopes, 'token');
  const wrong = [...errors, ...ofScopes];
  if (wrong.length > 0) throw invalid(...wrong);
  const token = newOperatorToken();
  const secret = { tokenHash: hashRandomToken(token), lastFour: lastFour(token) };
  return operatorTokens.transaction(async (tokens) => {
    if ((await tokens.list()).filter(({ deletedAt }) => deletedAt === null).length >= MAX_OPERATOR_TOKENS) {
      throw tooMany();
    }
    const operatorToken = await tokens.insert({ ...settings, ...secret, scopes, createdAt: at });
    await tokens.addOperatorEntry(actor, { action: 'operator_token.created', at, subject: operatorToken });
    return { operatorToken, token };
  });
}

function tooMany(): DomainError {
  const message = `There can be at most ${MAX_OPERATOR_TOKENS} operator tokens. Delete one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_OPERATOR_TOKENS, name: 'operatorTokens' });
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
    if (errors.length > 0) throw invalid(...errors);
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
