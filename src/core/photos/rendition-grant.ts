import { type RenditionFormat, renditionFormats } from '../media/media-reader.js';
import { isRenditionName, type RenditionName } from '../media/renditions.js';
import { SECOND } from '../shared/clock.js';
import { type Id, isId } from '../shared/ids.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import { isRotation, type Rotation } from './photo.js';

/** What a signed URL shows, to whom, and until when. */
export interface RenditionGrant {
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
export function signGrant({ secrets }: { secrets: Secrets }, grant: RenditionGrant): string {
  const { customerId, photoId, name, format, rotation, expiresAt, apiKeyId } = grant;
  const expires = expiresAt.getTime() / SECOND;
  return signToken(secrets, 'rendition', [customerId, photoId, name, format, rotation, expires, apiKeyId]);
}

/** Null for a token that `signGrant` has not made. The caller checks the expiry. */
export function readGrant({ secrets }: { secrets: Secrets }, token: string): RenditionGrant | null {
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
    // Absent from URLs signed by the previous release: those are valid until they expire, at most a day.
    apiKeyId: isId(apiKeyId) ? apiKeyId : null,
  };
}
