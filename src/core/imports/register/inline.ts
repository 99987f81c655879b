import type { Caller } from '../../access/caller.js';
import { onEach, TooManyBytes, withMeasure } from '../../blobs/blob-bytes.js';
import { stagingKey } from '../../blobs/blob-key.js';
import type { BlobStore } from '../../blobs/blob-store.js';
import type { VerifiedBlobs } from '../../blobs/verified-blobs.js';
import type { MediaReader } from '../../media/media-reader.js';
import { DomainError, type ItemError, invalid, isOutage, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import { counted } from '../../shared/text.js';
import { type Candidate, normalSha256, type Registration, registrationError, tooLarge } from '../candidate.js';
import { requireOpen } from '../import.js';
import { newUploadId } from '../import-photo.js';
import { mismatch, requireDiskSpace } from '../receive/upload.js';
import type { UploadSlots } from '../receive/upload-slots.js';
import { type CandidateOutcome, type RegisterUses, type RegistrationResults, registerAll } from './register.js';

/**
 * Receives files in the request itself: each is streamed to staging while it is hashed, then all are registered in one transaction. Unused
 * bytes are removed. Errors: as for registering, `invalid_request` when the number of values differs from that of files, `rate_limited`,
 * `storage_full`.
 */
export async function receiveInline(
  uses: InlineUses,
  caller: Caller,
  importId: Id,
  upload: InlineUpload,
  /** The store of the one transaction that registers all files. */
  registrationStore: InlineUses['store'] = uses.store,
): Promise<RegistrationResults> {
  const { customerId, apiKeyId } = caller;
  let received = 0;
  const remaining = () => (upload.announcedBytes ?? uses.limits.inlineMaxBytes) - received;
  const slot = uses.uploads.take({ customerId, apiKeyId, itemId: null, remaining });
  const count = ({ length }: Uint8Array) => {
    received += length;
  };
  async function* countedFiles(): AsyncIterable<InlineFile> {
    for await (const file of upload.files) yield { ...file, bytes: onEach(file.bytes, count) };
  }
  try {
    return await receive(uses, caller, importId, { ...upload, files: countedFiles() }, registrationStore);
  } finally {
    slot.close();
  }
}

async function receive(
  uses: InlineUses,
  caller: Caller,
  importId: Id,
  { inputs, files }: InlineUpload,
  registrationStore: InlineUses['store'],
): Promise<RegistrationResults> {
  await uses.store.query(caller.customerId, async (reader) => {
    requireOpen(requireFound(await reader.imports.find(importId), 'import'));
    // Bytes of one request are counted after they have arrived; those of concurrent requests must fit into the quota together, or many of them
    // could fill the disk far beyond it. One request is always accepted: it may contain duplicates.
    const { storageBytesLimit } = await reader.customer.read();
    const pending = uses.uploads.unreservedBytes(caller.customerId);
    if (storageBytesLimit === null || pending <= uses.limits.inlineMaxBytes) return;
    const { storageBytes } = await reader.usage.quotaUse();
    if (storageBytes + pending <= storageBytesLimit) return;
    const message = 'Other uploads to this account are in progress and would fill its quota.';
    throw new DomainError('rate_limited', `${message} Try again when they have finished.`);
  });
  await requireDiskSpace(uses, 0);
  const [candidates, rejected]: [Candidate[], CandidateOutcome[]] = [[], []];
  const { inlineMaxFiles: max } = uses.limits;
  let outcomeKnown = true;
  try {
    let index = 0;
    for await (const file of files) {
      const tooMany = `A request can contain at most ${max} files.`;
      if (index >= max) throw invalid({ field: 'file', code: 'too_many', message: tooMany, max });
      const input = { ...inputs?.[index], filename: inputs?.[index]?.filename ?? file.filename };
      const staged = await stage(uses, caller, importId, input, file.bytes);
      if ('code' in staged) rejected.push({ index, outcome: 'rejected', error: staged });
      else candidates.push({ index, ...staged });
      index += 1;
    }
    if (index === 0) throw invalid({ field: 'file', code: 'required', message: 'Send at least one part named file.' });
    if (inputs !== null && inputs.length !== index) {
      const message = `photos describes ${counted(inputs.length, 'file')}, but ${counted(index, 'was', 'were')} sent. Entries and files are matched by position.`;
      throw invalid({ field: 'photos', code: 'conflict', message });
    }
    outcomeKnown = false;
    const answer = await registerAll({ ...uses, store: registrationStore }, caller, importId, candidates, rejected);
    // Those whose bytes no item relies on.
    const unused = candidates.filter(({ index, staged }) => {
      const photo = answer.results.find((result) => result.index === index)?.photo;
      return photo?.status !== 'processing' || photo.id !== staged?.id || photo.uploadId !== staged.uploadId;
    });
    await unstage(uses, caller, importId, unused);
    return answer;
  } catch (error) {
    // If the database's response was lost, the items may exist, and an unavailable store cannot be queried: then the bytes remain, and the
    // sweep decides.
    const refused = error instanceof DomainError && error.code !== 'service_unavailable';
    if (refused || (outcomeKnown && !isOutage(error))) await unstage(uses, caller, importId, candidates);
    throw error;
  }
}

/** A file of a multipart request. Its bytes are read once, before the next file is requested. */
export interface InlineFile {
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type InlineInput = Partial<Registration>;

export interface InlineUpload {
  /** The client's values for the files, in their order; null when there are none. */
  readonly inputs: readonly InlineInput[] | null;
  /** To be read one after another. */
  readonly files: AsyncIterable<InlineFile>;
  /** Length of the whole request; null when the client does not send it. */
  readonly announcedBytes: number | null;
}

type InlineUses = RegisterUses & {
  blobs: BlobStore;
  verifiedBlobs: VerifiedBlobs;
  media: MediaReader;
  uploads: UploadSlots;
};

async function stage(
  uses: InlineUses,
  { customerId }: Caller,
  importId: Id,
  input: InlineInput & { filename: string },
  bytes: AsyncIterable<Uint8Array>,
): Promise<Omit<Candidate, 'index'> | ItemError> {
  // Values are validated before a byte is read; size and hash are those of the bytes that arrive.
  const wrong = registrationError({ ...input, sizeBytes: 1 }, uses.limits);
  if (wrong !== null) return wrong;
  const staged = await place(uses, customerId, importId, input.clientRef);
  const key = stagingKey({ customerId, importId, ...staged });
  const { bytes: passing, measure } = withMeasure(bytes, uses.limits.maxFileBytes);
  try {
    await uses.verifiedBlobs.put(key, passing);
  } catch (error) {
    if (error instanceof TooManyBytes) return tooLarge(uses.limits);
    throw error;
  }
  const whole: Registration = { ...input, sizeBytes: measure.sizeBytes, sha256: measure.sha256 };
  const declared = { sizeBytes: input.sizeBytes ?? null, sha256: input.sha256 ? normalSha256(input.sha256) : null };
  const error =
    registrationError(whole, uses.limits) ?? mismatch(declared, measure) ?? (await typeError(uses, measure.head));
  if (error === null) return { input: whole, staged };
  await uses.blobs.delete([key]);
  return error;
}

/**
 * The item that the bytes are for: the one with this clientRef, if it still accepts bytes, or a new one. The upload id is the request's
 * own, so that two requests with one clientRef cannot overwrite each other's bytes.
 */
async function place(uses: InlineUses, customerId: Id, importId: Id, clientRef: string | null | undefined) {
  const uploadId = newUploadId();
  return uses.store.transaction(customerId, async (transaction) => {
    const [known] = clientRef ? await transaction.importPhotos.findByClientRefs(importId, [clientRef]) : [];
    if (known?.status === 'awaiting_upload' || known?.status === 'failed') return { id: known.id, uploadId };
    return { id: requireFound((await transaction.importPhotos.allocateIds(1))[0], 'import_photo'), uploadId };
  });
}

async function typeError({ media }: InlineUses, head: Uint8Array): Promise<ItemError | null> {
  const sniffed = await media.sniff(head);
  if (sniffed.kind === 'accepted') return null;
  if (sniffed.kind === 'not_an_image') return { code: 'not_an_image', message: 'The file is not an image.' };
  const message = `${sniffed.contentType} is not accepted. The account lists the accepted formats.`;
  return { code: 'unsupported_format', message };
}

async function unstage(
  { blobs }: InlineUses,
  { customerId }: Caller,
  importId: Id,
  candidates: readonly Candidate[],
): Promise<void> {
  const keys = candidates.flatMap(({ staged }) => (staged ? [stagingKey({ customerId, importId, ...staged })] : []));
  await blobs.delete(keys);
}
