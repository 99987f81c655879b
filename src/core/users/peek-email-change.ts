import type { AuditReads } from '../audit/audit-log.js';
import type { Readable } from '../shared/transactional.js';
import { CONFIRMATION_MS } from './mail-confirmation.js';
import { isMailedTokenOpen, type MailedToken, readMailedToken } from './mailed-token.js';
import { findByToken, type LinkUses } from './peek-link.js';
import type { User } from './user.js';

/** Whose address a link would change, and to which; this does not use it up. Null when it is not valid (any more). */
export async function peekEmailChange(
  uses: Omit<LinkUses, 'users' | 'store'> & { readonly store: Readable<'users' | 'audit'> },
  text: string,
): Promise<{ readonly user: User; readonly email: string } | null> {
  const token = readMailedToken(uses.secrets, 'email', text);
  const known = token && (await findByToken(uses, token));
  if (token === null || known === null || known.customerStatus === 'closing') return null;
  const { user } = known;
  if (!isMailedTokenOpen(token, user, uses.clock.now())) return null;
  const wasChanged = await uses.store.query(user.customerId, ({ audit }) => wasChangedSince(audit, token, user));
  return wasChanged ? null : { user, email: token.email };
}

/** Whoever has gone back to the address of before does not want the other any more. */
export async function wasChangedSince(
  audit: AuditReads,
  { expiresAt }: MailedToken,
  { id, email }: User,
): Promise<boolean> {
  const filter = {
    actions: ['user.edited'],
    name: email,
    from: new Date(expiresAt - CONFIRMATION_MS + 1),
    until: null,
  } as const;
  const edits = await audit.list(null, 1000, filter);
  return edits.some(({ subjectId, changes }) => subjectId === id && changes.includes('email'));
}
