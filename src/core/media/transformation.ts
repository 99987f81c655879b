/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point of the upright picture: 0 to 1 from its left and its top. */
export interface Focus {
  readonly x: number;
  readonly y: number;
}

/** The longest side of any result, in pixels. Every format can store it, and every decoder makes it within its memory. */
export const MAX_RESULT_SIDE = 4096;

export const fits = ['inside', 'cover', 'contain', 'fill'] as const;
export type Fit = (typeof fits)[number];

export const pictureFormats = ['jpeg', 'webp', 'avif', 'png'] as const;
export type TransformationFormat = (typeof pictureFormats)[number];

/** The instructions for making a picture, with nothing left to decide: the same transformation of the same picture gives the same result. */
export interface Transformation {
  /** Pixels; null: as the other side and the shape of the picture require. Both null: the size of the picture. At most `MAX_RESULT_SIDE`. */
  readonly width: number | null;
  readonly height: number | null;
  /** Never enlarged, except by `fill`. */
  readonly fit: Fit;
  /** The part that `cover` keeps in view: a point, or what attracts attention. */
  readonly gravity: Focus | 'attention';
  readonly format: TransformationFormat;
  /** 1 to 100; a PNG is always exact. */
  readonly quality: number;
  /** `rrggbb`: what is beside the picture, and behind it in a JPEG. Null: nothing; in a JPEG, white. */
  readonly background: string | null;
  /** Sigma of a Gaussian blur, in pixels of the result; null: none. */
  readonly blur: number | null;
}

export const MIDDLE: Focus = { x: 0.5, y: 0.5 };

/** The same point of the picture after it was turned clockwise by so many degrees, a multiple of 90. */
export function turnFocus(focus: Focus, degrees: number): Focus {
  const quarters = (((degrees / 90) % 4) + 4) % 4;
  let { x, y } = focus;
  // Rounded, as 1 - 0.8 is 0.19999999999999996: four quarter turns would not lead back.
  for (let turn = 0; turn < quarters; turn++) [x, y] = [Number((1 - y).toFixed(12)), x];
  return { x, y };
}

/** The quality of all named sizes, thumbs included. */
const RENDITION_QUALITY = 80;

/** The whole picture, no side longer than so many pixels. */
export function within(longestSide: number, format: TransformationFormat): Transformation {
  const [width, height] = [longestSide, longestSide];
  const appearance = { format, quality: RENDITION_QUALITY, background: null, blur: null };
  return { width, height, fit: 'inside', gravity: MIDDLE, ...appearance };
}

export interface Region extends Size {
  readonly left: number;
  readonly top: number;
}

/** The steps from an upright picture to a result. */
export interface Layout {
  /** The whole picture is scaled to this. */
  readonly scaled: Size;
  /** The region of it that is kept. With the gravity `attention` only the size of the region counts. */
  readonly kept: Region;
  /** The size of the result; what is kept stands in the middle of it. */
  readonly canvas: Size;
}

export function layoutOf(picture: Size, { width, height, fit, gravity }: Transformation): Layout {
  const box = { width: width ?? MAX_RESULT_SIDE, height: height ?? MAX_RESULT_SIDE };
  const ratios = [box.width / picture.width, box.height / picture.height] as const;
  if (fit === 'fill') return whole(filled(picture, width, height));
  if (fit === 'cover' && width !== null && height !== null) return cover(picture, { width, height }, gravity);
  const inside = whole(scale(picture, Math.min(1, ...ratios)));
  if (fit !== 'contain') return inside;
  return { ...inside, canvas: { width: width ?? inside.scaled.width, height: height ?? inside.scaled.height } };
}

/** A side that is left open follows from the other one and the shape of the picture, or is its own if both are. */
function filled(picture: Size, width: number | null, height: number | null): Size {
  const by = (width ?? 0) / picture.width || (height ?? 0) / picture.height || 1;
  const { width: wide, height: high } = scale(picture, by);
  return { width: width ?? Math.min(wide, MAX_RESULT_SIDE), height: height ?? Math.min(high, MAX_RESULT_SIDE) };
}

/** A box that is larger than the picture shrinks to it, and keeps its shape. */
function cover(picture: Size, wanted: Size, gravity: Transformation['gravity']): Layout {
  const box = scale(wanted, Math.min(1, picture.width / wanted.width, picture.height / wanted.height));
  const exact = scale(picture, Math.max(box.width / picture.width, box.height / picture.height));
  // Rounded apart, a side may be a pixel short of the box.
  const scaled = { width: Math.max(exact.width, box.width), height: Math.max(exact.height, box.height) };
  const { x, y } = gravity === 'attention' ? MIDDLE : gravity;
  const kept = { ...box, left: start(scaled.width, box.width, x), top: start(scaled.height, box.height, y) };
  return { scaled, kept, canvas: box };
}

/** Where a stretch begins that has a point in its middle, or as near as the whole allows. */
function start(whole: number, kept: number, at: number): number {
  return Math.round(Math.min(Math.max(at * whole - kept / 2, 0), whole - kept));
}

function whole(size: Size): Layout {
  return { scaled: size, kept: { left: 0, top: 0, ...size }, canvas: size };
}

function scale({ width, height }: Size, by: number): Size {
  return { width: Math.max(1, Math.round(width * by)), height: Math.max(1, Math.round(height * by)) };
}
