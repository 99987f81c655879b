import type { Import, ImportOptions, Photo, PhotoService } from 'photo-service-sdk';
import { type ExportedPhoto, readExport } from '../export-format.js';
import { grouped } from '../sources/grouped.js';
import { exportedItems } from '../sources/photo-service-source.js';
import { importSource, type SourceImportOptions, type SourceImportResult } from '../sources/photo-source.js';
import { type Difference, restoreFields } from './restore-fields.js';

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
  for (const [at, batch] of batchesOf(photos, imports).entries()) {
    const { settings, items } = batch;
    const missing = batch.isCopy && !dryRun ? await notThere(client, items, photos, signal) : items;
    const source = { items: () => exportedItems(folder, missing), close: () => Promise.resolve() };
    const stateFile = `${options.stateFile.replace(/\.json$/, '')}-${at}.json`;
    results.push(await importSource(client, source, { ...options, ...settings, stateFile }));
  }
  const restored = dryRun ? { edited: 0, differences: [] } : await restoreFields(client, photos, signal);
  return { ...sum(results), ...restored };
}

interface Batch {
  readonly settings: Partial<ImportOptions>;
  readonly items: readonly ExportedPhoto[];
  /** Second photos of the same bytes. */
  readonly isCopy: boolean;
}

/**
 * One import for each that the photos came with. Where the zone of the import, or of the account, was taken for a photo, its new import has that
 * zone, and where the file's name stated the time, it does again; second photos of the same bytes need an import that allows them.
 */
function batchesOf(photos: readonly ExportedPhoto[], imports: readonly Import[]): Batch[] {
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
    const settings = {
      ...(name !== null && { name }),
      ...(source !== null && { source }),
      ...(zone !== null && { defaultTimeZone: zone }),
      ...(isNamed && { dateFromFilename: true }),
      duplicatePolicy: isCopy ? ('allow' as const) : ('skip' as const),
    };
    return { settings, items, isCopy };
  });
}

/** Returns the second photos that are not in the library as often as they were in the export. */
async function notThere(
  client: PhotoService,
  copies: readonly ExportedPhoto[],
  all: readonly ExportedPhoto[],
  signal: AbortSignal,
): Promise<ExportedPhoto[]> {
  const missing: ExportedPhoto[] = [];
  for (const [sha256, those] of grouped(copies, (photo) => photo.sha256)) {
    const present: Photo[] = await client.photos.list({ sha256: [sha256], limit: 100 }, { signal }).toArray();
    const wanted = all.filter((photo) => photo.sha256 === sha256).length;
    missing.push(...those.slice(0, Math.max(0, wanted - present.length)));
  }
  return missing;
}

function sum(results: readonly SourceImportResult[]): SourceImportResult {
  const total = (of: (result: SourceImportResult) => number | null) =>
    results.reduce<number | null>((all, result) => {
      const value = of(result);
      return all === null || value === null ? null : all + value;
    }, 0);
  return {
    dryRun: results.some(({ dryRun }) => dryRun),
    total: total((result) => result.total) ?? 0,
    imported: total((result) => result.imported),
    duplicates: total((result) => result.duplicates),
    bytesUploaded: total((result) => result.bytesUploaded),
    skipped: total((result) => result.skipped) ?? 0,
    failed: results.flatMap(({ failed }) => failed),
    imports: results.flatMap(({ imports }) => imports),
    skippedFiles: results.flatMap(({ skippedFiles }) => skippedFiles),
    losses: results.flatMap(({ losses }) => losses),
  };
}
