import {
  candidates,
  type DeliveryKey,
  type ImageRequest,
  joinCandidates,
  type SrcSetRequest,
  signedPart,
  withSignature,
} from './image-address.js';

/**
 * The signed address of a picture, made without asking the service. Without Node's crypto, for servers at the edge;
 * `photo-service-sdk/node` has the same without a promise.
 * @throws TypeError when the service would refuse the address.
 */
export async function imageUrl(request: DeliveryKey & ImageRequest): Promise<string> {
  const signed = signedPart(request, request);
  return withSignature(request, signed, await signature(request.secret, signed));
}

/** The value of `srcset` with signed addresses of a picture in several widths. @throws TypeError as `imageUrl` does. */
export async function srcSet(request: DeliveryKey & SrcSetRequest): Promise<string> {
  const { publicUrl, keyId, secret } = request;
  const addresses = candidates(request).map(
    async ({ width, image }) => [await imageUrl({ publicUrl, keyId, secret, ...image }), width] as const,
  );
  return joinCandidates(await Promise.all(addresses));
}

async function signature(secret: string, signed: string): Promise<string> {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(signed)));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}
