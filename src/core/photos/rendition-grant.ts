import type { RenditionFormat } from '../media/media-reader.js';
import { isRenditionName, type RenditionName } from '../media/renditions.js';
import { SECOND } from '../shared/clock.js';
import { type Id, isId } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import { readToken } from '../shared/secrets.js';
import type { Rotation } from './photo.js';

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
