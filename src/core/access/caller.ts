import { type Actor, commandLine } from '../audit/actor.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Scope } from './scope.js';

/** The caller: what a use case needs to know about a request's key. */
export interface Caller {
  readonly customerId: Id;
  /** Null for the operator and for the service itself. */
  readonly apiKeyId: Id | null;
  readonly scopes: readonly Scope[];
  /** The key has an IP list, so it must not be given anything that works without the key. */
  readonly ipRestricted: boolean;
  /** The actor in the audit log. */
  readonly actor: Actor;
}

/** What a use case of the settings area or the command line needs to know about its caller: whose account it is, and who acts. */
export type AccountCaller = Pick<Caller, 'customerId' | 'actor'>;

/** The operator, on the command line, in the account of one customer. */
export function operatorFor(customerId: Id): AccountCaller {
  return { customerId, actor: commandLine };
}

export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new DomainError('scope_required', `This request needs a key with the scope ${scope}.`, { scope });
}
