import { thumbHashToDataURL } from 'thumbhash';

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
