import { DomainError } from '../shared/errors.js';
import { everyBatch } from '../shared/every-page.js';
import type { Id } from '../shared/ids.js';
import { windowAfter } from '../shared/pagination.js';
import type { Readable } from '../shared/transactional.js';
import type { PhotoFilters } from './photo-query.js';

/** The most photos in one archive: the list of them is in memory while it is sent. */
const MAX_ARCHIVED_PHOTOS = 20_000;
const BATCH = 1000;

export interface StoredOriginal {
  readonly id: Id;
  readonly filename: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** When it came into the library: the time of a file must not change. */
  readonly modifiedAt: Date;
}

/** All originals that match and are intact, by id. Errors: `limit_reached`. */
export async function listOriginals(
  { store }: { store: Readable<'photos'> },
  customerId: Id,
  filters: PhotoFilters,
): Promise<readonly StoredOriginal[]> {
  const all: StoredOriginal[] = [];
  const read = (after: Id | null) => {
    const window = windowAfter(after, BATCH);
    return store.query(customerId, ({ photos }) => photos.list({ filters, sort: 'id', window }));
  };
  for await (const photos of everyBatch(BATCH, read)) {
    const intact = photos.filter(({ originalLostAt }) => originalLostAt === null);
    for (const { id, filename, sha256, sizeBytes, createdAt } of intact) {
      all.push({ id, filename, sha256, sizeBytes, modifiedAt: createdAt });
    }
    if (all.length > MAX_ARCHIVED_PHOTOS) throw tooMany();
  }
  return all;
}

function tooMany(): DomainError {
  const message = `More than ${MAX_ARCHIVED_PHOTOS} photos are too many for one file. Download them in parts.`;
  return new DomainError('limit_reached', message, { limit: MAX_ARCHIVED_PHOTOS, name: 'archivedPhotos' });
}
