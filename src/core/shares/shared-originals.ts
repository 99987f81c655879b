import { DomainError } from '../shared/errors.js';
import { everyBatch } from '../shared/every-page.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Share } from './share.js';
import { requireDownload } from './shared-bytes.js';
import { filtersOf } from './shared-photos.js';

/** The most photos that visitors can download at once: the list of them is in memory while they do. */
export const MAX_ARCHIVED_PHOTOS = 20_000;
const BATCH = 1000;

/** An original among all that a share shows. */
export interface SharedOriginal {
  readonly id: Id;
  readonly filename: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** When it came into the library: the time of a file must not change. */
  readonly modifiedAt: Date;
}

/** All originals that are intact, by id. Errors: `not_found` if visitors may not download, `limit_reached`. */
export async function listSharedOriginals(
  { store }: { store: Readable<'photos'> },
  share: Share,
): Promise<readonly SharedOriginal[]> {
  requireDownload(share);
  const all: SharedOriginal[] = [];
  const filters = filtersOf(share);
  const read = (after: Id | null) => {
    const window = { after: after === null ? null : { value: after, id: after }, limit: BATCH };
    return store.query(share.customerId, ({ photos }) => photos.list({ filters, sort: 'id', window }));
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
  const message = `More than ${MAX_ARCHIVED_PHOTOS} photos are too many for one file. Download them one by one.`;
  return new DomainError('limit_reached', message, { limit: MAX_ARCHIVED_PHOTOS, name: 'archivedPhotos' });
}
