import { changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText } from '../shared/text.js';
import type { Transactional } from '../shared/transactional.js';
import type { PasswordHasher } from '../users/password-hasher.js';
import type { PasswordStrength } from '../users/password-strength.js';
import { auditSubject, type Share } from './share.js';
import { requireGoodPassword, type ShareSettings, settingsErrors } from './share-values.js';

const editableFields = [
  'title',
  'mayDownload',
  'uploadFilesLimit',
  'uploadBytesLimit',
  'expiresAt',
  'passwordHash',
] as const;

/**
 * Changes title, expiry, password or what visitors may do; absent fields stay. Takes effect with the next request; with another password
 * visitors have to enter it. The link and what it shows never change. Errors: `invalid_request`, `not_found`.
 */
export async function editShare(
  uses: {
    store: Transactional<'shares' | 'audit'>;
    clock: Clock;
    passwords: PasswordHasher;
    passwordStrength: PasswordStrength;
  },
  { customerId, actor }: AccountCaller,
  id: Id,
  { title, password, ...changes }: Partial<ShareSettings>,
): Promise<Share> {
  const { store, clock, passwords } = uses;
  const at = clock.now();
  const errors = settingsErrors({ title, password, ...changes }, at);
  if (errors.length > 0) throw invalid(...errors);
  await requireGoodPassword(uses, password, title);
  const passwordHash = typeof password === 'string' ? await passwords.hash(password) : password;
  return store.transaction(customerId, async ({ shares, audit }) => {
    const before = requireFound(await shares.lock(id), 'share');
    const share: Share = {
      ...before,
      ...changes,
      ...(title !== undefined && { title: cleanText(title) }),
      ...(passwordHash !== undefined && { passwordHash }),
    };
    const fields = changedFields(before, share, editableFields);
    if (fields.length === 0) return before;
    await shares.update(share);
    const named = fields.map((field) => (field === 'passwordHash' ? 'password' : field));
    await audit.add(actor, { action: 'share.edited', subject: auditSubject(share), changes: named, at });
    return share;
  });
}
