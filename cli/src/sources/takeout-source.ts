import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { HEAD_BYTES, looksLikePhoto } from 'photo-service-sdk/node';
import { DetailsBuilder } from '../details-builder.js';
import { grouped } from '../grouped.js';
import { type ArchiveFile, jsonOf, openArchives } from './archive.js';
import { leftOut, type PhotoSource, type SkippedItem, type SourceItem, skipReason } from './photo-source.js';
import { headOf } from './streams.js';
import { originalName, SidecarMatch, withoutEnding } from './takeout-sidecars.js';
import { addTimeAndPlace, fileFacts, zoneAt } from './time-and-place.js';

/** An export of Google Photos by Takeout: all its archives, or the folders into which they were unpacked. Albums become tags. */
export function takeoutSource(
  paths: readonly string[],
  // Of photos whose files and positions do not give one.
  { timeZone }: { readonly timeZone: string | null },
): Promise<PhotoSource> {
  return openArchives(paths, (files, signal) => items(files, timeZone, signal));
}

async function* items(
  files: readonly ArchiveFile[],
  timeZone: string | null,
  signal: AbortSignal,
): AsyncGenerator<SourceItem> {
  const found: Found = { photos: [], others: [], unmatched: [] };
  const folders = grouped(files, ({ path }) => posix.dirname(path));
  for (const folder of [...folders.keys()].sort()) await readFolder(folders.get(folder) ?? [], found);
  const keys = new Set<string>();
  for (const copies of await withoutCopies(found.photos, signal)) {
    signal.throwIfAborted();
    const [first] = copies as [TakeoutFile, ...TakeoutFile[]];
    const { photo } = first;
    if (copies.every((copy) => copy.photo?.isTrashed)) {
      yield { kind: 'skipped', label: first.file.label, reason: 'trashed' };
      continue;
    }
    const details = await detailsOf(copies, timeZone);
    const key = keys.has(first.file.path) ? first.file.label : first.file.path;
    keys.add(key);
    // The title is the name that the file had; in the archive it may be cut, numbered, or without some characters.
    const title = photo?.title ?? '';
    const endingOf = (text: string) => /\.[^.]*$/.exec(text)?.[0].toLowerCase() ?? '';
    const isName = first.editOf === null && title !== '' && endingOf(title) === endingOf(first.name);
    const file = first.file.bytes((isName ? title : first.name).replaceAll('/', '_'));
    yield { kind: 'photo', key, label: first.file.label, file, details: details.build(), losses: details.losses };
  }
  yield* found.others;
  for (const { label } of found.unmatched) yield { kind: 'skipped', label, reason: 'photo_missing' };
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

async function detailsOf(copies: readonly TakeoutFile[], timeZone: string | null): Promise<DetailsBuilder> {
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
  details.text('description', photo.description);
  details.favorite(copies.some((copy) => copy.photo?.isFavourite));
  details.note('takeout.people', photo.people.join('; '));
  details.note('takeout.archived', photo.isArchived ? 'true' : null);
  details.note('takeout.url', photo.url);
  const facts = await fileFacts(file);
  const { takenAt: instant, position } = photo;
  addTimeAndPlace(details, { instant, position, zone: zoneAt(position ?? facts.position) ?? timeZone }, facts);
  return details;
}

/** A photo as one folder of an export has it. The same photo may lie in several: that of its year, and those of its albums. */
interface TakeoutFile {
  readonly file: ArchiveFile;
  readonly name: string;
  readonly photo: TakeoutPhoto | null;
  readonly album: string | null;
  /** The description of the album, with its first photo only, since a tag is made without one. */
  readonly albumDescription: string | null;
  /** The name of the photo that this is an edited version of. */
  readonly editOf: string | null;
  /** The name of the film that belongs to it. */
  readonly video: string | null;
}

interface Found {
  readonly photos: TakeoutFile[];
  /** Films, texts, and whatever else is no photo. */
  readonly others: SkippedItem[];
  /** JSON files of photos that are not there. */
  readonly unmatched: ArchiveFile[];
}

/** Reads the JSON files of a folder, and finds those of each photo, in whichever archive it lies. */
async function readFolder(files: readonly ArchiveFile[], found: Found): Promise<void> {
  const { sidecars, album, description } = await readDocuments(files.filter(isJson));
  const media = files.filter((file) => !isJson(file));
  const names = new Set(media.map(nameOf));
  // By their names without the ending, which live photos share with theirs; of several, the first.
  const films = [...names].filter((name) => skipReason(name) === 'video').reverse();
  const videos = new Map(films.map((name) => [stemOf(name), name]));
  const match = new SidecarMatch([...sidecars].map(([name, { photo }]) => ({ name, title: photo.title })));
  const used = new Set<string>();
  let albumDescription = description;
  for (const file of media) {
    const name = nameOf(file);
    const original = originalName(name);
    // An edited version may be of another format than its original.
    const isAlike = (each: string) => each !== name && stemOf(each) === stemOf(original ?? '');
    const editOf = original === null || names.has(original) ? original : ([...names].find(isAlike) ?? original);
    const sidecar = match.find(name) ?? (editOf === null ? null : match.find(editOf));
    const photo = sidecar === null ? null : (sidecars.get(sidecar)?.photo ?? null);
    const other = await leftOut(file.label, file.path, () => headOf(file, HEAD_BYTES));
    const isPhoto = other === null;
    // The film of a live photo goes by the JSON file of the photo, which may be missing.
    if (sidecar !== null && (isPhoto || !looksLikePhoto(photo?.title ?? ''))) used.add(sidecar);
    if (!isPhoto) {
      found.others.push(other);
      continue;
    }
    const video = videos.get(stemOf(name)) ?? null;
    found.photos.push({ file, name, photo, album, albumDescription, editOf, video });
    albumDescription = null;
  }
  found.unmatched.push(...[...sidecars].filter(([name]) => !used.has(name)).map(([, { file }]) => file));
}

async function readDocuments(files: readonly ArchiveFile[]) {
  const sidecars = new Map<string, { file: ArchiveFile; photo: TakeoutPhoto }>();
  let album: string | null = null;
  let description: string | null = null;
  for (const file of files) {
    const document = await jsonOf(file);
    if (document === null) continue;
    // Told apart by their content: the names of albums' files are in the language of the account.
    if ('photoTakenTime' in document || ('url' in document && 'creationTime' in document)) {
      sidecars.set(nameOf(file), { file, photo: photoOf(document) });
      continue;
    }
    const about = object(document['albumData']) ?? document;
    const isAlbum = ['access', 'date', 'description', 'geoData', 'enrichments'].some((name) => name in about);
    const title = text(about['title']) ?? text(document['title']);
    // Others are comments, orders of prints, and the like.
    if (isAlbum && title !== null && !YEAR.test(title)) [album, description] = [title, text(about['description'])];
  }
  return { sidecars, album, description };
}

/** The name that Takeout gives the folder of a year: no album, should it ever have the file of one. Other languages give a tag too many. */
const YEAR = /^(Photos from|Fotos von|Photos de|Fotos de|Fotos del|Foto dal|Foto da|Foto's uit) \d{4}$/;

function stemOf(name: string): string {
  return withoutEnding(name).toLowerCase();
}

function isJson({ path }: ArchiveFile): boolean {
  return /\.json$/i.test(path);
}

function nameOf({ path }: ArchiveFile): string {
  return posix.basename(path);
}

type TakeoutPhoto = ReturnType<typeof photoOf>;
type Value = Readonly<Record<string, unknown>>;

function photoOf(document: Value) {
  const people = Array.isArray(document['people']) ? document['people'] : [];
  return {
    title: text(document['title']),
    description: text(document['description']),
    // Seconds since 1970 in UTC; null when not known.
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
function positionOf(value: unknown) {
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
