import type { Id } from '../../../core/shared/ids.js';
import { parseId } from '../../../core/shared/ids.js';

export const LIST = '/settings/shares';
/** Of every page about shares. */
export const AREA = { section: 'shares', styles: ['areas.css'] } as const;

export function sharePagePath(id: Id, act?: 'revoke'): string {
  return act === undefined ? `${LIST}/${id}` : `${LIST}/${id}/${act}`;
}

/** Where these photos can be shared. A thousand of them fit into an address, which is short of a character between two that would be encoded. */
export function newSharePath(photoIds: readonly Id[]): string {
  return `${LIST}/new?photos=${photoIds.join('.')}`;
}

/** The photos that such an address names; null if it names none. */
export function photosIn(text: string): readonly Id[] | null {
  const ids = text.split('.').flatMap((each) => parseId(each) ?? []);
  return ids.length === 0 ? null : ids;
}
