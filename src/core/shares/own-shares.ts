import { changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/customer.js';
import type { SealedRows } from '../customers/reseal.js';
import type { Clock } from '../shared/clock.js';
import { type FieldError, invalid, requireBelowLimit, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken, newRandomToken, type Secrets, seal, unseal } from '../shared/secrets.js';
import { cleanText } from '../shared/text.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import type { PasswordHasher, PasswordStrength } from '../users/passwords.js';
import {
  MAX_SHARED_PHOTOS,
  MAX_SHARES,
  requireGoodSharePassword,
  type Share,
  type ShareSettings,
  settingsErrors,
  shareAuditSubject,
} from './share.js';

export interface ShareWithToken {
  readonly share: Share;
  /** The token that its link ends with. Null: sealed under a secret that the service no longer has. */
  readonly token: string | null;
}

/** Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function createShare(
  uses: {
    store: Transactional<'customer' | 'shares' | 'photos' | 'tags' | 'outbox' | 'audit'>;
    clock: Clock;
    secrets: Secrets;
    passwords: PasswordHasher;
    passwordStrength: PasswordStrength;
  },
  { customerId, actor }: AccountCaller,
  { title, password, tagId, photoIds, ...settings }: ShareSettings & ShareContents,
): Promise<ShareWithToken> {
  const [at, token] = [uses.clock.now(), newRandomToken()];
  requireValid([...settingsErrors({ title, password, ...settings }, at), ...contentsErrors({ tagId, photoIds })]);
  await requireGoodSharePassword(uses, password, title);
  const passwordHash = password === null ? null : await uses.passwords.hash(password);
  const contents = { tagId: tagId ?? null, photoIds: [...new Set(photoIds)] };
  const link = { tokenHash: hashRandomToken(token), token: seal(uses.secrets, 'share', token) };
  const share = { ...settings, ...contents, ...link, title: cleanText(title), passwordHash, createdAt: at };
  const created = await uses.store.transaction(
    customerId,
    async ({ customer, shares, photos, tags, outbox, audit }) => {
      // Shares are created one at a time, so that their number stays within its limit.
      await customer.lock();
      const tooMany = `A customer can have at most ${MAX_SHARES} shares. Revoke one first.`;
      requireBelowLimit((await shares.list()).length, MAX_SHARES, 'shares', tooMany);
      if (share.tagId !== null && (await tags.get(share.tagId)) === null) {
        throw invalid({ field: 'tagId', code: 'unknown_tag', message: 'There is no such tag.' });
      }
      const found = await photos.getMany(share.photoIds);
      if (found.filter(({ trashedAt }) => trashedAt === null).length !== share.photoIds.length) {
        const message = 'Some of these photos do not exist, or are in the trash.';
        throw invalid({ field: 'photoIds', code: 'conflict', message });
      }
      const stored = await shares.insert(share);
      await outbox.add('share.created', [stored.id], at);
      await audit.add(actor, { action: 'share.created', subject: shareAuditSubject(stored), at });
      return stored;
    },
  );
  return { share: created, token };
}

/** The photos that a share shows: exactly one of the two. */
export interface ShareContents {
  readonly tagId?: Id | undefined;
  readonly photoIds?: readonly Id[] | undefined;
}

/** All problems, except for tags and photos that do not exist. */
function contentsErrors({ tagId, photoIds }: ShareContents): FieldError[] {
  if ((tagId === undefined) === (photoIds === undefined)) {
    const message = 'Choose either a tag or photos.';
    return [{ field: 'photoIds', code: 'conflict', message }];
  }
  if (photoIds === undefined) return [];
  const count = new Set(photoIds).size;
  if (count >= 1 && count <= MAX_SHARED_PHOTOS) return [];
  const message = `photoIds must have 1 to ${MAX_SHARED_PHOTOS} photos. Give them a tag to share more.`;
  const code = count === 0 ? 'required' : 'too_many';
  return [{ field: 'photoIds', code, message, max: MAX_SHARED_PHOTOS }];
}

type ReadUses = { store: Readable<'shares'>; secrets: Secrets };

/** All shares of a customer, newest first, with their tokens. */
export async function listShares(uses: ReadUses, customerId: Id): Promise<readonly ShareWithToken[]> {
  const shares = await uses.store.query(customerId, (reader) => reader.shares.list());
  return shares.map((share) => withToken(uses, share));
}

/** Errors: `not_found`. */
export async function readShare(uses: ReadUses, customerId: Id, id: Id): Promise<ShareWithToken> {
  return withToken(uses, await findShare(uses, customerId, id));
}

/** The same without its token, for those who show no link. Errors: `not_found`. */
export async function findShare({ store }: Pick<ReadUses, 'store'>, customerId: Id, id: Id): Promise<Share> {
  return requireFound(await store.query(customerId, ({ shares }) => shares.get(id)), 'share');
}

function withToken({ secrets }: { secrets: Secrets }, share: Share): ShareWithToken {
  return { share, token: unseal(secrets, 'share', share.token) };
}

/** Where a share keeps each of its settings. */
const fieldOf: Readonly<Record<keyof ShareSettings, keyof Share>> = {
  title: 'title',
  mayDownload: 'mayDownload',
  uploadFilesLimit: 'uploadFilesLimit',
  uploadBytesLimit: 'uploadBytesLimit',
  expiresAt: 'expiresAt',
  password: 'passwordHash',
};

/**
 * Changes title, expiry, password or what visitors may do; absent fields stay. Takes effect with the next request; with another password
 * visitors have to enter it. The link and what it shows never change. Errors: `invalid_request`, `not_found`, and those of `check`.
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
  check: Precondition<Share> = unconditional,
): Promise<Share> {
  const { store, clock, passwords } = uses;
  const at = clock.now();
  requireValid(settingsErrors({ title, password, ...changes }, at));
  await requireGoodSharePassword(uses, password, title);
  const passwordHash = typeof password === 'string' ? await passwords.hash(password) : password;
  return store.transaction(customerId, async ({ shares, audit }) => {
    const before = requireFound(await shares.lock(id), 'share');
    check(before);
    const share: Share = {
      ...before,
      ...changes,
      ...(title !== undefined && { title: cleanText(title) }),
      ...(passwordHash !== undefined && { passwordHash }),
    };
    const settings = Object.keys(fieldOf) as (keyof ShareSettings)[];
    const changed = settings.filter((name) => changedFields(before, share, [fieldOf[name]]).length > 0);
    if (changed.length === 0) return before;
    await shares.update(share);
    await audit.add(actor, { action: 'share.edited', subject: shareAuditSubject(share), changes: changed, at });
    return share;
  });
}

/** Ends a share: its link shows nothing from here on, in every process, and never will again. The photos stay. Errors: `not_found`. */
export function revokeShare(
  { store, clock }: { store: Transactional<'shares' | 'outbox' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
): Promise<Share> {
  return store.transaction(customerId, async ({ shares, outbox, audit }) => {
    const share = requireFound(await shares.lock(id), 'share');
    await shares.delete(id);
    const at = clock.now();
    await outbox.add('share.revoked', [id], at);
    await audit.add(actor, { action: 'share.revoked', subject: shareAuditSubject(share), at });
    return share;
  });
}

export const shareTokens: SealedRows<{ store: Transactional<'shares'> }, Share> = {
  purpose: 'share',
  owners: 'shares',
  list: ({ store }, customerId) => store.query(customerId, ({ shares }) => shares.list()),
  values: ({ token }) => [token],
  replace: ({ store }, customerId, { id }, renewed) =>
    store.transaction(customerId, async ({ shares }) => {
      const share = await shares.lock(id);
      if (share !== null) await shares.update({ ...share, token: renewed(share.token) });
    }),
};
