import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Import, ImportOptions, Photo, PhotoDetails, PhotoPatch, PhotoService } from 'photo-service-sdk';
import { unreadable } from 'photo-service-sdk/node';
import { grouped } from '../grouped.js';
import { importSource, type SourceImportOptions, type SourceImportResult } from '../sources/import-source.js';
import type { PhotoSource, SourceItem } from '../sources/photo-source.js';
import { type ExportedPhoto, ORIGINALS, readExport } from './export-format.js';

export interface RestoreResult extends SourceImportResult {
  /** Photos whose fields differed from what their files say, and were set. */
  readonly edited: number;
  /** Fields that are not as they were when the export was made. */
  readonly differences: readonly Difference[];
}

/**
 * Brings an exported folder back: tags with their colours and descriptions, photos in imports like those that they came with, and every field. What is there
 * already stays, so that the same call continues after an interruption.
 */
export async function restoreExport(
  client: PhotoService,
  folder: string,
  // Each photo gets its own tags, and no others.
  { tagNames: _, tagIds: __, ...options }: SourceImportOptions,
): Promise<RestoreResult> {
  const { photos, tags, imports } = await readExport(folder);
  const { signal, dryRun } = options;
  if (!dryRun)
    await client.tags.createMany(
      tags.map(({ name, color, description }) => ({ name, color, description })),
      { signal },
    );
  const results: SourceImportResult[] = [];
  for (const [at, { settings, items, isCopy }] of batchesOf(photos, imports).entries()) {
    const missing = isCopy && !dryRun ? [] : items;
    // Second photos that are not in the library as often as they were in the export.
    for (const [sha256, copies] of isCopy && !dryRun ? grouped(items, (photo) => photo.sha256) : []) {
      const present = await client.photos.list({ sha256: [sha256], limit: 100 }, { signal }).toArray();
      const wanted = photos.filter((photo) => photo.sha256 === sha256).length;
      missing.push(...copies.slice(0, Math.max(0, wanted - present.length)));
    }
    const source = { items: () => exportedItems(folder, missing) };
    const stateFile = `${options.stateFile.replace(/\.json$/, '')}-${at}.json`;
    results.push(await importSource(client, source, { ...options, ...settings, stateFile }));
  }
  const restored = dryRun ? { edited: 0, differences: [] } : await restoreFields(client, photos, signal);
  return { ...sum(results), ...restored };
}

/**
 * One import for each that the photos came with. Where the zone of the import, or of the account, was taken for a photo, its new import has that
 * zone, and where the file's name stated the time, it does again; second photos of the same bytes need an import that allows them.
 */
function batchesOf(photos: readonly ExportedPhoto[], imports: readonly Import[]) {
  const known = new Map(imports.map((each) => [each.id, each]));
  const seen = new Set<string>();
  const keyOf = ({ importId, takenAtSource, timeZone, sha256 }: ExportedPhoto) => {
    const isCopy = seen.has(sha256);
    seen.add(sha256);
    const isNamed = takenAtSource === 'filename';
    const zone = takenAtSource === 'customer_default' || isNamed ? timeZone : null;
    return JSON.stringify([importId, zone ?? known.get(importId ?? 0)?.defaultTimeZone ?? null, isCopy, isNamed]);
  };
  return [...grouped(photos, keyOf)].map(([key, items]) => {
    const [importId, zone, isCopy, isNamed] = JSON.parse(key) as [number | null, string | null, boolean, boolean];
    const { name = null, source = null } = known.get(importId ?? 0) ?? {};
    const settings: Partial<ImportOptions> = {
      ...(name !== null && { name }),
      ...(source !== null && { source }),
      ...(zone !== null && { defaultTimeZone: zone }),
      ...(isNamed && { dateFromFilename: true }),
      duplicatePolicy: isCopy ? 'allow' : 'skip',
    };
    return { settings, items, isCopy };
  });
}

function sum(results: readonly SourceImportResult[]): SourceImportResult {
  const total = (name: 'total' | 'imported' | 'duplicates' | 'bytesUploaded' | 'skipped') =>
    results.reduce<number | null>((all, { [name]: each }) => (all === null || each === null ? null : all + each), 0);
  return {
    dryRun: results.some(({ dryRun }) => dryRun),
    total: total('total') ?? 0,
    imported: total('imported'),
    duplicates: total('duplicates'),
    bytesUploaded: total('bytesUploaded'),
    skipped: total('skipped') ?? 0,
    failed: results.flatMap(({ failed }) => failed),
    imports: results.flatMap(({ imports }) => imports),
    skippedFiles: results.flatMap(({ skippedFiles }) => skippedFiles),
    losses: results.flatMap(({ losses }) => losses),
  };
}

export async function photoServiceSource(folder: string): Promise<PhotoSource> {
  const { photos } = await readExport(folder);
  return { items: () => exportedItems(folder, photos) };
}

/** These photos of an exported folder, with what the service does not take from their files. */
async function* exportedItems(folder: string, photos: readonly ExportedPhoto[]): AsyncGenerator<SourceItem> {
  for (const photo of photos) {
    const path = join(folder, ORIGINALS, photo.path);
    const stats = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => error);
    if (stats instanceof Error) {
      const problem = unreadable(stats.code ?? stats.message).message;
      yield { kind: 'skipped', label: path, reason: 'unreadable', problem };
      continue;
    }
    const file = { path, stats, filename: photo.filename };
    yield { kind: 'photo', key: photo.path, label: path, file, details: detailsOf(photo), losses: [] };
  }
}

/** The details that come along as they are: all but the time, the tags, and where the bytes come from. */
const carried = {
  ...{ title: true, description: true, location: true, rating: true, favorite: true, creator: true, copyright: true },
  ...{ externalId: true, metadata: true },
} as const satisfies Readonly<
  Record<
    Exclude<keyof PhotoDetails, 'takenAt' | 'takenAtLocal' | 'timeZone' | 'tagIds' | 'tagNames' | 'sourceUrl'>,
    true
  >
>;

/** A time that was found in the file is found there again, and only then its source is the same. */
function detailsOf(photo: Photo): PhotoDetails {
  const { takenAtLocal, timeZone, takenAtSource, tags } = photo;
  const names = Object.keys(carried) as (keyof typeof carried)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, photo[name]])),
    ...(takenAtSource === 'client' && { takenAtLocal, timeZone }),
    tagNames: tags.map(({ name }) => name),
  };
}

interface Difference {
  readonly path: string;
  readonly field: string;
  readonly expected: unknown;
  readonly found: unknown;
}

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
async function restoreFields(
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
  for (let at = 0; at < hashes.length; at += 100) {
    const query = { sha256: hashes.slice(at, at + 100), sort: 'id' as const, limit: 100 };
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
