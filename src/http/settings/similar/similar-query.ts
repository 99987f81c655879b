import type { PhotoPair } from '../../../core/photos/similar/similar-photo.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { address } from '../address.js';

/** The page of groups after this photo, or an action that returns to it. */
export function similarPath(after: Id | null, action = ''): string {
  return address(`/settings/similar${action}`, { after: after === null ? undefined : String(after) });
}

export function pairText({ photoId, otherId }: PhotoPair): string {
  return `${photoId}-${otherId}`;
}

/** What is no pair is left out. */
export function parsePair(text: string): readonly PhotoPair[] {
  const [photoId, otherId, more] = text.split('-', 3).map(parseId);
  return photoId && otherId && more === undefined ? [{ photoId, otherId }] : [];
}
