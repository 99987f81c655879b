import type { CountedValue, PhotoKind, ValuesRequest } from '../../src/core/photos/filter-values.js';
import { isTrashed, type PhotoWithTags } from '../../src/core/photos/photo.js';
import { searchText } from '../../src/core/shared/text.js';

type Photos = readonly PhotoWithTags[];

export function kindsOf(photos: Photos, request: ValuesRequest): readonly PhotoKind[] {
  const kinds = counted(photos, request, (photo) => {
    const { rating, width, height, location, tags, favorite, contentType } = photo;
    const aspect = width === height ? 'square' : width > height ? 'landscape' : 'portrait';
    return JSON.stringify({
      rating,
      aspect,
      located: location !== null,
      tagged: tags.length > 0,
      favorite,
      contentType,
    });
  });
  return kinds.map(({ value, photos: number }) => ({ ...JSON.parse(value), photos: number }));
}

export function camerasOf(photos: Photos, request: ValuesRequest): readonly CountedValue[] {
  const name = ({ camera }: PhotoWithTags) => [camera?.make, camera?.model].filter(Boolean).join(' ');
  const keyOf = (photo: PhotoWithTags) => searchText(photo.camera?.make ?? null, photo.camera?.model ?? null);
  return counted(photos, request, (photo) => keyOf(photo) || null).map(({ value: key, photos: number }) => {
    const [first] = photos.filter((photo) => keyOf(photo) === key);
    return { value: first ? name(first) : '', photos: number };
  });
}

export function lensesOf(photos: Photos, request: ValuesRequest): readonly CountedValue[] {
  return counted(photos, request, ({ camera }) => camera?.lens || null);
}

export function countriesOf(photos: Photos, request: ValuesRequest): readonly CountedValue[] {
  return counted(photos, request, ({ place }) => place?.country ?? null);
}

/** Photos by a value, except those without one. */
function counted(
  photos: Photos,
  request: ValuesRequest,
  read: (photo: PhotoWithTags) => string | null,
): CountedValue[] {
  const counts = new Map<string, number>();
  for (const photo of photos.filter((each) => isTrashed(each) === request.trashed)) {
    const value = read(photo);
    if (value !== null) counts.set(value, Math.min(request.counted, (counts.get(value) ?? 0) + 1));
  }
  return [...counts].slice(0, request.limit).map(([value, number]) => ({ value, photos: number }));
}
