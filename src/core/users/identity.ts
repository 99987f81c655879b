import type { Id } from '../shared/ids.js';
import type { Assertion } from './identity-provider.js';

/** The name under which a provider knows a person. It signs that person in, whatever the address is by then. */
export interface Identity {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  readonly issuer: string;
  readonly subject: string;
  readonly linkedAt: Date;
  readonly lastUsedAt: Date;
}

export type NewIdentity = Omit<Identity, 'customerId' | 'id'>;

type Name = Pick<Assertion, 'issuer' | 'subject'>;

/** Both are compared exactly, as they are case-sensitive. */
export function isSameIdentity(a: Name, b: Name): boolean {
  return a.issuer === b.issuer && a.subject === b.subject;
}
