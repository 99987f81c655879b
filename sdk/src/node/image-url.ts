import { createHmac } from 'node:crypto';
import {
  candidates,
  type DeliveryKey,
  type ImageOptions,
  type ImageRequest,
  joinCandidates,
  MAX_SIDE,
  type SrcSetRequest,
  signedPart,
  withSignature,
} from '../delivery.js';

/** The signed address of a picture, made without asking the service. @throws TypeError when the service would refuse the address. */
export function imageUrl(request: DeliveryKey & ImageRequest): string {
  const signed = signedPart(request, request);
  return withSignature(request, signed, createHmac('sha256', request.secret).update(signed).digest('base64url'));
}

/** The value of `srcset` with signed addresses of a picture in several widths. @throws TypeError as `imageUrl` does. */
export function srcSet(request: DeliveryKey & SrcSetRequest): string {
  const { publicUrl, keyId, secret } = request;
  return joinCandidates(
    candidates(request).map(({ width, image }) => [imageUrl({ publicUrl, keyId, secret, ...image }), width]),
  );
}

/** The operations that unpic asks for. It computes sizes, so they need not be whole, and may be larger than the service makes them. */
export interface UnpicOperations {
  width?: number | string;
  height?: number | string;
  format?: string;
  quality?: number | string;
}

export interface UnpicSettings extends DeliveryKey {
  readonly expiresAt?: Date | undefined;
  /** The options of every picture; width, height, format and quality are unpic's. */
  readonly options?: Omit<ImageOptions, 'width' | 'height' | 'dpr' | 'format' | 'quality'> | undefined;
}

/**
 * A `transformer` for the image components of unpic, for pages that are rendered on a server. `src` of the component is the id of a photo.
 * With width and height, the photo is cropped to their shape.
 */
export function unpicTransformer({ expiresAt, options, ...key }: UnpicSettings) {
  return (src: string | URL, { width, height, format, quality }: UnpicOperations = {}): string => {
    const photoId = Number(src);
    const whole = (length: number) => Math.max(1, Math.round(length));
    const longest = Math.max(whole(Number(width ?? 1)), whole(Number(height ?? 1)));
    // The same shape, with no side longer than the service makes it.
    const scaled = (length: number | string | undefined) =>
      length === undefined ? undefined : whole(whole(Number(length)) * Math.min(1, MAX_SIDE / longest));
    const size = { width: scaled(width), height: scaled(height) };
    const isCropped = width !== undefined && height !== undefined;
    const asked = {
      ...size,
      ...(isCropped && { fit: 'cover' as const }),
      format: (format === 'jpg' ? 'jpeg' : (format ?? 'auto')) as NonNullable<ImageOptions['format']>,
      quality: quality === undefined ? undefined : Number(quality),
    };
    return imageUrl({ ...key, photoId, expiresAt, options: { ...asked, ...options } });
  };
}
