import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/caller.js';
import type { CustomerWork } from '../customers/customer-store.js';
import type { Limits } from '../customers/limits.js';
import type { Room } from '../customers/quota.js';
import { cleanFilename } from '../photos/photo-values.js';
import { DomainError, type ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { holdTags, resolveTags } from '../tags/resolve-tags.js';
import type { Import } from './import.js';
import { type ImportPhoto, newAttempt, reserved, retried } from './import-photo.js';
import { clientValues, normalSha256, type Registration } from './registration.js';

/** A file whose words are sound, at its place in the request. */
export interface Candidate {
  readonly index: number;
  readonly said: Registration;
  /** Set when the bytes are here already: which item and attempt they are staged for. */
  readonly staged: { readonly id: Id; readonly attempt: number } | null;
}

export type EnrolOutcome =
  | { readonly index: number; readonly outcome: 'created' | 'existing' | 'duplicate'; readonly item: ImportPhoto }
  | { readonly index: number; readonly outcome: 'rejected'; readonly error: ItemError };

/**
 * Brings candidates into a locked, open import: known ones are found again by clientRef (or by hash and name), bytes that
 * the library or the import has are `duplicate`, the rest are new items, or `rejected` when the customer's quota has no room.
 * Errors: `limit_reached`, and those of resolving tags.
 */
export async function enrol(
  work: CustomerWork,
  caller: Caller,
  subject: Import,
  candidates: readonly Candidate[],
  { limits, room, at }: { limits: Limits; room: Room; at: Date },
): Promise<readonly EnrolOutcome[]> {
  await holdTags(
    work.tags,
    candidates.map(({ said }) => said),
  );
  const register = await Register.open(work, subject, candidates);
  const outcomes: EnrolOutcome[] = [];
  const fresh: ImportPhoto[] = [];
  const ids = await register.newIds(candidates);
  for (const candidate of candidates) {
    const { said, index } = candidate;
    const naming = { limits, at, prefix: `photos[${index}].`, beside: subject.tagIds };
    const tags = () => resolveTags(work, caller, said, naming);
    const known = register.known(said);
    if (known !== undefined) {
      // One that this very request has brought is not stored yet, and nobody else can know it.
      const held = (await work.importPhotos.lock(subject.id, known.id)) ?? known;
      const answer = await again(work, candidate, held, { tags, room, at });
      if (answer.outcome === 'existing') register.remember(answer.item);
      outcomes.push({ index, ...answer });
      continue;
    }
    const id = candidate.staged?.id ?? ids.shift();
    if (id === undefined) throw new Error('fewer ids than new items');
    const attempt = candidate.staged?.attempt ?? newAttempt();
    const placed = register.place(newItem(subject, { id, attempt }, said, at), candidate);
    const error = room.take(reserved(placed));
    if (error !== null) {
      outcomes.push({ index, outcome: 'rejected', error });
      continue;
    }
    const item = { ...placed, tagIds: await tags() };
    register.remember(item);
    fresh.push(item);
    outcomes.push({ index, outcome: item.status === 'duplicate' ? 'duplicate' : 'created', item });
  }
  if ((await work.importPhotos.count(subject.id)) + fresh.length > limits.importMaxPhotos) {
    const message = `An import has at most ${limits.importMaxPhotos} photos. Finalize it and start another.`;
    throw new DomainError('limit_reached', message, { limit: limits.importMaxPhotos, name: 'importMaxPhotos' });
  }
  await work.importPhotos.insert(fresh);
  for (const item of fresh) await inspectIfStaged(work, item);
  return outcomes;
}

async function inspectIfStaged(work: CustomerWork, item: ImportPhoto): Promise<void> {
  if (item.status !== 'processing') return;
  await work.jobs.add({ kind: 'inspect', importId: item.importId, photoId: item.id });
}

/** The client names an item that is there: unchanged, or, when it has failed, with the new values and waiting for bytes once more. */
async function again(
  work: CustomerWork,
  { said, staged }: Candidate,
  known: ImportPhoto,
  { tags, room, at }: { tags: () => Promise<readonly Id[]>; room: Room; at: Date },
): Promise<{ outcome: 'existing'; item: ImportPhoto } | { outcome: 'rejected'; error: ItemError }> {
  const sha256 = said.sha256 ? normalSha256(said.sha256) : null;
  const differs =
    (sha256 !== null && known.sha256 !== null && sha256 !== known.sha256) || said.sizeBytes !== known.sizeBytes;
  if (known.status === 'failed') {
    const error = room.take({ photos: 1, storageBytes: said.sizeBytes });
    if (error !== null) return { outcome: 'rejected', error };
    const values = clientValues(said, await tags());
    const waiting = { ...retried(known, randomUUID(), at), ...values, sizeBytes: said.sizeBytes, sha256 };
    const item = withStagedBytes(waiting, staged, at);
    await work.importPhotos.update(item);
    await inspectIfStaged(work, item);
    return { outcome: 'existing', item };
  }
  if (differs) {
    const message = `clientRef ${known.clientRef ?? ''} was registered with another sha256 or sizeBytes. Use another clientRef.`;
    return { outcome: 'rejected', error: { code: 'client_ref_conflict', message } };
  }
  const item = known.status === 'awaiting_upload' ? withStagedBytes(known, staged, at) : known;
  if (item !== known) await work.importPhotos.update(item);
  if (item !== known) await inspectIfStaged(work, item);
  return { outcome: 'existing', item };
}

/** Bytes that came with this request make the old upload targets of the item worthless: the attempt is theirs. */
function withStagedBytes(item: ImportPhoto, staged: Candidate['staged'], at: Date): ImportPhoto {
  if (staged === null || staged.id !== item.id) return item;
  return { ...item, status: 'processing', attempt: staged.attempt, updatedAt: at };
}

function newItem(
  subject: Import,
  names: Pick<ImportPhoto, 'id' | 'attempt'>,
  said: Registration,
  at: Date,
): ImportPhoto {
  return {
    ...clientValues(said, []),
    ...names,
    customerId: subject.customerId,
    importId: subject.id,
    clientRef: said.clientRef ?? null,
    status: 'awaiting_upload',
    photoId: null,
    duplicateOfItemId: null,
    restored: false,
    sizeBytes: said.sizeBytes,
    sha256: said.sha256 ? normalSha256(said.sha256) : null,
    blobName: randomUUID(),
    contentType: null,
    width: null,
    height: null,
    facts: null,
    error: null,
    createdAt: at,
    updatedAt: at,
  };
}

/** What the import and the library hold of the hashes and clientRefs of one request. */
class Register {
  private constructor(
    private readonly work: CustomerWork,
    private readonly subject: Import,
    private readonly byClientRef: Map<string, ImportPhoto>,
    private readonly bySha256: Map<string, ImportPhoto>,
    private earlier: readonly ImportPhoto[],
    private readonly library: ReadonlyMap<string, Id>,
  ) {}

  static async open(work: CustomerWork, subject: Import, candidates: readonly Candidate[]): Promise<Register> {
    const refs = candidates.flatMap(({ said }) => said.clientRef ?? []);
    const hashes = [
      ...new Set(candidates.flatMap(({ said }) => (said.sha256 ? (normalSha256(said.sha256) ?? []) : []))),
    ];
    const named = await work.importPhotos.findByClientRefs(subject.id, [...new Set(refs)]);
    const same = await work.importPhotos.findBySha256(subject.id, hashes);
    const photos = subject.duplicatePolicy === 'skip' ? await work.photos.findBySha256(hashes) : [];
    const live = same.filter((item) => item.status !== 'failed' && item.status !== 'duplicate');
    return new Register(
      work,
      subject,
      new Map(named.flatMap((item) => (item.clientRef === null ? [] : [[item.clientRef, item]]))),
      new Map(live.map((item) => [item.sha256 ?? '', item])),
      same,
      new Map(photos.map((photo) => [photo.sha256, photo.id])),
    );
  }

  newIds(candidates: readonly Candidate[]): Promise<Id[]> {
    const count = candidates.filter((candidate) => candidate.staged === null && !this.known(candidate.said)).length;
    return count === 0 ? Promise.resolve([]) : this.work.importPhotos.allocateIds(count).then((ids) => [...ids]);
  }

  /** The item that the client means: of this clientRef or, where it gives none, with this hash and name from an earlier request. */
  known(said: Registration): ImportPhoto | undefined {
    if (typeof said.clientRef === 'string') return this.byClientRef.get(said.clientRef);
    const sha256 = said.sha256 ? normalSha256(said.sha256) : null;
    const filename = cleanFilename(said.filename);
    return this.earlier.find((item) => item.clientRef === null && item.sha256 === sha256 && item.filename === filename);
  }

  /** What the rest of the request finds: the item as it is now. */
  remember(item: ImportPhoto): void {
    if (item.clientRef !== null) this.byClientRef.set(item.clientRef, item);
    const bringsBytes = item.status === 'awaiting_upload' || item.status === 'processing';
    if (item.sha256 !== null && bringsBytes) this.bySha256.set(item.sha256, item);
    this.earlier = this.earlier.map((other) => (other.id === item.id ? item : other));
  }

  /** A new item in its first state. */
  place(item: ImportPhoto, { staged }: Candidate): ImportPhoto {
    const photoId = this.library.get(item.sha256 ?? '');
    if (photoId !== undefined) return { ...item, status: 'duplicate', photoId };
    const first = this.subject.duplicatePolicy === 'skip' ? this.bySha256.get(item.sha256 ?? '') : undefined;
    if (first !== undefined) return { ...item, status: 'duplicate', duplicateOfItemId: first.id };
    return staged === null ? item : { ...item, status: 'processing' };
  }
}
