// Hashes files beside the page, which stays quick meanwhile.

import { sha256 } from '../noble-hashes/sha2.js';

/** The browser's own hash is faster, but wants the whole file at once, and is there only by TLS or on this machine. */
const AT_ONCE = 32 * 1024 * 1024;

addEventListener('message', async ({ data: { id, file } }: MessageEvent<{ id: number; file: File }>) => {
  try {
    postMessage({ id, hash: await hashOf(file) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
});

async function hashOf(file: File): Promise<string> {
  if (globalThis.crypto?.subtle && file.size <= AT_ONCE) {
    return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())));
  }
  const hash = sha256.create();
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return hex(hash.digest());
    hash.update(value);
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
