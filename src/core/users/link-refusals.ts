import type { DomainError } from '../shared/errors.js';
import { type ProviderSettings, refusedBy } from './identity-provider.js';

export function otherIdentity({ name }: ProviderSettings): DomainError {
  const message = `This address belongs to somebody who signs in in another way. An owner can unlink that from the account, if ${name} is right.`;
  return refusedBy('other_identity', message);
}

export function needsFactor({ name }: ProviderSettings): DomainError {
  const message = `Your account has two-step sign-in, so ${name} alone cannot be linked to it. Sign in as before and remove it under Account, Two-step sign-in, or ask the operator for a link that does. Then come back by ${name}, and set it up again.`;
  return refusedBy('needs_second_factor', message);
}

export function notInvited(email: string | null): DomainError {
  const message = `Nobody here has the address ${email}. Ask an owner of your account to invite it.`;
  return refusedBy('no_account', message);
}

export function noLongerThere(): DomainError {
  return refusedBy('no_account', 'Your account was changed meanwhile. Sign in again.');
}
