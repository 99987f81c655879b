import { isDeepStrictEqual } from 'node:util';
import type { Photo, PhotoPatch, PhotoService } from 'photo-service-sdk';
import type { ExportedPhoto } from '../export-format.js';
import { grouped } from '../sources/grouped.js';

/** A field of a photo that is not what it was. */
export interface Difference {
  readonly path: string;
  readonly field: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const HASHES_PER_READ = 100;

/**
 * The fate of each field: `patched` is restored by a patch as it is (times as what the clock showed and its zone), `compared` must be equal in
 * the end, and of the other ones a library makes its own.
 */
const FIELDS = {
  id: 'own',
  filename: 'patched',
  contentType: 'compared',
  sizeBytes: 'compared',
  sha256: 'compared',
  width: 'compared',
  height: 'compared',
  orientation: 'compared',
  rotation: 'patched',
  focus: 'patched',
  title: 'patched',
  description: 'patched',
  takenAt: 'compared',
  takenAtLocal: 'patched',
  timeZone: 'patched',
  takenAtSource: 'compared',
  location: 'patched',
  place: 'own',
  camera: 'compared',
  exposure: 'compared',
  companion: 'own',
  rating: 'patched',
  favorite: 'patched',
  creator: 'patched',
  copyright: 'patched',
  // In the file.
  keywords: 'own',
  // Compared by their names.
  tags: 'own',
  externalId: 'patched',
  // Restored key by key.
  metadata: 'compared',
  importId: 'own',
  damaged: 'compared',
  originalLostAt: 'own',
  thumbhash: 'own',
  dominantColor: 'own',
  phash: 'own',
  trashedAt: 'own',
  purgeAt: 'own',
  createdAt: 'own',
  updatedAt: 'own',
  version: 'own',
  urls: 'own',
  exif: 'own',
} as const satisfies Readonly<
  Record<keyof Photo, 'compared' | 'own' | 'patched'> &
    Record<Exclude<keyof PhotoPatch & keyof Photo, 'takenAt' | 'metadata'>, 'patched'>
>;

type Field = keyof typeof FIELDS;
const PATCHED = (Object.keys(FIELDS) as Field[]).filter((name) => FIELDS[name] === 'patched');
const COMPARED = (Object.keys(FIELDS) as Field[]).filter((name) => FIELDS[name] !== 'own');

/**
 * Compares photos of the library with those of an export, and sets what differs: rotation and focus, which no import can set, and fields that were
 * emptied although the file has a value. Photos with the same changes cost one write for each 100.
 */
export async function restoreFields(
  client: PhotoService,
  exported: readonly ExportedPhoto[],
  signal: AbortSignal,
): Promise<{ edited: number; differences: Difference[] }> {
  const before = await pairs(client, exported, signal);
  const changed = before.flatMap(([wanted, photo]) => {
    const patch = patchOf(wanted, photo);
    return Object.keys(patch).length === 0 ? [] : { id: photo.id, patch };
  });
  for (const [patch, photos] of grouped(changed, (each) => JSON.stringify(each.patch)))
    await client.photos.updateMany(
      photos.map(({ id }) => id),
      JSON.parse(patch),
      { signal },
    );
  const withOtherTags = before.filter(([wanted, photo]) => !isDeepStrictEqual(tagsOf(wanted), tagsOf(photo)));
  for (const [wanted, photo] of withOtherTags)
    await client.photos.setTags(photo.id, wanted.tags.length > 0 ? { tagNames: tagsOf(wanted) } : { tagIds: [] }, {
      signal,
    });
  const edited = new Set([...changed.map(({ id }) => id), ...withOtherTags.map(([, { id }]) => id)]);
  const after = edited.size === 0 ? before : await pairs(client, exported, signal);
  return { edited: edited.size, differences: after.flatMap(([wanted, photo]) => differencesOf(wanted, photo)) };
}

type Pair = readonly [ExportedPhoto, Photo];

/** Photos of the export with those of the library that have the same bytes; of several, those that are most alike. */
async function pairs(client: PhotoService, exported: readonly ExportedPhoto[], signal: AbortSignal): Promise<Pair[]> {
  const wanted = grouped(exported, ({ sha256 }) => sha256);
  const hashes = [...wanted.keys()];
  const found: Pair[] = [];
  for (let at = 0; at < hashes.length; at += HASHES_PER_READ) {
    const query = { sha256: hashes.slice(at, at + HASHES_PER_READ), sort: 'id' as const, limit: 100 };
    const photos = await client.photos.list(query, { signal }).toArray();
    for (const [sha256, those] of grouped(photos, (photo) => photo.sha256)) {
      for (const photo of wanted.get(sha256) ?? []) {
        const best = those.toSorted((a, b) => differencesOf(photo, a).length - differencesOf(photo, b).length)[0];
        if (best === undefined) break;
        those.splice(those.indexOf(best), 1);
        found.push([photo, best]);
      }
    }
  }
  return found;
}

function patchOf(wanted: Photo, photo: Photo): PhotoPatch {
  const fields = PATCHED.filter((field) => isOther(wanted[field], photo[field]));
  const patch: Record<string, unknown> = Object.fromEntries(fields.map((field) => [field, wanted[field]]));
  if ('takenAtLocal' in patch || 'timeZone' in patch) {
    delete patch['takenAtLocal'];
    delete patch['timeZone'];
    if (wanted.takenAtLocal === null) patch['takenAt'] = null;
    else Object.assign(patch, { takenAtLocal: wanted.takenAtLocal, timeZone: wanted.timeZone });
  }
  const keys = [...new Set([...Object.keys(wanted.metadata), ...Object.keys(photo.metadata)])];
  const metadata = keys.filter((key) => wanted.metadata[key] !== photo.metadata[key]);
  if (metadata.length > 0)
    patch['metadata'] = Object.fromEntries(metadata.map((key) => [key, wanted.metadata[key] ?? null]));
  return patch;
}

function differencesOf(wanted: ExportedPhoto, photo: Photo): Difference[] {
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ...COMPARED.map((field) => [field, wanted[field], photo[field]] as const),
    ['tags', tagsOf(wanted), tagsOf(photo)],
  ];
  return fields
    .filter(([, expected, found]) => isOther(expected, found))
    .map(([field, expected, found]) => ({ path: wanted.path, field, expected, found }));
}

/** An export of an earlier release says nothing of fields that are new. */
function isOther(expected: unknown, found: unknown): boolean {
  return expected !== undefined && !isDeepStrictEqual(expected, found);
}

function tagsOf({ tags }: Photo): string[] {
  return tags.map(({ name }) => name).sort();
}
