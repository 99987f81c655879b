import type { Refusal } from './backend.js';

/** SHA-256 in hex, or why there is none. */
export async function hash(file: File): Promise<string | Refusal> {
  // Browsers have it only over TLS, and on the same machine.
  if (crypto.subtle === undefined) return { code: 'insecure_page', message: 'This page has to be opened by https.' };
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return { code: 'unreadable', message: 'The file cannot be read.' };
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
