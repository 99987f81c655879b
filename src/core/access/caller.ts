import { type Actor, commandLine } from '../audit/actor.js';
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
  /** Who is named in the audit log. */
  readonly actor: Actor;
}

/** What a use case of the settings area or the command line needs to know of its caller: whose account it is, and who acts. */
export type AccountCaller = Pick<Caller, 'customerId' | 'actor'>;

/** The operator, on the command line, in the account of one customer. */
export function operatorFor(customerId: Id): AccountCaller {
  return { customerId, actor: commandLine };
}

export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new DomainError('scope_required', `This request needs a key with the scope ${scope}.`, { scope });
}
