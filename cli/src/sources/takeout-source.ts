import { createHash } from 'node:crypto';
import { DetailsBuilder } from '../details-builder.js';
import type { ArchiveFile } from './archive/archive-file.js';
import { openArchives } from './archive/open-archives.js';
import { grouped } from './grouped.js';
import type { PhotoSource, SourceItem } from './photo-source.js';
import { fileFacts } from './takeout/file-times.js';
import { type TakeoutFile, takeoutFolders } from './takeout/takeout-folders.js';
import type { TakeoutPhoto } from './takeout/takeout-json.js';
import { addTimeAndPlace } from './takeout/time-and-place.js';
import { zoneAt } from './takeout/zones.js';

export interface TakeoutOptions {
  /** The time zone of photos whose files and positions do not give one. */
  readonly timeZone: string | null;
}

/** An export of Google Photos by Takeout: all its archives, or the folders into which they were unpacked. Albums become tags. */
export async function takeoutSource(paths: readonly string[], options: TakeoutOptions): Promise<PhotoSource> {
  const archive = await openArchives(paths);
  return {
    items: (signal) => items(archive.files, options, signal),
    close: () => archive.close(),
  };
}

async function* items(
  files: readonly ArchiveFile[],
  options: TakeoutOptions,
  signal: AbortSignal,
): AsyncGenerator<SourceItem> {
  const { photos, others, unmatched } = await takeoutFolders(files);
  const keys = new Set<string>();
  for (const copies of await withoutCopies(photos, signal)) {
    signal.throwIfAborted();
    const [first] = copies as [TakeoutFile, ...TakeoutFile[]];
    const { photo } = first;
    if (copies.every((copy) => copy.photo?.isTrashed)) {
      yield { kind: 'skipped', label: first.file.label, reason: 'trashed' };
      continue;
    }
    const details = await detailsOf(copies, options);
    const key = keys.has(first.file.path) ? first.file.label : first.file.path;
    keys.add(key);
    const filename = filenameOf(first, photo);
    const file = first.file.bytes(filename);
    yield { kind: 'photo', key, label: first.file.label, file, details: details.build(), losses: details.losses };
  }
  yield* others;
  for (const { label } of unmatched) yield { kind: 'skipped', label, reason: 'photo_missing' };
}

/** The copies of each photo together, those with a JSON file of their own first. */
async function withoutCopies(photos: readonly TakeoutFile[], signal: AbortSignal): Promise<TakeoutFile[][]> {
  const groups = new Map<string, TakeoutFile[]>();
  const similar = grouped(photos, ({ file }) => `${file.sizeBytes}:${file.crc32}`);
  for (const photo of photos) {
    const { sizeBytes, crc32 } = photo.file;
    const isAlone = similar.get(`${sizeBytes}:${crc32}`)?.length === 1;
    const key = isAlone ? photo.file.label : await contentKey(photo, signal);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [photo]);
    else if (group[0]?.photo === null && photo.photo !== null) group.unshift(photo);
    else group.push(photo);
  }
  return [...groups.values()];
}

/** Equal for files of the same bytes. A checksum will do where the name is the same too, as it is in a year and in an album. */
async function contentKey({ file, name }: TakeoutFile, signal: AbortSignal): Promise<string> {
  if (file.crc32 !== null) return `${file.sizeBytes}:${file.crc32}:${name}`;
  const hash = createHash('sha256');
  try {
    for await (const chunk of await file.open(0)) {
      signal.throwIfAborted();
      hash.update(chunk);
    }
    return hash.digest('hex');
  } catch {
    signal.throwIfAborted();
    // The import says why it cannot be read.
    return file.label;
  }
}

/** The title is the name that the file had; in the archive it may be cut, numbered, or without some characters. */
function filenameOf({ name, editOf }: TakeoutFile, photo: TakeoutPhoto | null): string {
  const title = photo?.title ?? '';
  const endingOf = (text: string) => /\.[^.]*$/.exec(text)?.[0].toLowerCase() ?? '';
  return (editOf === null && title !== '' && endingOf(title) === endingOf(name) ? title : name).replaceAll('/', '_');
}

async function detailsOf(copies: readonly TakeoutFile[], { timeZone }: TakeoutOptions): Promise<DetailsBuilder> {
  const details = new DetailsBuilder();
  for (const { album, albumDescription } of copies) {
    if (album !== null) details.tag(album);
    if (albumDescription !== null) details.lose('album.description', 'not_supported', albumDescription);
  }
  const { file, photo, editOf, video } = copies[0] as TakeoutFile;
  details.note('takeout.editOf', editOf);
  details.note('takeout.video', video);
  if (photo === null) {
    details.lose('json', 'missing');
    return details;
  }
  details.description(photo.description);
  details.favorite(copies.some((copy) => copy.photo?.isFavourite));
  details.note('takeout.people', photo.people.join('; '));
  details.note('takeout.archived', photo.isArchived ? 'true' : null);
  details.note('takeout.url', photo.url);
  const facts = await fileFacts(file);
  const { takenAt: instant, position } = photo;
  addTimeAndPlace(details, { instant, position, zone: zoneAt(position ?? facts.position) ?? timeZone }, facts);
  return details;
}
