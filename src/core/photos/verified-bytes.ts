import { createHash } from 'node:crypto';
import { DomainError } from '../shared/errors.js';

/**
 * Holds back the last bytes until the hash of all bytes matches that of the photo: a complete download is a correct one.
 * @param onVerified Called when it does.
 */
export async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  sha256: string,
  onVerified: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  for await (const chunk of bytes) {
    if (held !== null) yield held;
    hash.update(chunk);
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw lostBytes();
  onVerified();
  if (held !== null) yield held;
}

export function lostBytes(): DomainError {
  return new DomainError(
    'service_unavailable',
    'The bytes of this photo are temporarily unavailable. Try again later.',
  );
}

export function lostOriginal(): DomainError {
  const message = 'The stored original of this photo is missing or damaged. Import the same file again to restore it.';
  return new DomainError('service_unavailable', message);
}
