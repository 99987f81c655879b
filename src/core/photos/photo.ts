import type { ExpectedBytes } from '../blobs/verified-blobs.js';
import type { CaptureTime } from '../media/capture-time.js';
import type { FieldValues } from '../media/photo-fields.js';
import type { Camera, Companion, Exposure } from '../media/picture-metadata.js';
import { type Focus, turnFocus } from '../media/transformation.js';
import { after, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { TagName } from '../tags/tag.js';
import type { Place } from './places.js';

/** Degrees clockwise. */
export const rotations = [0, 90, 180, 270] as const;
export type Rotation = (typeof rotations)[number];

export function isRotation(degrees: unknown): degrees is Rotation {
  return (rotations as readonly unknown[]).includes(degrees);
}

export type Metadata = Readonly<Record<string, string>>;

/** A photo as it is stored. Its bytes are at `blobKey`, which no client ever sees or can write. */
export interface Photo extends FieldValues, CaptureTime {
  readonly id: Id;
  readonly customerId: Id;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
  /** 0, except for the deliberate duplicates of an import with `duplicatePolicy: allow`: (customer, sha256, dupSeq) is unique. */
  readonly dupSeq: number;
  readonly blobKey: string;
  /** Pixels as displayed: after orientation and rotation. */
  readonly width: number;
  readonly height: number;
  /** EXIF value in effect, 1 to 8. */
  readonly orientation: number;
  readonly rotation: Rotation;
  /** The point that crops keep in view, as the picture is displayed. */
  readonly focus: Focus | null;
  readonly alpha: boolean;
  /** The place at the location; null also until it has been looked up. */
  readonly place: Place | null;
  readonly camera: Camera | null;
  readonly exposure: Exposure | null;
  /** Null also for a photo of an earlier release. */
  readonly companion: Companion | null;
  readonly metadata: Metadata;
  readonly importId: Id | null;
  readonly damaged: boolean;
  /** Since when the stored original is known to be missing or damaged (integrity/); null: no damage known, or imported again (imports/publish.ts). */
  readonly originalLostAt: Date | null;
  readonly thumbhash: string | null;
  readonly dominantColor: string | null;
  /** 16 hex digits, of the upright picture before `rotation`; null while it is not known, and of a plain picture. */
  readonly phash: string | null;
  /**
   * The bytes of the thumb in the photo's own rotation, which a power failure may have spoilt: any others are made again. Null for a photo of an
   * earlier release.
   */
  readonly thumb: ExpectedBytes | null;
  readonly trashedAt: Date | null;
  /** When a trashed photo is deleted permanently. */
  readonly purgeAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** With its tags, sorted by name, as queries return it. */
export interface PhotoWithTags extends Photo {
  readonly tags: readonly TagName[];
}

export function isTrashed(photo: Pick<Photo, 'trashedAt'>): boolean {
  return photo.trashedAt !== null;
}

/** Can be restored for `retentionDays` from now. */
export function trash(photo: Photo, at: Date, retentionDays: number): Photo {
  return { ...photo, trashedAt: at, purgeAt: after(at, retentionDays * DAY) };
}

export function restore(photo: Photo): Photo {
  return { ...photo, trashedAt: null, purgeAt: null };
}

/** Its stored original is missing or damaged. Importing the same bytes again restores it. */
export function markLost(photo: Photo, at: Date): Photo {
  return { ...photo, originalLostAt: photo.originalLostAt ?? at };
}

/** Its original is intact again, at `blobKey`. */
export function markRecovered(photo: Photo, blobKey = photo.blobKey): Photo {
  return { ...photo, blobKey, originalLostAt: null };
}

/** A quarter turn swaps width and height. The focus stays on what it was on. */
export function rotate(photo: Photo, rotation: Rotation): Photo {
  const quarter = (rotation - photo.rotation) % 180 !== 0;
  return {
    ...photo,
    rotation,
    width: quarter ? photo.height : photo.width,
    height: quarter ? photo.width : photo.height,
    focus: photo.focus && turnFocus(photo.focus, rotation - photo.rotation),
  };
}
