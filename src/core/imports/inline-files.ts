import type { Caller } from '../access/caller.js';
import { stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { TooManyBytes, withMeasure } from '../blobs/measure.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import type { MediaReader } from '../media/media-reader.js';
import { type ItemError, invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { newUploadId } from './import-photo.js';
import type { CandidateOutcome } from './register-candidates.js';
import { type RegisterUses } from './register-uses.js';
import { type Candidate, mismatch, type Registration, registrationError, tooLarge } from './registration.js';
import { type RegistrationResults } from './registration-results.js';
import { noteStaged } from './staged-picture.js';
import type { UploadSlots } from './upload-slots.js';

/** A file of a multipart request. Its bytes are read once, before the next file is requested. */
export interface InlineFile {
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type InlineInput = Partial<Registration>;

/** Files in one request. */
export interface InlineUpload {
  /** The client's values for the files, in their order; null when there are none. */
  readonly inputs: readonly InlineInput[] | null;
  /** To be read one after another. */
  readonly files: AsyncIterable<InlineFile>;
  /** Of the whole request; null when the client does not send it. */
  readonly announcedBytes: number | null;
}

export type InlineUses = RegisterUses & {
  blobs: BlobStore;
  verifiedBlobs: VerifiedBlobs;
  media: MediaReader;
  uploads: UploadSlots;
};

export interface Staging {
  readonly candidates: Candidate[];
  readonly rejected: CandidateOutcome[];
}

export async function stageAll(
  uses: InlineUses,
  caller: Caller,
  importId: Id,
  inputs: readonly InlineInput[] | null,
  files: AsyncIterable<InlineFile>,
  staging: Staging,
): Promise<void> {
  let index = 0;
  for await (const file of files) {
    if (index >= uses.limits.inlineMaxFiles) throw tooManyFiles(uses.limits.inlineMaxFiles);
    const input = { ...inputs?.[index], filename: inputs?.[index]?.filename ?? file.filename };
    const staged = await stage(uses, caller, importId, input, file.bytes);
    if ('code' in staged) staging.rejected.push({ index, outcome: 'rejected', error: staged });
    else staging.candidates.push({ index, ...staged });
    index += 1;
  }
  if (index === 0) throw invalid({ field: 'file', code: 'required', message: 'Send at least one part named file.' });
  if (inputs !== null && inputs.length !== index) {
    const message = `photos describes ${inputs.length} files, but ${index} were sent. Entries and files are matched by position.`;
    throw invalid({ field: 'photos', code: 'conflict', message });
  }
}

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
    await uses.blobs.put(key, passing);
  } catch (error) {
    if (error instanceof TooManyBytes) return tooLarge(uses.limits);
    throw error;
  }
  const whole: Registration = { ...input, sizeBytes: measure.sizeBytes, sha256: measure.sha256 };
  const error =
    registrationError(whole, uses.limits) ?? mismatch(input, measure) ?? (await typeError(uses, measure.head));
  if (error === null) {
    await noteStaged(uses, { customerId, importId, ...staged });
    return { input: whole, staged };
  }
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
  return {
    code: 'unsupported_format',
    message: `${sniffed.contentType} is not accepted. The account lists the accepted formats.`,
  };
}

export async function unstage(
  { blobs }: InlineUses,
  { customerId }: Caller,
  importId: Id,
  candidates: readonly Candidate[],
): Promise<void> {
  await blobs.delete(
    candidates.flatMap(({ staged }) => (staged ? [stagingKey({ customerId, importId, ...staged })] : [])),
  );
}

function tooManyFiles(max: number) {
  return invalid({ field: 'file', code: 'too_many', message: `A request can contain at most ${max} files.`, max });
}

function isUsed({ index, staged }: Candidate, { results }: RegistrationResults): boolean {
  const photo = results.find((result) => result.index === index)?.photo;
  return photo?.status === 'processing' && photo.id === staged?.id && photo.uploadId === staged.uploadId;
}

/** Candidates whose bytes no item relies on. */
export function unusedOf({ candidates }: Staging, answer: RegistrationResults): readonly Candidate[] {
  return candidates.filter((candidate) => !isUsed(candidate, answer));
}
