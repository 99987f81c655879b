import { posix } from 'node:path';
import { HEAD_BYTES } from 'photo-service-sdk/node';
import { parse } from 'yaml';
import { DetailsBuilder } from '../details-builder.js';
import { type ArchiveFile, openArchives, wholeOf } from './archive.js';
import { leftOut, type PhotoSource, type SourceItem } from './photo-source.js';
import { headOf } from './streams.js';
import { inZone } from './time-and-place.js';

/**
 * Folders of PhotoPrism: the originals, the YAML files of photos (`storage/sidecar`) and those of albums (`storage/backup/albums`), or folders that
 * contain them. Albums become tags.
 */
export function photoprismSource(folders: readonly string[]): Promise<PhotoSource> {
  return openArchives(folders, items);
}

type Value = Readonly<Record<string, unknown>>;

async function* items(files: readonly ArchiveFile[], signal: AbortSignal): AsyncGenerator<SourceItem> {
  const { photos, albums } = await documentsOf(files.filter(isYaml), signal);
  const find = finderOf(photos);
  const used = new Set<string>();
  const keys = new Set<string>();
  for (const file of files) {
    if (isYaml(file)) continue;
    const other = await leftOut(file.label, file.path, () => headOf(file, HEAD_BYTES));
    if (other !== null) {
      yield other;
      continue;
    }
    const found = find(stemOf(file.path));
    if (found !== null) used.add(found.file.label);
    if (found?.document['DeletedAt']) {
      yield { kind: 'skipped', label: file.label, reason: 'trashed' };
      continue;
    }
    const details = new DetailsBuilder();
    if (found === null) details.lose('yaml', 'missing');
    else describe(found.document, albums.get(String(found.document['UID'])) ?? [], details);
    const key = keys.has(file.path) ? file.label : file.path;
    keys.add(key);
    const bytes = file.bytes(posix.basename(file.path));
    yield { kind: 'photo', key, label: file.label, file: bytes, details: details.build(), losses: details.losses };
  }
  for (const { file, document } of photos)
    if (!used.has(file.label) && document['Type'] !== 'video')
      yield { kind: 'skipped', label: file.label, reason: 'photo_missing' };
}

interface PhotoDocument {
  readonly file: ArchiveFile;
  /** Its path without the ending, which is that of the photo below another folder. */
  readonly stem: string;
  readonly document: Value;
}

async function documentsOf(files: readonly ArchiveFile[], signal: AbortSignal) {
  const photos: PhotoDocument[] = [];
  const albums = new Map<string, string[]>();
  for (const file of files) {
    signal.throwIfAborted();
    // Aliases can make a short document a long one.
    const parsed: unknown = await wholeOf(file, 4 * 1024 * 1024)
      .then((bytes) => parse(bytes.toString(), { maxAliasCount: 0 }))
      .catch(() => null);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) continue;
    const document: Value = { ...parsed };
    if (!Array.isArray(document['Photos'])) {
      if ('UID' in document) photos.push({ file, stem: stemOf(file.path), document });
    } else if (document['Type'] === 'album' && typeof document['Title'] === 'string') {
      for (const photo of document['Photos'] as readonly Value[]) {
        const uid = String(photo?.['UID']);
        if (photo?.['Hidden'] !== true) albums.set(uid, [...(albums.get(uid) ?? []), document['Title']]);
      }
    }
  }
  return { photos, albums };
}

/**
 * Finds the document of a photo by the path of both without their endings. Originals and sidecars are in folders of the same names below
 * different ones: the longest common end decides.
 */
function finderOf(documents: readonly PhotoDocument[]): (stem: string) => PhotoDocument | null {
  const byStem = new Map<string, PhotoDocument>();
  // By each end of its path: `originals/2024/a`, `2024/a` and `a`. Of several with the same end, the first.
  const byEnd = new Map<string, PhotoDocument>();
  for (const document of documents) {
    if (byStem.has(document.stem)) continue;
    byStem.set(document.stem, document);
    for (const end of endsOf(document.stem)) if (!byEnd.has(end)) byEnd.set(end, document);
  }
  return (stem) => byStem.get(stem) ?? byEnd.get(endsOf(stem).find((end) => byEnd.has(end)) ?? '') ?? null;
}

/** `a/b/c`, `b/c` and `c`. */
function endsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, from) => parts.slice(from).join('/'));
}

/** Adds the details that people wrote. What PhotoPrism itself found has no source, or the source `estimate`. */
function describe(document: Value, albums: readonly string[], details: DetailsBuilder): void {
  const inner = Object(document['Details'] ?? {}) as Value;
  const isOwn = (source: unknown) =>
    typeof source === 'string' && !['', 'auto', 'estimate', 'location'].includes(source);
  if (isOwn(document['TitleSrc'])) details.text('title', text(document['Title']));
  else if (text(document['Title']) !== null) details.lose('Title', 'generated', text(document['Title']) ?? '');
  details.text('description', text(document['Description'] ?? document['Caption']));
  const keywords = text(inner['Keywords']);
  if (isOwn(inner['KeywordsSrc'])) for (const keyword of keywords?.split(',') ?? []) details.tag(keyword);
  else if (keywords !== null) details.lose('Keywords', 'generated', keywords);
  for (const album of albums) details.tag(album);
  details.favorite(document['Favorite'] === true);
  details.text('creator', text(inner['Artist']));
  details.text('copyright', text(inner['Copyright']));
  if (document['Private'] === true) details.note('photoprism.private', 'true');
  for (const name of ['Notes', 'Subject', 'License'])
    details.note(`photoprism.${name.toLowerCase()}`, text(inner[name]));
  details.note('photoprism.uid', text(document['UID']));
  // The file says by itself what was read from it.
  if (isOwn(document['PlaceSrc']) && document['PlaceSrc'] !== 'meta')
    details.location(document['Lat'] ?? 0, document['Lng'] ?? 0, document['Altitude'] || undefined);
  const instant = Date.parse(text(document['TakenAt']) ?? '') / 1000;
  if (!isOwn(document['TakenSrc']) || document['TakenSrc'] === 'meta' || Number.isNaN(instant)) return;
  const zone = text(document['TimeZone']);
  const local = zone === null || zone === 'Local' ? null : inZone(instant, zone);
  if (local !== null && zone !== null) details.takenAtLocal(local, zone);
  // Without a zone, PhotoPrism stores what the clock showed as if it were UTC.
  else details.takenAtLocal(new Date(instant * 1000).toISOString().slice(0, 19));
}

function isYaml({ path }: ArchiveFile): boolean {
  return /\.ya?ml$/i.test(path);
}

function stemOf(path: string): string {
  return path.replace(/\.[^./]*$/, '');
}

function text(value: unknown): string | null {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
