import { thumbHashToDataURL } from 'thumbhash';

/** Whose pictures an address shows, and who signs it. The secret stays on servers: never send it to a browser. */
export interface DeliveryKey {
  /** The PUBLIC_URL of the service, such as `https://photos.example.com`, or of a cache in front of it. */
  readonly publicUrl: string;
  /** `dk_…` */
  readonly keyId: string;
  /** `phs_sign_…` */
  readonly secret: string;
}

export interface ImageRequest {
  readonly photoId: number;
  readonly options: ImageOptions;
  /** The address works until then. Default: as long as its key. */
  readonly expiresAt?: Date | undefined;
}

/** A request for several sizes of a picture. */
export interface SrcSetRequest extends Omit<ImageRequest, 'options'> {
  /** The options of all of them. */
  readonly options?: Omit<ImageOptions, 'width' | 'height' | 'dpr'> | undefined;
  /** Pixels, as few as make sense: each is made and stored once. Default: 320 to 2560 in seven steps. */
  readonly widths?: readonly number[] | undefined;
  /**
   * Width by height, for `fit: 'cover'`: each picture is as tall as that requires; widths that would make it taller than 4096 are left
   * out. Default: the shape of the photo.
   */
  readonly aspectRatio?: number | undefined;
  /** The width of the photo. Pictures are not enlarged, so wider ones are replaced by one of this width. */
  readonly photoWidth?: number | undefined;
}

/** The options by which a picture is made of a photo. At least one option is required. */
export interface ImageOptions {
  /** Pixels, 1 to 4096. Without `width` or `height`, the missing side follows from the shape of the photo and is at most 4096 too. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /**
   * The way in which the photo fits into width and height: whole and no larger than both (`inside`, the default), cropped to them (`cover`), whole on a
   * background of that size (`contain`), or distorted (`fill`). Only `fill` enlarges.
   */
  readonly fit?: 'inside' | 'cover' | 'contain' | 'fill' | undefined;
  /** The part that `cover` keeps in view. Default: the photo's `focus`, or else the center. */
  readonly gravity?: 'center' | 'focus' | 'auto' | undefined;
  /** Default `auto`: the best that the browser accepts. */
  readonly format?: 'auto' | 'jpeg' | 'webp' | 'avif' | 'png' | undefined;
  /** 1 to 100. */
  readonly quality?: number | undefined;
  /** Device pixels for each pixel of width and height, 1 to 3, with at most two decimals. */
  readonly dpr?: number | undefined;
  /** `rrggbb`: beside the photo with `contain`, and behind transparency in a JPEG. */
  readonly background?: string | undefined;
  /** 0.3 to 100, with at most two decimals. */
  readonly blur?: number | undefined;
  /** The name of a preset. Other options override its own. */
  readonly preset?: string | undefined;
}

/** Pixels of a side, `dpr` included. */
export const MAX_SIDE = 4096;

/**
 * The signed address of a picture, made without asking the service. Without Node's crypto, for servers at the edge;
 * `photo-service-sdk/node` has the same without a promise.
 * @throws TypeError when the service would refuse the address.
 */
export async function imageUrl(request: DeliveryKey & ImageRequest): Promise<string> {
  const signed = signedPart(request, request);
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(request.secret), hmac, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(signed)));
  const base64 = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  return withSignature(request, signed, base64.replace(/={1,2}$/, ''));
}

/** The value of `srcset` with signed addresses of a picture in several widths. @throws TypeError as `imageUrl` does. */
export async function srcSet(request: DeliveryKey & SrcSetRequest): Promise<string> {
  const { publicUrl, keyId, secret } = request;
  const addresses = candidates(request).map(
    async ({ width, image }) => [await imageUrl({ publicUrl, keyId, secret, ...image }), width] as const,
  );
  return joinCandidates(await Promise.all(addresses));
}

/**
 * A blurred preview as a `data:` URL of some kB, to stand where a photo will be until it has loaded. Without a request: for a style
 * or `src`, in pages whose Content-Security-Policy allows `img-src data:`.
 * @param thumbhash That of the photo. Null gives null.
 */
export function placeholder(thumbhash: string): string;
export function placeholder(thumbhash: string | null): string | null;
export function placeholder(thumbhash: string | null): string | null {
  return thumbhash && thumbHashToDataURL(Uint8Array.from(atob(thumbhash), (char) => char.charCodeAt(0)));
}

/** Returns the part that is signed: which picture, for whom, and until when. @throws TypeError when the service would refuse it. */
export function signedPart({ keyId, secret }: DeliveryKey, { photoId, options, expiresAt }: ImageRequest): string {
  if (!/^dk_[0-9A-Za-z]{16}$/.test(keyId)) throw new TypeError('keyId must be dk_ and 16 letters and digits.');
  // Never shown, not even in part: errors end up in logs.
  if (!/^phs_sign_./.test(secret)) throw new TypeError('secret must be the secret of the delivery key, phs_sign_….');
  if (!Number.isSafeInteger(photoId) || photoId < 1) throw new TypeError('photoId must be the id of a photo.');
  const path = `/img/${keyId}/${photoId}/${formatOptions(options)}`;
  if (expiresAt === undefined) return path;
  const seconds = Math.floor(expiresAt.getTime() / 1000);
  if (!(seconds > 0)) throw new TypeError('expiresAt must be a valid date.');
  return `${path}?exp=${seconds}`;
}

