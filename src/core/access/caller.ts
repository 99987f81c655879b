import type { AccountCaller } from '../customers/account-caller.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Scope } from './scope.js';

/** The caller: what a use case needs to know about a request's key. */
export interface Caller extends AccountCaller {
  /** Null for the operator and for the service itself. */
  readonly apiKeyId: Id | null;
  readonly scopes: readonly Scope[];
  /** The key has an IP list, so it must not be given anything that works without the key. */
  readonly ipRestricted: boolean;
}

export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new DomainError('scope_required', `This request requires a key with the scope ${scope}.`, { scope });
}
