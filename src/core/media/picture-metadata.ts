/** WGS84, decimal degrees; altitude in metres above sea level. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number | null;
}

/** A part of the earth in degrees. Its west is greater than its east if it crosses 180°. */
export interface GeoBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface Camera {
  readonly make: string | null;
  readonly model: string | null;
  readonly lens: string | null;
}

export interface Exposure {
  readonly iso: number | null;
  readonly fNumber: number | null;
  /** Seconds as people write them: `1/250`, `2.5`. */
  readonly exposureTime: string | null;
  /** Millimetres. */
  readonly focalLength: number | null;
  readonly focalLength35mm: number | null;
  readonly flash: boolean | null;
}

/** A film inside a file, beside its picture: the other half of a motion photo. */
export interface Companion {
  readonly type: 'video';
  readonly contentType: 'video/mp4' | 'video/quicktime';
  /** Position of its first byte, from the beginning of the file. */
  readonly offset: number;
  readonly sizeBytes: number;
}

/** Extracted tags of a file, flat; at most 64 KiB as JSON. Stored beside the photo, read only on request. */
export type ExifTags = Readonly<Record<string, string | number>>;
