import { nameKey, photoNames } from 'photo-service-cli/file-name';
import type { Id } from '../../core/shared/ids.js';

/** Names that differ on every file system, in the order of the list: the same list has the same names. */
export function withFileNames<T extends { readonly id: Id; readonly filename: string }>(
  photos: readonly T[],
): readonly (T & { readonly path: string })[] {
  const taken = new Set<string>();
  return photos.map((photo) => {
    const path = photoNames(photo).find((name) => !taken.has(nameKey(name)));
    if (path === undefined) throw new Error(`There is no free file name for photo ${photo.id}.`);
    taken.add(nameKey(path));
    return { ...photo, path };
  });
}
