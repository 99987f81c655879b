import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Scope } from './scope.js';

/** Who asks: what a use case needs to know of a request's key. */
export interface Caller {
  readonly customerId: Id;
  /** Null for the operator and for the service itself. */
  readonly apiKeyId: Id | null;
  readonly scopes: readonly Scope[];
  /** The key has an IP list, so nothing that works without the key may be handed to it. */
  readonly ipRestricted: boolean;
}

export function demandScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new DomainError('scope_required', `This request needs a key with the scope ${scope}.`, { scope });
}
