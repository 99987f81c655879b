import { type Actor, commandLine } from '../audit/actor.js';
import type { Id } from '../shared/ids.js';

/** What a use case of the settings area or the command line needs to know about its caller: whose account it is, and who acts. */
export interface AccountCaller {
  readonly customerId: Id;
  /** The actor in the audit log. */
  readonly actor: Actor;
}

/** The operator, on the command line, in the account of one customer, where an owner's rights are the operator's too. */
export function operatorFor(customerId: Id): AccountCaller & { readonly role: 'owner' } {
  return { customerId, actor: commandLine, role: 'owner' };
}
