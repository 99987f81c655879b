import type { AuditAction } from '../audit/audit-entry.js';
import type { AuditReads } from '../audit/audit-log.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { after, HOUR } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken, readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { User } from './user.js';
import type { KnownUser } from './user-store.js';

/**
 * The content of a link in a mail. Nothing of it is stored, so a stranger who asks for many links makes none of them invalid: each is good until
 * the password or the address changes, which using one of them does.
 */
export interface MailedToken {
  readonly customerId: Id;
  readonly userId: Id;
  readonly fingerprint: string;
  /** In milliseconds. */
  readonly expiresAt: number;
  /** The address that it confirms; empty for a new password. */
  readonly email: string;
}

type MailedPurpose = 'recovery' | 'email';

export function newMailedToken(
  secrets: Secrets,
  purpose: MailedPurpose,
  user: User,
  expiresAt: Date,
  email = '',
): string {
  const { customerId, id: userId } = user;
  const content = { customerId, userId, fingerprint: fingerprintOf(user), expiresAt: expiresAt.getTime(), email };
  return signToken(secrets, purpose, content satisfies MailedToken);
}

/** Null when it was not made here for this purpose, or by an earlier version in another form. */
export function readMailedToken(secrets: Secrets, purpose: MailedPurpose, token: string): MailedToken | null {
  const content = readToken(secrets, purpose, token) as Partial<MailedToken> | null;
  return typeof content?.fingerprint === 'string' ? (content as MailedToken) : null;
}

export function isMailedTokenOpen({ fingerprint, expiresAt }: MailedToken, user: User, now: Date): boolean {
  return fingerprint === fingerprintOf(user) && expiresAt > now.getTime();
}

/** Returns a hash of what the person signs in with. It reveals nothing: the hash of a password contains random bits of its own. */
function fingerprintOf({ email, passwordHash }: User): string {
  return hashRandomToken(`${email}\n${passwordHash}`).slice(0, 32);
}

/** The person that a link in a mail is for; null when that person is gone. */
export async function findByToken(
  { customers, store }: { readonly customers: Pick<CustomerDirectory, 'find'>; readonly store: Readable<'users'> },
  { customerId, userId }: MailedToken,
): Promise<KnownUser | null> {
  const customer = await customers.find(customerId);
  const user = customer && (await store.query(customerId, ({ users }) => users.get(userId)));
  return user && { user, customerStatus: customer.status };
}

export function linkForbidden(): DomainError {
  const message = 'This link has been used, has expired, or was replaced by a newer one. Ask for a new link.';
  return new DomainError('url_forbidden', message);
}

/** Entries that are read: more than any limit per hour. */
const MAX_READ = 100;

export async function requestsWithinHour(
  audit: AuditReads,
  action: AuditAction,
  { id, email }: Pick<User, 'id' | 'email'>,
  at: Date,
): Promise<number> {
  const filter = { actions: [action], name: email, from: after(at, -HOUR), until: null };
  const requests = await audit.list(null, MAX_READ, filter);
  return requests.filter(({ subjectId }) => subjectId === id).length;
}
