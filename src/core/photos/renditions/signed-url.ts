import type { KeyFinder } from '../../access/api-key.js';
import type { Caller } from '../../access/caller.js';
import {
  defaultFormat,
  isRenditionName,
  type RenditionFormat,
  type RenditionName,
  renditionFormats,
} from '../../media/media-reader.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock, HOUR, isExpired, SECOND } from '../../shared/clock.js';
import { DomainError } from '../../shared/errors.js';
import { type Id, isId } from '../../shared/ids.js';
import { readToken, type Secrets, signToken } from '../../shared/secrets.js';
import type { Readable } from '../../shared/transactional.js';
import { isRotation, type PhotoWithTags, type Rotation, rotate } from '../photo.js';
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
  const { customerId, id: photoId, rotation } = photo;
  const grant = { customerId, photoId, format: defaultFormat(photo), rotation, expiresAt, apiKeyId: caller.apiKeyId };
  const url = (name: RenditionName) => uses.addresses.rendition(signGrant(uses, { ...grant, name }));
  return { thumb: url('thumb'), small: url('small'), medium: url('medium'), large: url('large'), expiresAt };
}

/** Opens the rendition that a signed URL refers to. Errors: `url_forbidden`, `not_found`, `service_unavailable`. */
export async function openSignedRendition(
  uses: RenditionUses & { store: Readable<'photos'>; keys: KeyFinder; secrets: Secrets; clock: Clock },
  token: string,
): Promise<RenditionDownload & { readonly expiresAt: Date }> {
  const grant = readGrant(uses, token);
  if (grant === null || isExpired(grant, uses.clock.now())) throw forbiddenUrl();
  // Asked for with the key, so that there is one wait for both; without the key it counts for nothing, its absence neither.
  const found = readVisiblePhoto(uses, grant, grant.photoId);
  found.catch(() => undefined);
  if (!(await isKeyValid(uses, grant))) throw forbiddenUrl();
  const download = renditionOf(uses, rotate(await found, grant.rotation), grant);
  return { ...download, expiresAt: grant.expiresAt };
}

function forbiddenUrl(): DomainError {
  return new DomainError('url_forbidden', 'This URL is invalid or expired. Request the photo again for new ones.');
}

/** A key that has an IP list by now would get no such URL. A person's URL contains no key, and only expires. */
async function isKeyValid(
  { keys, clock }: { keys: KeyFinder; clock: Clock },
  { apiKeyId }: RenditionGrant,
): Promise<boolean> {
  if (apiKeyId === null) return true;
  const known = await keys.find(apiKeyId);
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return false;
  return known.key.ipList.length === 0;
}

/** The grant in a signed URL: what it shows, to whom, and until when. */
interface RenditionGrant {
  readonly customerId: Id;
  readonly photoId: Id;
  readonly name: RenditionName;
  readonly format: RenditionFormat;
  readonly rotation: Rotation;
  /** In whole seconds. */
  readonly expiresAt: Date;
  /** Id of the key that requested it; null for a person who is signed in. */
  readonly apiKeyId: Id | null;
}

/** The token of its URL: the values by their position, because a page has hundreds of URLs. */
function signGrant({ secrets }: { secrets: Secrets }, grant: RenditionGrant): string {
  const { customerId, photoId, name, format, rotation, expiresAt, apiKeyId } = grant;
  const expires = expiresAt.getTime() / SECOND;
  return signToken(secrets, 'rendition', [customerId, photoId, name, format, rotation, expires, apiKeyId]);
}

/** Null for a token that `signGrant` has not made. The caller checks the expiry. */
function readGrant({ secrets }: { secrets: Secrets }, token: string): RenditionGrant | null {
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