export function withSignature({ publicUrl }: DeliveryKey, signed: string, signature: string): string {
  return `${publicUrl.replace(/\/{1,9}$/, '')}${signed}${signed.includes('?') ? '&' : '?'}sig=${signature}`;
}

/** The pictures of a `srcset`, each with its width. */
export function candidates(
  request: SrcSetRequest,
): readonly { readonly width: number; readonly image: ImageRequest }[] {
  const { photoId, expiresAt, options, aspectRatio, photoWidth = Number.POSITIVE_INFINITY } = request;
  const { widths = [320, 480, 640, 960, 1280, 1920, 2560] } = request;
  if (widths.length === 0) throw new TypeError('widths must not be empty.');
  if (aspectRatio !== undefined && !(aspectRatio > 0 && aspectRatio < Number.POSITIVE_INFINITY))
    throw new TypeError('aspectRatio must be a number above 0.');
  const distinct = [...new Set(widths.map((width) => Math.min(width, photoWidth)))].sort((a, b) => a - b);
  const sizes = distinct.map((width) => {
    return aspectRatio === undefined ? { width } : { width, height: Math.max(1, Math.round(width / aspectRatio)) };
  });
  const possible = sizes.filter(({ width, height = 0 }) => !(Math.max(width, height) > MAX_SIDE));
  // If none is possible, the error says why.
  return (possible.length > 0 ? possible : sizes).map((size) => {
    return { width: size.width, image: { photoId, expiresAt, options: { ...options, ...size } } };
  });
}

export function joinCandidates(addresses: readonly (readonly [address: string, width: number])[]): string {
  return addresses.map(([address, width]) => `${address} ${width}w`).join(', ');
}

interface Rule {
  /** The name in the address. */
  readonly short: string;
  readonly allows: (value: unknown) => boolean;
  /** Completes "must be …". */
  readonly values: string;
}

/** In the order of the address, which is always the same: the same picture has one address, and caches store it once. */
const rules: Readonly<Record<keyof ImageOptions, Rule>> = {
  width: { short: 'w', ...whole(1, MAX_SIDE) },
  height: { short: 'h', ...whole(1, MAX_SIDE) },
  fit: { short: 'fit', ...oneOf('inside', 'cover', 'contain', 'fill') },
  gravity: { short: 'g', ...oneOf('center', 'focus', 'auto') },
  format: { short: 'f', ...oneOf('auto', 'jpeg', 'webp', 'avif', 'png') },
  quality: { short: 'q', ...whole(1, 100) },
  dpr: { short: 'dpr', ...decimal(1, 3) },
  background: { short: 'bg', ...pattern(/^[0-9a-f]{6}$/, 'six lower-case hex digits, rrggbb') },
  blur: { short: 'blur', ...decimal(0.3, 100) },
  preset: { short: 'p', ...pattern(/^[a-z0-9_-]{1,40}$/, '1 to 40 of a-z, 0-9, _ and -') },
};

const names = Object.keys(rules) as readonly (keyof ImageOptions)[];

/** The options as an address has them. @throws TypeError when no address can have them. */
function formatOptions(options: ImageOptions): string {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(rules, name));
  if (unknown !== undefined) throw new TypeError(`There is no option ${unknown}. Options are ${names.join(', ')}.`);
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length === 0) throw new TypeError(`At least one option is required: ${names.join(', ')}.`);
  for (const name of given) {
    const { allows, values } = rules[name];
    if (!allows(options[name]))
      throw new TypeError(`${name} must be ${values}, and is ${JSON.stringify(options[name])}.`);
  }
  for (const name of ['width', 'height'] as const) {
    if (Math.round((options[name] ?? 0) * (options.dpr ?? 1)) > MAX_SIDE)
      throw new TypeError(`${name} × dpr must be at most ${MAX_SIDE} pixels.`);
  }
  return given.map((name) => `${rules[name].short}=${options[name]}`).join(',');
}

function whole(min: number, max: number): Omit<Rule, 'short'> {
  const allows = (value: unknown) => Number.isInteger(value) && isWithin(value, min, max);
  return { allows, values: `a whole number from ${min} to ${max}` };
}

function decimal(min: number, max: number): Omit<Rule, 'short'> {
  const allows = (value: unknown) => isWithin(value, min, max) && /^\d+(\.\d{1,2})?$/.test(String(value));
  return { allows, values: `a number from ${min} to ${max} with at most two decimals` };
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

function oneOf(...values: readonly string[]): Omit<Rule, 'short'> {
  return { allows: (value) => values.includes(value as string), values: `one of ${values.join(', ')}` };
}

function pattern(spelling: RegExp, values: string): Omit<Rule, 'short'> {
  return { allows: (value) => typeof value === 'string' && spelling.test(value), values };
}
