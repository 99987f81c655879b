import { formatOptions, type ImageOptions, MAX_SIDE } from './image-options.js';

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

const defaultWidths = [320, 480, 640, 960, 1280, 1920, 2560];

/** Returns the part that is signed: which picture, for whom, and until when. @throws TypeError when the service would refuse it. */
export function signedPart({ keyId, secret }: DeliveryKey, { photoId, options, expiresAt }: ImageRequest): string {
  if (!/^dk_[0-9A-Za-z]{16}$/.test(keyId)) throw new TypeError('keyId must be dk_ and 16 letters and digits.');
  // Never shown, not even in part: errors end up in logs.
  if (!/^phs_sign_./.test(secret)) throw new TypeError('secret must be the secret of the delivery key, phs_sign_….');
  if (!Number.isSafeInteger(photoId) || photoId < 1) throw new TypeError('photoId must be the id of a photo.');
  return `/img/${keyId}/${photoId}/${formatOptions(options)}${expiry(expiresAt)}`;
}

export function withSignature({ publicUrl }: DeliveryKey, signed: string, signature: string): string {
  return `${publicUrl.replace(/\/{1,9}$/, '')}${signed}${signed.includes('?') ? '&' : '?'}sig=${signature}`;
}

/** The pictures of a `srcset`, each with its width. */
export function candidates(
  request: SrcSetRequest,
): readonly { readonly width: number; readonly image: ImageRequest }[] {
  const {
    photoId,
    expiresAt,
    options,
    widths = defaultWidths,
    aspectRatio,
    photoWidth = Number.POSITIVE_INFINITY,
  } = request;
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

function expiry(at: Date | undefined): string {
  if (at === undefined) return '';
  const seconds = Math.floor(at.getTime() / 1000);
  if (!(seconds > 0)) throw new TypeError('expiresAt must be a valid date.');
  return `?exp=${seconds}`;
}
