/** The details of a photo in a JSON file of Takeout. */
export interface TakeoutPhoto {
  readonly title: string | null;
  readonly description: string | null;
  /** Seconds since 1970 in UTC; null when not known. */
  readonly takenAt: number | null;
  readonly position: { readonly latitude: number; readonly longitude: number; readonly altitude: number | null } | null;
  readonly people: readonly string[];
  readonly isFavourite: boolean;
  readonly isArchived: boolean;
  readonly isTrashed: boolean;
  readonly url: string | null;
}

export type TakeoutDocument =
  | { readonly kind: 'photo'; readonly photo: TakeoutPhoto }
  | { readonly kind: 'album'; readonly title: string; readonly description: string | null }
  /** Comments, orders of prints, and the like. */
  | { readonly kind: 'other' };

type Value = Readonly<Record<string, unknown>>;

/** Told apart by their content: the names of albums' files are in the language of the account. */
export function readTakeout(document: Value | null): TakeoutDocument {
  if (document === null) return { kind: 'other' };
  const title = text(document['title']);
  if ('photoTakenTime' in document || ('url' in document && 'creationTime' in document))
    return { kind: 'photo', photo: photoOf(document) };
  const album = object(document['albumData']) ?? document;
  const isAlbum = ['access', 'date', 'description', 'geoData', 'enrichments'].some((name) => name in album);
  const name = text(album['title']) ?? title;
  if (!isAlbum || name === null) return { kind: 'other' };
  return { kind: 'album', title: name, description: text(album['description']) };
}

function photoOf(document: Value): TakeoutPhoto {
  const people = Array.isArray(document['people']) ? document['people'] : [];
  return {
    title: text(document['title']),
    description: text(document['description']),
    takenAt: seconds(object(document['photoTakenTime'])?.['timestamp']),
    position: positionOf(document['geoData']) ?? positionOf(document['geoDataExif']),
    people: people.flatMap((person) => text(object(person)?.['name']) ?? []),
    isFavourite: document['favorited'] === true,
    isArchived: document['archived'] === true,
    isTrashed: document['trashed'] === true,
    url: text(document['url']),
  };
}

/** 0/0 stands for no position, and 0 for no altitude. */
function positionOf(value: unknown): TakeoutPhoto['position'] {
  const { latitude, longitude, altitude } = object(value) ?? {};
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  if (latitude === 0 && longitude === 0) return null;
  return { latitude, longitude, altitude: typeof altitude === 'number' && altitude !== 0 ? altitude : null };
}

function seconds(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Titles and descriptions come with the entities of a page. */
function text(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return value.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
}

function object(value: unknown): Value | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Value) : null;
}
