import { isExpired } from '../../access/api-key.js';
import type { IpLists } from '../../access/ip-list.js';
import type { CustomerDirectory } from '../../customers/customer-directory.js';
import type { Clock } from '../../shared/clock.js';
import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import type { ImportBatchers } from '../batchers.js';
import type { ImportPhoto } from '../import-photo.js';
import { readUploadToken, type UploadGrant } from '../target.js';

export type GrantUses = {
  importBatchers: ImportBatchers;
  customers: CustomerDirectory;
  ipLists: IpLists;
  clock: Clock;
  secrets: Secrets;
};

/** Who may send bytes, and to which item. Errors: `upload_forbidden`, which says the same whatever is wrong. */
async function requireUploadGrant(
  uses: GrantUses,
  { token, address }: { readonly token: string; readonly address: string | null },
): Promise<UploadGrant> {
  const grant = readUploadToken(uses, token);
  const now = uses.clock.now();
  if (grant === null || grant.expiresAt.getTime() <= now.getTime()) throw uploadForbidden();
  if (grant.apiKeyId === null) await requireActive(uses, grant.customerId);
  else await requireKey(uses, grant.apiKeyId, address, now);
  return grant;
}

/** The same, and the item as it is. */
export async function requireUploadItem(
  uses: GrantUses,
  target: { readonly token: string; readonly address: string | null },
): Promise<{ grant: UploadGrant; item: ImportPhoto }> {
  const grant = await requireUploadGrant(uses, target);
  const item = await uses.importBatchers.readItem(grant.customerId, grant.importId, grant.itemId);
  if (item === null) throw uploadForbidden();
  return { grant, item };
}

/** Looked up for each upload, whenever its address was made. */
async function requireKey(uses: GrantUses, id: Id, address: string | null, now: Date): Promise<void> {
  const known = await uses.importBatchers.findKey(id);
  if (known === null || isExpired(known.key, now) || known.customerStatus !== 'active') throw uploadForbidden();
  if (!uses.ipLists.admits(known.key.ipList, address)) throw uploadForbidden();
}

/** Requested by a person: there is no key that could end before the address does. */
async function requireActive({ customers }: GrantUses, customerId: Id): Promise<void> {
  if ((await customers.find(customerId))?.status !== 'active') throw uploadForbidden();
}

export function uploadForbidden(): DomainError {
  const message = 'This upload URL is invalid or expired. Request the item again for a new one.';
  return new DomainError('upload_forbidden', message);
}
