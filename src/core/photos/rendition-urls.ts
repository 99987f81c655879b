import type { Caller } from '../access/caller.js';
import type { RenditionFormat } from '../media/media-reader.js';
import { defaultFormat, isRenditionName, type RenditionName } from '../media/renditions.js';
import type { Addresses } from '../shared/addresses.js';
import type { Clock } from '../shared/clock.js';
import { after, HOUR, SECOND } from '../shared/clock.js';
import { type Id, isId } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import { readToken, signToken } from '../shared/secrets.js';
import type { PhotoWithTags, Rotation } from './photo.js';

/** URLs for `<img>`: each valid for one rendition, without a key, until `expiresAt` or the end of the key that requested them. */
export type PhotoUrls = Readonly<Record<RenditionName, string>> & { readonly expiresAt: Date };

/** URLs change every half day, and each is valid for 12 to 24 hours: caches work, leaked URLs expire. */
const STEP = 12 * HOUR;

/** Null for a key with an IP list, which URLs that work without the key would bypass. */
export function renditionUrls(
  { secrets, clock, addresses }: { secrets: Secrets; clock: Clock; addresses: Addresses },
  caller: Pick<Caller, 'apiKeyId' | 'ipRestricted'>,
  photo: PhotoWithTags,
): PhotoUrls | null {
  if (caller.ipRestricted) return null;
  const now = clock.now();
  const expiresAt = after(now, 2 * STEP - (now.getTime() % STEP));
  const url = (name: RenditionName) => {
    const grant = [
      photo.customerId,
      photo.id,
      name,
      defaultFormat(photo),
      photo.rotation,
      expiresAt.getTime() / SECOND,
      caller.apiKeyId,
    ];
    return addresses.rendition(signToken(secrets, 'rendition', grant));
  };
  return { thumb: url('thumb'), small: url('small'), medium: url('medium'), large: url('large'), expiresAt };
}

export interface RenditionGrant {
  readonly customerId: Id;
  readonly photoId: Id;
  readonly name: RenditionName;
  readonly format: RenditionFormat;
  readonly rotation: Rotation;
  readonly expiresAt: Date;
  /** Id of the key that requested it; null for a person who is signed in. */
  readonly apiKeyId: Id | null;
}

export function readGrant({ secrets }: { secrets: Secrets }, token: string): RenditionGrant | null {
  const said = readToken(secrets, 'rendition', token);
  if (!Array.isArray(said)) return null;
  const [customerId, photoId, name, format, rotation, expires, apiKeyId] = said as unknown[];
  if (!isId(customerId) || !isId(photoId) || typeof name !== 'string' || !isRenditionName(name)) return null;
  return {
    customerId,
    photoId,
    name,
    format: format === 'webp' ? 'webp' : 'jpeg',
    rotation: Number(rotation) as Rotation,
    expiresAt: new Date(Number(expires) * SECOND),
    // Absent from URLs signed by the previous release: those are valid until they expire, at most a day.
    apiKeyId: isId(apiKeyId) ? apiKeyId : null,
  };
}
