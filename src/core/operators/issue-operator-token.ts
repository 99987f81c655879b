import { lastFour } from '../access/api-key.js';
import { readKeySettings } from '../access/key-values.js';
import { readScopes } from '../access/scope.js';
import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import { newOperatorToken, type OperatorToken, operatorScopes } from './operator-token.js';
import type { OperatorTokenStore } from './operator-token-store.js';

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
