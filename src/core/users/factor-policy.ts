import type { KnownSession } from './session.js';

type Subject = Pick<KnownSession, 'customer' | 'hasFactor'>;

/** Everyone of this customer needs a second factor now. */
export function areFactorsRequired({ factorsRequiredFrom: from }: Subject['customer'], now: Date): boolean {
  return from !== null && from.getTime() <= now.getTime();
}

/** The person has to add a second factor before anything else. */
export function mustAddFactor({ customer, hasFactor }: Subject, now: Date): boolean {
  return !hasFactor && areFactorsRequired(customer, now);
}

/** Until when a person without a second factor has to add one; null: never, or already. */
export function factorNeededFrom({ customer, hasFactor }: Subject): Date | null {
  return hasFactor ? null : customer.factorsRequiredFrom;
}
