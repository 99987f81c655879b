import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import { hashRandomToken, newRandomToken } from '../shared/random-token.js';
import { seal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import { cleanText } from '../shared/text.js';
import type { Transactional } from '../shared/transactional.js';
import type { PasswordHasher } from '../users/password-hasher.js';
import type { PasswordStrength } from '../users/password-strength.js';
import { auditSubject, MAX_SHARES, type Share } from './share.js';
import { contentsErrors, requireContents, type ShareContents } from './share-contents.js';
import { requireGoodPassword, type ShareSettings, settingsErrors } from './share-values.js';

export interface ShareWithToken {
  readonly share: Share;
  /** What its link ends with. Null: sealed under a secret that the service no longer has. */
  readonly token: string | null;
}

type CreateUses = {
  store: Transactional<'customer' | 'shares' | 'photos' | 'tags' | 'outbox' | 'audit'>;
  clock: Clock;
  secrets: Secrets;
  passwords: PasswordHasher;
  passwordStrength: PasswordStrength;
};

/** Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function createShare(
  uses: CreateUses,
  { customerId, actor }: AccountCaller,
  { title, password, tagId, photoIds, ...settings }: ShareSettings & ShareContents,
): Promise<ShareWithToken> {
  const [at, token] = [uses.clock.now(), newRandomToken()];
  const errors = [...settingsErrors({ title, password, ...settings }, at), ...contentsErrors({ tagId, photoIds })];
  if (errors.length > 0) throw invalid(...errors);
  await requireGoodPassword(uses, password, title);
  const passwordHash = password === null ? null : await uses.passwords.hash(password);
  const contents = { tagId: tagId ?? null, photoIds: [...new Set(photoIds)] };
  const link = { tokenHash: hashRandomToken(token), token: seal(uses.secrets, 'share', token) };
  const share = { ...settings, ...contents, ...link, title: cleanText(title), passwordHash, createdAt: at };
  const created = await uses.store.transaction(
    customerId,
    async ({ customer, shares, photos, tags, outbox, audit }) => {
      // Shares are created one at a time, so that their number stays within its limit.
      await customer.lock();
      if ((await shares.list()).length >= MAX_SHARES) throw tooMany();
      await requireContents({ photos, tags }, share);
      const stored = await shares.insert(share);
      await outbox.add('share.created', [stored.id], at);
      await audit.add(actor, { action: 'share.created', subject: auditSubject(stored), at });
      return stored;
    },
  );
  return { share: created, token };
}

function tooMany(): DomainError {
  const message = `A customer can have at most ${MAX_SHARES} shares. Revoke one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_SHARES, name: 'shares' });
}
