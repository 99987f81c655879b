import { posix } from 'node:path';
import { HEAD_BYTES, looksLikePhoto } from 'photo-service-sdk/node';
import { type ArchiveFile, headOf, jsonOf } from '../archive/archive-file.js';
import { grouped } from '../grouped.js';
import { leftOut, type SkippedItem, skipReason } from '../photo-source.js';
import { originalName, SidecarMatch, withoutEnding } from './sidecar-match.js';
import { readTakeout, type TakeoutPhoto } from './takeout-json.js';

/** A photo as one folder of an export has it. The same photo may lie in several: that of its year, and those of its albums. */
export interface TakeoutFile {
  readonly file: ArchiveFile;
  /** Its name in the folder. */
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

/** The contents of the folders of an export. */
export interface TakeoutFolders {
  readonly photos: readonly TakeoutFile[];
  /** Films, texts, and whatever else is no photo. */
  readonly others: readonly SkippedItem[];
  /** JSON files of photos that are not there. */
  readonly unmatched: readonly ArchiveFile[];
}

/** Reads the JSON files of all folders, and finds those of each photo, in whichever archive it lies. */
export async function takeoutFolders(files: readonly ArchiveFile[]): Promise<TakeoutFolders> {
  const photos: TakeoutFile[] = [];
  const others: SkippedItem[] = [];
  const unmatched: ArchiveFile[] = [];
  const folders = grouped(files, ({ path }) => posix.dirname(path));
  for (const folder of [...folders.keys()].sort()) {
    const read = await readFolder(folders.get(folder) ?? []);
    photos.push(...read.photos);
    others.push(...read.others);
    unmatched.push(...read.unmatched);
  }
  return { photos, others, unmatched };
}

async function readFolder(files: readonly ArchiveFile[]): Promise<TakeoutFolders> {
  const { sidecars, album, description } = await readDocuments(files.filter(isJson));
  const media = files.filter((file) => !isJson(file));
  const names = new Set(media.map(nameOf));
  const videos = videosByStem(names);
  const match = new SidecarMatch([...sidecars].map(([name, { photo }]) => ({ name, title: photo.title })));
  const used = new Set<string>();
  const photos: TakeoutFile[] = [];
  const others: SkippedItem[] = [];
  for (const file of media) {
    const name = nameOf(file);
    const editOf = editedFrom(name, names);
    const sidecar = match.find(name) ?? (editOf === null ? null : match.find(editOf));
    const photo = sidecar === null ? null : (sidecars.get(sidecar)?.photo ?? null);
    const other = await leftOut(file.label, file.path, () => headOf(file, HEAD_BYTES));
    const isPhoto = other === null;
    // The film of a live photo goes by the JSON file of the photo, which may be missing.
    if (sidecar !== null && (isPhoto || !looksLikePhoto(photo?.title ?? ''))) used.add(sidecar);
    const albumDescription = photos.length === 0 ? description : null;
    const video = videos.get(stemOf(name)) ?? null;
    if (isPhoto) photos.push({ file, name, photo, album, albumDescription, editOf, video });
    else others.push(other);
  }
  const unmatched = [...sidecars].filter(([name]) => !used.has(name)).map(([, { file }]) => file);
  return { photos, others, unmatched };
}

async function readDocuments(files: readonly ArchiveFile[]) {
  const sidecars = new Map<string, { file: ArchiveFile; photo: TakeoutPhoto }>();
  let album: string | null = null;
  let description: string | null = null;
  for (const file of files) {
    const document = readTakeout(await jsonOf(file));
    if (document.kind === 'photo') sidecars.set(nameOf(file), { file, photo: document.photo });
    if (document.kind === 'album' && !YEAR.test(document.title)) ({ title: album, description } = document);
  }
  return { sidecars, album, description };
}

/** The name that Takeout gives the folder of a year: no album, should it ever have the file of one. Other languages give a tag too many. */
const YEAR = /^(Photos from|Fotos von|Photos de|Fotos de|Fotos del|Foto dal|Foto da|Foto's uit) \d{4}$/;

function editedFrom(name: string, names: ReadonlySet<string>): string | null {
  const original = originalName(name);
  if (original === null || names.has(original)) return original;
  // An edited version may be of another format than its original.
  const stem = stemOf(original);
  return [...names].find((each) => each !== name && stemOf(each) === stem) ?? original;
}

/** The films of a folder by their names without the ending, which live photos share with theirs. */
function videosByStem(names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const videos = new Map<string, string>();
  for (const name of names)
    if (skipReason(name) === 'video' && !videos.has(stemOf(name))) videos.set(stemOf(name), name);
  return videos;
}

function stemOf(name: string): string {
  return withoutEnding(name).toLowerCase();
}

function isJson({ path }: ArchiveFile): boolean {
  return /\.json$/i.test(path);
}

function nameOf({ path }: ArchiveFile): string {
  return posix.basename(path);
}
