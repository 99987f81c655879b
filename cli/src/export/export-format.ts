import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Import, Photo, Tag } from 'photo-service-sdk';
import { UsageError } from '../exit-codes.js';
import { isEntryPath } from '../file-name.js';

/** The description of an exported folder: removed before anything changes, written when everything is there. */
export interface ExportHead {
  readonly format: 'photo-service-export';
  readonly version: 1;
  readonly service: string;
  readonly exportedAt: string;
  readonly counts: { readonly photos: number; readonly tags: number; readonly imports: number };
  /** Photos that are not part of it, because the service had lost their originals; only in an export that the service itself has written. */
  readonly missing?: readonly Pick<Photo, 'id' | 'filename' | 'sha256'>[];
}

/** A photo as the API shows it, and where its file is, below the folder of the export. */
export type ExportedPhoto = Photo & { readonly path: string };

export const HEAD = 'export.json';
export const PHOTOS = 'photos.jsonl';
export const TAGS = 'tags.jsonl';
export const IMPORTS = 'imports.jsonl';
/** Endpoints of webhooks without their secrets; only in an export that the service itself has written: API keys cannot read them. */
export const WEBHOOKS = 'webhooks.jsonl';
/** The list that `sha256sum --check` reads. */
export const CHECKSUMS = 'SHA256SUMS';
/** The folder of the originals and their sidecars. */
export const ORIGINALS = 'photos';

/** The folder of a photo below that of the originals, by the month in which it was taken. */
export function byDate({ takenAtLocal }: Pick<Photo, 'takenAtLocal'>): string {
  return takenAtLocal?.slice(0, 7).replace('-', '/') ?? 'undated';
}

/** A line of the checksums, for a path below the originals. */
export function checksumLine(sha256: string, path: string): string {
  return `${sha256}  ${ORIGINALS}/${path}\n`;
}

export function thumbOf({ id, rotation }: Pick<Photo, 'id' | 'rotation'>): string {
  return `thumbs/${id}-${rotation}.jpg`;
}

/**
 * Reads the lists of an exported folder. Another program may have written them: paths stay within the folder.
 * @throws UsageError for a folder that is no complete export.
 */
export async function readExport(folder: string) {
  const head = await readFile(join(folder, HEAD), 'utf8')
    .then((text): ExportHead | null => JSON.parse(text))
    .catch((error: Error) => {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    });
  if (head?.format !== 'photo-service-export' || head.version !== 1)
    throw new UsageError(`${folder} is not a complete export. Run phs export again, or choose another folder.`);
  const photos = await lines<ExportedPhoto>(folder, PHOTOS);
  const isPhoto = ({ path, sha256, tags }: ExportedPhoto) =>
    typeof path === 'string' && isEntryPath(path) && /^[0-9a-f]{64}$/.test(sha256) && Array.isArray(tags);
  if (!photos.every(isPhoto)) throw new UsageError(`${join(folder, PHOTOS)} is not a list of exported photos.`);
  return { photos, tags: await lines<Tag>(folder, TAGS), imports: await lines<Import>(folder, IMPORTS) };
}

export function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

async function lines<T>(folder: string, name: string): Promise<T[]> {
  const text = await readFile(join(folder, name), 'utf8');
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  } catch {
    throw new UsageError(`${join(folder, name)} is damaged. Run phs export again.`);
  }
}
