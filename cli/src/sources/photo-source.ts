import { posix } from 'node:path';
import type { PhotoDetails } from 'photo-service-sdk';
import { kindOfFile, LeftOut, type LeftOutReason, type LocalFile, type StreamedFile } from 'photo-service-sdk/node';
import type { Loss } from '../details-builder.js';

/** Where photos come from: a folder, an archive, another service. */
export interface PhotoSource {
  /**
   * Everything that is there, each photo once, in an order that is always the same: photos to be imported, and what is no photo that the
   * service takes. One bad file is an item, not an error. Rejects where nothing can be read.
   */
  items(signal: AbortSignal): AsyncIterable<SourceItem>;
  /** Releases files and connections, where it holds some; photos cannot be read afterwards. */
  close?(): Promise<void>;
}

export type SourceItem = PhotoItem | SkippedItem;

export interface PhotoItem {
  readonly kind: 'photo';
  /** Its own among the items, and the same in every run: the run after an interruption knows the photo by it. */
  readonly key: string;
  /** The name by which people know the file, such as its path. */
  readonly label: string;
  /** The bytes, on this machine or read through the source. */
  readonly file: SourceFile;
  /** In the form that the service takes. */
  readonly details: PhotoDetails;
  readonly losses: readonly Loss[];
}

export type SourceFile = Omit<LocalFile, 'ref' | 'details'> | Omit<StreamedFile, 'ref' | 'details'>;

export interface SkippedItem {
  readonly kind: 'skipped';
  readonly label: string;
  readonly reason: SkipReason;
  /** For `unreadable` and `unsupported_format`: why. */
  readonly problem?: string;
}

/** New ones may come. */
type SkipReason =
  | LeftOutReason
  /** Not an image by its name and its first bytes. */
  | 'not_an_image'
  /** A picture of a format that the service does not take. */
  | 'unsupported_format'
  | 'video'
  /** It was in the trash where it comes from. */
  | 'trashed'
  /** Metadata whose photo is not there. */
  | 'photo_missing'
  /** A file that should be read, and cannot be. */
  | 'unreadable';

/**
 * Says why a file is left out, by its path; null for a photo. Its first bytes are read where its name does not say enough.
 */
export async function leftOut(
  label: string,
  path: string,
  readHead: () => Promise<Uint8Array>,
  rules = new LeftOut(),
): Promise<SkippedItem | null> {
  const reason = rules.reasonOfPath(path);
  if (reason !== null) return { kind: 'skipped', label, reason };
  const name = posix.basename(path);
  try {
    const judged = await kindOfFile(name, readHead);
    if (judged.kind === 'photo') return null;
    if (judged.kind === 'unsupported') return unsupportedItem(label, judged.format);
    return { kind: 'skipped', label, reason: skipReason(name) };
  } catch (error) {
    return { kind: 'skipped', label, reason: 'unreadable', problem: (error as Error).message };
  }
}

export function unsupportedItem(label: string, format: string): SkippedItem {
  return { kind: 'skipped', label, reason: 'unsupported_format', problem: `${format} files are not supported.` };
}

const VIDEO = /\.(mp4|m4v|mov|avi|mkv|3gp|3g2|mpe?g|mts|m2ts|wmv|webm|mp|mv)$/i;

/** The reason for a file that is no picture by its first bytes. */
export function skipReason(name: string): SkipReason {
  return VIDEO.test(name.replace(/~\d+$/, '')) ? 'video' : 'not_an_image';
}
