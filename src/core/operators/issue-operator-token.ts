import { hashToken, lastFour } from '../access/api-key.js';
import { readKeySettings } from '../access/key-values.js';
import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { type FieldError, invalid } from '../shared/errors.js';
import {
  isOperatorScope,
  newOperatorToken,
  type OperatorScope,
  type OperatorToken,
  operatorScopes,
} from './operator-token.js';
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
  const { settings, errors } = readKeySettings({ name, ipList, expiresAt, readLimit: null, writeLimit: null });
  const wrong = [...errors, ...scopeErrors(request.scopes)];
  if (wrong.length > 0) throw invalid(...wrong);
  const token = newOperatorToken();
  const isGranted = (scope: OperatorScope) => request.scopes.includes('all') || request.scopes.includes(scope);
  const created = {
    name: settings.name,
    tokenHash: hashToken(token),
    lastFour: lastFour(token),
    scopes: operatorScopes.filter(isGranted),
    ipList: settings.ipList,
    expiresAt,
    createdAt: clock.now(),
  };
  return { operatorToken: await operatorTokens.create(created, actor), token };
}

function scopeErrors(names: readonly string[]): FieldError[] {
  const known = `Valid scopes: ${operatorScopes.join(', ')}, or all.`;
  if (names.length === 0)
    return [{ field: 'scopes', code: 'required', message: `A token needs at least one scope. ${known}` }];
  return names
    .filter((name) => name !== 'all' && !isOperatorScope(name))
    .map((name) => ({ field: 'scopes', code: 'invalid_format', message: `${name} is not a scope. ${known}` }));
}
