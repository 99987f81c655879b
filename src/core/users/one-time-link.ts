import { DomainError } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Secrets } from '../shared/secrets.js';
import { isMailedTokenOpen, type MailedToken, readMailedToken } from './mailed-token.js';
import { isLinkOpen, type User } from './user.js';

/** A link with which a person chooses a password: one that somebody made, or one that the person asked for by mail. */
export type OneTimeLink =
  | { readonly kind: 'made'; readonly hash: string }
  | { readonly kind: 'recovery'; readonly token: MailedToken };

export function readLink({ secrets }: { secrets: Secrets }, text: string): OneTimeLink {
  const token = readMailedToken(secrets, 'recovery', text);
  return token === null ? { kind: 'made', hash: hashRandomToken(text) } : { kind: 'recovery', token };
}

/** Whether it is good for this person now. */
export function isOpenFor(link: OneTimeLink, user: User, now: Date): boolean {
  return link.kind === 'made' ? isLinkOpen(user, link.hash, now) : isMailedTokenOpen(link.token, user, now);
}

export function linkForbidden(): DomainError {
  const message = 'This link has been used, has expired, or was replaced by a newer one. Ask for a new link.';
  return new DomainError('url_forbidden', message);
}
