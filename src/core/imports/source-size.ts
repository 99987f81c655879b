import type { Limits } from '../customers/limits.js';
import { fileEmpty, tooLarge } from './registration.js';
import type { LeasedFetch } from './source-fetch.js';
import { SourceFailure } from './source-reader.js';

interface LimitUses {
  readonly limits: Limits;
}

/** Errors: `SourceFailure` if the size that a source states is not allowed, or not the declared one. */
export function requireSize({ limits }: LimitUses, { declaredBytes }: LeasedFetch, sizeBytes: number | null): void {
  if (sizeBytes === null) return;
  if (sizeBytes === 0) throw new SourceFailure(fileEmpty, true);
  if (sizeBytes > limits.maxFileBytes) throw new SourceFailure(tooLarge(limits), true);
  if (declaredBytes === null || declaredBytes === sizeBytes) return;
  const message = `${declaredBytes} bytes were declared, but the source has ${sizeBytes}.`;
  throw new SourceFailure({ code: 'size_mismatch', message }, true);
}

/** Bytes of any number, until they are too many. Errors: `SourceFailure`. */
export async function* limitedBytes(
  bytes: AsyncIterable<Uint8Array>,
  { limits }: LimitUses,
): AsyncGenerator<Uint8Array, void, void> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > limits.maxFileBytes) throw new SourceFailure(tooLarge(limits), true);
    yield chunk;
  }
  if (received === 0) throw new SourceFailure(fileEmpty, true);
}
