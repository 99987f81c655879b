import type { CustomFetchOptions } from 'openid-client';
import { isLoopback } from '../../core/access/outgoing-url.js';

/** Far more than a provider's keys, or what it says about a person, ever take. */
const MAX_BYTES = 1024 * 1024;

/** A provider is the operator's choice and may be on any network, but what it says must not be readable or changeable on the way. */
export async function limitedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopback(hostname)) throw new Error('the provider names an address without TLS');
  const response = await fetch(url, options as RequestInit);
  const body = await limited(response);
  return new Response(body, { status: response.status, headers: response.headers });
}

async function limited({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the provider sent more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return size === 0 ? null : Buffer.concat(chunks);
}
