import { isTrashed, type Photo } from '../../../src/core/photos/photo.js';
import {
  hashDistance,
  type PhotoPair,
  type Similarity,
  type SimilarityScan,
  type SimilarPhotoRepository,
} from '../../../src/core/photos/similar/similar-photo.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { MemoryRepository } from '../memory-repository.js';

/** Compares all photos with all. */
export class MemorySimilarPhotoRepository extends MemoryRepository implements SimilarPhotoRepository {
  async scan(after: Id | null, limit: number, maxDistance: number): Promise<SimilarityScan> {
    const hashed = this.own(({ id, phash }) => phash !== null && id > (after ?? 0)).slice(0, limit);
    const leads = hashed
      .map((photo) => ({ id: photo.id, similar: this.similarOf(photo, maxDistance) }))
      .filter(({ id, similar }) => similar.length > 0 && similar.every((other) => other > id));
    return { leads: leads.map(({ id }) => id), next: hashed.length < limit ? null : (hashed.at(-1)?.id ?? null) };
  }

  async similarTo(ids: readonly Id[], limit: number, maxDistance: number): Promise<readonly Similarity[]> {
    return this.own(({ id }) => ids.includes(id)).flatMap((photo) =>
      this.similarOf(photo, maxDistance)
        .slice(0, limit)
        .map((similarId) => ({ photoId: photo.id, similarId })),
    );
  }

  async separate(pairs: readonly PhotoPair[], at: Date): Promise<readonly PhotoPair[]> {
    const { separatedPhotos } = this.database;
    const added = pairs.filter((pair) => separatedPhotos.get(this.keyOf(pair)) === undefined);
    for (const pair of added) {
      this.requireOwn(pair.photoId);
      this.requireOwn(pair.otherId);
      separatedPhotos.set(this.keyOf(pair), { ...pair, customerId: this.customerId, createdAt: at });
    }
    return added;
  }

  async rejoin(pairs: readonly PhotoPair[]): Promise<void> {
    for (const pair of pairs) this.database.separatedPhotos.delete(this.keyOf(pair));
  }

  private similarOf(photo: Photo, maxDistance: number): Id[] {
    const { id, phash } = photo;
    if (phash === null || isTrashed(photo)) return [];
    const others = this.own((other) => {
      if (other.phash === null || other.id === id || isTrashed(other)) return false;
      return hashDistance(phash, other.phash) <= maxDistance && !this.areSeparated(id, other.id);
    });
    return others.map((other) => other.id);
  }

  private areSeparated(one: Id, other: Id): boolean {
    const pair = { photoId: Math.min(one, other), otherId: Math.max(one, other) };
    return this.database.separatedPhotos.get(this.keyOf(pair)) !== undefined;
  }

  private own(condition: (photo: Photo) => boolean): Photo[] {
    return this.database.photos.rowsOf(this.customerId, condition).sort((a, b) => a.id - b.id);
  }

  /** The effect of a foreign key. */
  private requireOwn(id: Id): void {
    if (this.database.photos.rowOf(this.customerId, id) === null) throw new Error(`There is no photo ${id}.`);
  }

  private keyOf({ photoId, otherId }: PhotoPair): string {
    return [this.customerId, photoId, otherId].join(' ');
  }
}
