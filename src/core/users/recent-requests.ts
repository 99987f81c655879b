import type { AuditAction } from '../audit/audit-entry.js';
import type { AuditReads } from '../audit/audit-log.js';
import { after, HOUR } from '../shared/clock.js';
import type { User } from './user.js';

/** Entries that are read: more than any limit per hour. */
const MAX_READ = 100;

/** How often a person has asked for a mail within the last hour. */
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
