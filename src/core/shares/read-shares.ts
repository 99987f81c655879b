import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { ShareWithToken } from './create-share.js';
import type { Share } from './share.js';

type ReadUses = { store: Readable<'shares'>; secrets: Secrets };

/** All shares of a customer, newest first, with their tokens. */
export async function listShares(uses: ReadUses, customerId: Id): Promise<readonly ShareWithToken[]> {
  const shares = await uses.store.query(customerId, (reader) => reader.shares.list());
  return shares.map((share) => withToken(uses, share));
}

/** Errors: `not_found`. */
export async function readShare(uses: ReadUses, customerId: Id, id: Id): Promise<ShareWithToken> {
  const share = await uses.store.query(customerId, (reader) => reader.shares.get(id));
  return withToken(uses, requireFound(share, 'share'));
}

function withToken({ secrets }: { secrets: Secrets }, share: Share): ShareWithToken {
  return { share, token: unseal(secrets, 'share', share.token) };
}
