import type { ChangeType } from '../events/event.js';
import { isTrashed, type PhotoWithTags } from '../photos/photo.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import type { EditedPhoto } from './edited-photo.js';

/** Stores edited photos, each as a new version, and adds their events, many in one statement. */
export class BatchWriter {
  private readonly events = new Map<ChangeType, Id[]>();

  constructor(
    private readonly transaction: Transaction<'photos' | 'outbox'>,
    private readonly at: Date,
  ) {}

  /** The photo must be locked. */
  async write(before: PhotoWithTags, { photo, tagIds }: Pick<EditedPhoto, 'photo' | 'tagIds'>): Promise<void> {
    const { photos } = this.transaction;
    if (tagIds !== null) await photos.setTags(before.id, tagIds);
    await photos.update({ ...photo, updatedAt: this.at, version: before.version + 1 });
    const becomes = isTrashed(photo) ? 'photo.trashed' : 'photo.restored';
    const type = isTrashed(before) === isTrashed(photo) ? 'photo.updated' : becomes;
    this.events.set(type, [...(this.events.get(type) ?? []), before.id]);
  }

  async addEvents(): Promise<void> {
    for (const [type, ids] of this.events) await this.transaction.outbox.add(type, ids, this.at);
  }
}
