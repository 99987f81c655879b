import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import { isOpen, type Share } from './share.js';
import type { ShareFinder } from './share-repository.js';

export type OpenUses = { shares: ShareFinder; clock: Clock };

/** The share of a link. Errors: `not_found`, which says the same whatever the reason. */
export async function openShare({ shares, clock }: OpenUses, token: string): Promise<Share> {
  const known = isToken(token) ? await shares.find(hashRandomToken(token)) : null;
  if (known === null || !isOpen(known, clock.now())) throw closedLink();
  return known.share;
}

/** As `newRandomToken` makes them. */
function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function closedLink(): DomainError {
  const message = 'This link does not exist, or no longer works. Ask the person who sent it for a new one.';
  return new DomainError('not_found', message, { resource: 'share' });
}
