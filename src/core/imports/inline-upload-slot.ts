import type { Caller } from '../access/caller.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader } from '../shared/transactional.js';
import type { InlineFile, InlineUpload, InlineUses } from './inline-files.js';

/** A slot for the request, and its files, whose bytes are counted as they arrive. Errors: `rate_limited`. */
export function takeSlot(uses: InlineUses, { customerId, apiKeyId }: Caller, { files, announcedBytes }: InlineUpload) {
  let received = 0;
  const remaining = () => (announcedBytes ?? uses.limits.inlineMaxBytes) - received;
  const { close } = uses.uploads.take({ customerId, apiKeyId, itemId: null, remaining });
  async function* counted(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of bytes) {
      received += chunk.length;
      yield chunk;
    }
  }
  async function* countedFiles(): AsyncIterable<InlineFile> {
    for await (const file of files) yield { ...file, bytes: counted(file.bytes) };
  }
  return { files: countedFiles(), close };
}

/**
 * Bytes of one request are counted after they have arrived; those of concurrent requests must fit into the quota together, or many of them
 * could fill the disk far beyond it. One request is always accepted: it may contain duplicates. Errors: `rate_limited`.
 */
export async function requireQuota(
  { uploads, limits }: InlineUses,
  reader: Reader<'customer' | 'usage'>,
  customerId: Id,
): Promise<void> {
  const { storageBytesLimit } = await reader.customer.read();
  const pending = uploads.unreservedBytes(customerId);
  if (storageBytesLimit === null || pending <= limits.inlineMaxBytes) return;
  const { storageBytes } = await reader.usage.quotaUse();
  if (storageBytes + pending <= storageBytesLimit) return;
  const message = 'Other uploads to this account are in progress and would fill its quota.';
  throw new DomainError('rate_limited', `${message} Try again when they have finished.`);
}
