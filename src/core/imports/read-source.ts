import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import { requireDiskSpace } from './require-disk-space.js';
import { offsetOf } from './resumable-upload.js';
import type { LeasedFetch } from './source-fetch.js';
import { SourceFailure, type SourceReader } from './source-reader.js';
import { storeSource } from './store-source.js';
import type { StoreSourceUses } from './store-whole-source.js';
import type { StoredSource } from './take-stored-source.js';

export type ReadSourceUses = StoreSourceUses & { secrets: Secrets; sourceReader: SourceReader };

/** Asks the source for what is not stored yet, and stores it as it comes. Errors: `SourceFailure`; those of `storeSource`. */
export async function readSource(
  uses: ReadSourceUses,
  leased: LeasedFetch,
  stored: StoredSource,
  stopping: AbortSignal,
): Promise<void> {
  const { limits, uploads, sourceReader } = uses;
  const url = unseal(uses.secrets, 'source', leased.url);
  if (url === null) throw new SourceFailure(unreadable, true);
  await requireDiskSpace(uses, 0);
  const { offset, validator } = { offset: offsetOf(stored.upload), validator: leased.validator };
  const from = offset > 0 && validator !== null ? { offset, validator } : null;
  const { customerId } = leased;
  const source = await sourceReader.open({ customerId, url, from, maxBytes: limits.maxFileBytes }, stopping);
  try {
    let received = source.offset;
    const remaining = () => (source.sizeBytes ?? limits.maxFileBytes) - received;
    const sender = { customerId, apiKeyId: null, itemId: leased.itemId, remaining };
    const slot = uploads.take({ ...sender, isResumable: true });
    const counted = onEach(slot.guarded(source.bytes), ({ length }) => {
      received += length;
    });
    await storeSource(uses, leased, stored, source, counted).finally(() => slot.close());
  } finally {
    source.close();
  }
}

async function* onEach(bytes: AsyncIterable<Uint8Array>, note: (chunk: Uint8Array) => void) {
  for await (const chunk of bytes) {
    note(chunk);
    yield chunk;
  }
}

const unreadable = {
  code: 'source_unreachable',
  message:
    'sourceUrl can no longer be decrypted: the secret of this installation has changed. Register the file again.',
} as const;
