import { posix } from 'node:path';
import { HEAD_BYTES } from 'photo-service-sdk/node';
import { DetailsBuilder } from '../details-builder.js';
import { type ArchiveFile, jsonOf, openArchives } from './archive.js';
import { leftOut, type PhotoSource, type SourceItem } from './photo-source.js';
import { headOf } from './streams.js';

/** An export of Flickr: all its archives, those of the photos and those of the JSON files, or the folders into which they were unpacked. */
export function flickrSource(paths: readonly string[]): Promise<PhotoSource> {
  return openArchives(paths, items);
}

type Value = Readonly<Record<string, unknown>>;

async function* items(files: readonly ArchiveFile[], signal: AbortSignal): AsyncGenerator<SourceItem> {
  const { photos, albums } = await documentsOf(files, signal);
  const used = new Set<string>();
  for (const file of files) {
    const name = posix.basename(file.path);
    if (/\.json$/i.test(name)) continue;
    const other = await leftOut(file.label, file.path, () => headOf(file, HEAD_BYTES));
    if (other !== null) {
      yield other;
      continue;
    }
    // `title_1234567890_o.jpg`, or `1234567890_0a1b2c3d4e_o.jpg`: one of the numbers is that of a JSON file.
    const id = (name.match(/\d{4,}/g) ?? []).findLast((number) => photos.has(number)) ?? null;
    const details = new DetailsBuilder();
    const found = id === null ? undefined : photos.get(id);
    if (id === null || found === undefined) details.lose('json', 'missing');
    else describe(found.document, albums.get(id) ?? [], details);
    const isCopy = id !== null && used.has(id);
    if (id !== null) used.add(id);
    const key = id === null || isCopy ? file.label : id;
    const [, title] = (id !== null && new RegExp(`^(.+)_${id}(?:_o)?\\.\\w+$`).exec(name)) || [];
    const bytes = file.bytes(title === undefined ? name : `${title}${posix.extname(name)}`);
    yield { kind: 'photo', key, label: file.label, file: bytes, details: details.build(), losses: details.losses };
  }
  for (const [id, { file }] of photos)
    if (!used.has(id)) yield { kind: 'skipped', label: file.label, reason: 'photo_missing' };
}

async function documentsOf(files: readonly ArchiveFile[], signal: AbortSignal) {
  const photos = new Map<string, { file: ArchiveFile; document: Value }>();
  const albums = new Map<string, string[]>();
  for (const file of files) {
    signal.throwIfAborted();
    const name = posix.basename(file.path);
    const [, id] = /^photo_(\d+)\.json$/i.exec(name) ?? [];
    if (id === undefined && name !== 'albums.json') continue;
    const document = await jsonOf(file);
    if (document === null) continue;
    if (id !== undefined) photos.set(id, { file, document });
    else
      for (const album of list(document['albums'])) {
        const title = text(album['title']);
        const members = Array.isArray(album['photos']) ? album['photos'] : [];
        if (title !== null)
          for (const member of members) albums.set(String(member), [...(albums.get(String(member)) ?? []), title]);
      }
  }
  return { photos, albums };
}

function describe(document: Value, albums: readonly string[], details: DetailsBuilder): void {
  details.text('title', text(document['name']));
  details.text('description', text(document['description']));
  for (const tag of list(document['tags'])) details.tag(text(tag['tag']) ?? '');
  const own = list(document['albums']).flatMap((album) => text(album['title']) ?? []);
  for (const album of [...own, ...albums]) details.tag(album);
  const [position] = list(document['geo']);
  if (position !== undefined) details.location(degrees(position['latitude']), degrees(position['longitude']));
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(text(document['date_taken']) ?? '') ?? [];
  // What the clock showed; a time that is not known is one of the year 0.
  if (day !== undefined && !day.startsWith('0000')) details.takenAtLocal(`${day}T${time}`);
  for (const name of ['license', 'privacy', 'photopage']) details.note(`flickr.${name}`, text(document[name]));
  const comments = list(document['comments']).length;
  if (comments > 0) details.lose('comments', 'not_supported', String(comments));
}

/** Decimal degrees, or millionths of a degree without a point. */
function degrees(value: unknown): number {
  const number = Number(value);
  const isDecimal = String(value).includes('.') || Math.abs(number) <= 180;
  return isDecimal ? number : number / 1_000_000;
}

function list(value: unknown): Value[] {
  const all = Array.isArray(value) ? value : typeof value === 'object' && value !== null ? [value] : [];
  return all.filter((each): each is Value => typeof each === 'object' && each !== null);
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
