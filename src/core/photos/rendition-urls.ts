import type { Caller } from '../access/caller.js';
import { defaultFormat, type RenditionName } from '../media/renditions.js';
import type { Addresses } from '../shared/addresses.js';
import { after, type Clock, HOUR } from '../shared/clock.js';
import type { Secrets } from '../shared/secrets.js';
import type { PhotoWithTags } from './photo.js';
import { signGrant } from './rendition-grant.js';

/** URLs for `<img>`: each valid for one rendition, without a key, until `expiresAt` or the end of the key that requested them. */
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
