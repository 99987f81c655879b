import { createHmac } from 'node:crypto';
import {
  candidates,
  type DeliveryKey,
  type ImageRequest,
  joinCandidates,
  type SrcSetRequest,
  signedPart,
  withSignature,
} from '../delivery/image-address.js';

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
