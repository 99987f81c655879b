import { cleanFilename } from '../photos/photo-values.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import type { Import } from './import.js';
import type { ImportPhoto } from './import-photo.js';
import { inLibrary } from './in-library.js';
import { type Candidate, normalSha256, type Registration } from './registration.js';

/** What the import and the library have for the hashes and clientRefs of one request. */
export class RegistrationIndex {
  private readonly byClientRef: Map<string, ImportPhoto>;
  private readonly bySha256: Map<string, ImportPhoto>;

  private constructor(
    private readonly transaction: Transaction<'photos' | 'importPhotos'>,
    private readonly subject: Import,
    named: readonly ImportPhoto[],
    private earlier: readonly ImportPhoto[],
    private readonly library: ReadonlyMap<string, Id>,
  ) {
    const live = earlier.filter((item) => item.status !== 'failed' && item.status !== 'duplicate');
    this.byClientRef = new Map(named.flatMap((item) => (item.clientRef === null ? [] : [[item.clientRef, item]])));
    this.bySha256 = new Map(live.map((item) => [item.sha256 ?? '', item]));
  }

  /** The items that the candidates refer to are locked, and so are the photos of the trash that they rely on. */
  static async load(
    transaction: Transaction<'photos' | 'importPhotos'>,
    subject: Import,
    candidates: readonly Candidate[],
  ): Promise<RegistrationIndex> {
    const refs = candidates.flatMap(({ input }) => input.clientRef || []);
    const hashes = [
      ...new Set(candidates.flatMap(({ input }) => (input.sha256 ? (normalSha256(input.sha256) ?? []) : []))),
    ];
    const named = await transaction.importPhotos.findByClientRefs(subject.id, [...new Set(refs)]);
    const same = await transaction.importPhotos.findBySha256(subject.id, hashes);
    const seen = new RegistrationIndex(transaction, subject, named, same, new Map());
    // Items before photos, each by id ascending: the order of all locks.
    const locked = await seen.lockKnown(candidates);
    const photos = subject.duplicatePolicy === 'skip' ? await inLibrary(transaction, hashes) : [];
    const current = (item: ImportPhoto) => locked.get(item.id) ?? item;
    const library = new Map(photos.map((photo) => [photo.sha256, photo.id]));
    return new RegistrationIndex(transaction, subject, named.map(current), same.map(current), library);
  }

  newIds(candidates: readonly Candidate[]): Promise<Id[]> {
    const count = candidates.filter((candidate) => candidate.staged === null && !this.find(candidate.input)).length;
    return count === 0 ? Promise.resolve([]) : this.transaction.importPhotos.allocateIds(count).then((ids) => [...ids]);
  }

  /**
   * The item that the client refers to: the one with this clientRef or, if there is none, with this hash and name from an earlier request.
   */
  find(input: Registration): ImportPhoto | undefined {
    if (input.clientRef) return this.byClientRef.get(input.clientRef);
    const sha256 = input.sha256 ? normalSha256(input.sha256) : null;
    const filename = cleanFilename(input.filename);
    return this.earlier.find((item) => item.clientRef === null && item.sha256 === sha256 && item.filename === filename);
  }

  private async lockKnown(candidates: readonly Candidate[]): Promise<ReadonlyMap<Id, ImportPhoto>> {
    const ids = [...new Set(candidates.flatMap(({ input }) => this.find(input)?.id ?? []))];
    const locked = ids.length === 0 ? [] : await this.transaction.importPhotos.lockMany(this.subject.id, ids);
    return new Map(locked.map((item) => [item.id, item]));
  }

  /** What later files of the request find: the item as it is now. */
  add(item: ImportPhoto): void {
    if (item.clientRef !== null) this.byClientRef.set(item.clientRef, item);
    const bringsBytes = ['awaiting_upload', 'fetching', 'processing'].includes(item.status);
    if (item.sha256 !== null && bringsBytes) this.bySha256.set(item.sha256, item);
    this.earlier = this.earlier.map((other) => (other.id === item.id ? item : other));
  }

  /** A new item in its first state. */
  withFirstStatus(item: ImportPhoto, { staged }: Candidate): ImportPhoto {
    const photoId = this.library.get(item.sha256 ?? '');
    if (photoId !== undefined) return { ...item, status: 'duplicate', photoId };
    const first = this.subject.duplicatePolicy === 'skip' ? this.bySha256.get(item.sha256 ?? '') : undefined;
    if (first !== undefined) return { ...item, status: 'duplicate', duplicateOfItemId: first.id };
    return staged === null ? item : { ...item, status: 'processing' };
  }
}
