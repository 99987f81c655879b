import type { KeyFinder } from '../../access/api-key.js';
import type { Caller } from '../../access/caller.js';
import { defaultFormat, isRenditionName, type RenditionName, renditionFormats } from '../../media/media-reader.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock, HOUR, isExpired, SECOND } from '../../shared/clock.js';
import { DomainError } from '../../shared/errors.js';
import { isId } from '../../shared/ids.js';
import { readToken, type Secrets, signToken } from '../../shared/secrets.js';
import type { Readable } from '../../shared/transactional.js';
import { isRotation, type PhotoWithTags, rotate } from '../photo.js';
import { readVisiblePhoto } from '../read-photo.js';
import { type RenditionDownload, type RenditionUses, renditionOf } from './rendition.js';

/**
 * URLs for `<img>`: each valid for one rendition, without a key, until `expiresAt`; or until the key that requested them ends or gets an IP
 * list, or the photo is no longer visible (`openSignedRendition`). The addresses that customers sign themselves are those of
 * delivery/signed-address.ts; an original has no signed URL.
 */
export type PhotoUrls = Readonly<Record<RenditionName, string>> & { readonly expiresAt: Date };

/** URLs change every half day, and each is valid for 12 to 24 hours: caches work, leaked URLs expire. */
const STEP = 12 * HOUR;

/** Null for a key with an IP list, which URLs that work without the key would bypass. */
export function renditionUrls(
  uses: { secrets: Secrets; clock: Clock; addresses: Addresses },
  caller: Pick<Caller, 'apiKeyId' | 'ipRestricted'>,
  photo: PhotoWithTags,
): PhotoUrls | null {
  if (caller.ipRestricted) return null;
  const now = uses.clock.now();
  const expiresAt = after(now, 2 * STEP - (now.getTime() % STEP));
  const { customerId, id, rotation } = photo;
  const expires = expiresAt.getTime() / SECOND;
  // By their position, because a page has hundreds of URLs.
  const grant = (name: RenditionName) =>
    [customerId, id, name, defaultFormat(photo), rotation, expires, caller.apiKeyId] as const;
  const url = (name: RenditionName) => uses.addresses.rendition(signToken(uses.secrets, 'rendition', grant(name)));
  return { thumb: url('thumb'), small: url('small'), medium: url('medium'), large: url('large'), expiresAt };
}

/** Opens the rendition that a signed URL refers to. Errors: `url_forbidden`, `not_found`, `service_unavailable`. */
export async function openSignedRendition(
  uses: RenditionUses & { store: Readable<'photos'>; keys: KeyFinder; secrets: Secrets; clock: Clock },
  token: string,
): Promise<RenditionDownload & { readonly expiresAt: Date }> {
  const { keys, secrets, clock } = uses;
  const grant = readGrant(secrets, token);
  if (grant === null || isExpired(grant, clock.now())) throw forbiddenUrl();
  // Asked for with the key, so that there is one wait for both; without the key it counts for nothing, its absence neither.
  const found = readVisiblePhoto(uses, grant, grant.photoId);
  found.catch(() => undefined);
  // A person's URL contains no key, and only expires.
  if (grant.apiKeyId !== null) {
    const known = await keys.find(grant.apiKeyId);
    if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) throw forbiddenUrl();
    // A key that has an IP list by now would get no such URL.
    if (known.key.ipList.length > 0) throw forbiddenUrl();
  }
  const download = renditionOf(uses, rotate(await found, grant.rotation), grant);
  return { ...download, expiresAt: grant.expiresAt };
}

function forbiddenUrl(): DomainError {
  return new DomainError('url_forbidden', 'This URL is invalid or expired. Request the photo again for new ones.');
}

/**
 * The grant in a signed URL: what it shows, to whom, and until when; null for a token that `renditionUrls` has not made (`readToken`
 * of core/shared/secrets.ts compares the signature). The caller checks the expiry, and the key that requested it.
 */
function readGrant(secrets: Secrets, token: string) {
  const values = readToken(secrets, 'rendition', token);
  if (!Array.isArray(values)) return null;
  const [customerId, photoId, name, format, rotation, expires, apiKeyId] = values as unknown[];
  if (!isId(customerId) || !isId(photoId) || typeof name !== 'string' || !isRenditionName(name)) return null;
  const known = renditionFormats.find((each) => each === format);
  if (known === undefined || !isRotation(rotation)) return null;
  return {
    customerId,
    photoId,
    name,
    format: known,
    rotation,
    expiresAt: new Date(Number(expires) * SECOND),
    apiKeyId: isId(apiKeyId) ? apiKeyId : null,
  };
}
