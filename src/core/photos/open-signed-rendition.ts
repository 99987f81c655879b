import { isExpired } from '../access/api-key.js';
import type { KeyStore } from '../access/key-store.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { type RenditionDownload, renditionOf } from './download-rendition.js';
import type { RenditionUses } from './open-rendition.js';
import { rotate } from './photo.js';
import { readVisiblePhoto } from './read-photo.js';
import { type RenditionGrant, readGrant } from './rendition-grant.js';

/** What a signed URL refers to. Errors: `url_forbidden`, `not_found`, `service_unavailable`. */
export async function openSignedRendition(
  uses: RenditionUses & { store: Readable<'photos'>; keys: KeyStore; secrets: Secrets; clock: Clock },
  token: string,
): Promise<RenditionDownload & { readonly expiresAt: Date }> {
  const grant = readGrant(uses, token);
  if (grant === null || grant.expiresAt.getTime() <= uses.clock.now().getTime() || !(await isKeyValid(uses, grant))) {
    throw new DomainError('url_forbidden', 'This URL is invalid or expired. Request the photo again for new ones.');
  }
  const photo = await readVisiblePhoto(uses, grant, grant.photoId);
  const download = renditionOf(uses, rotate(photo, grant.rotation), grant);
  return { ...download, expiresAt: grant.expiresAt };
}

/** A key that has an IP list by now would get no such URL. A person's URL contains no key, and only expires. */
async function isKeyValid(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  { apiKeyId }: RenditionGrant,
): Promise<boolean> {
  if (apiKeyId === null) return true;
  const known = await keys.find(apiKeyId);
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return false;
  return known.key.ipList.length === 0;
}
