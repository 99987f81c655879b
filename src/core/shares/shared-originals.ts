import { listOriginals, type StoredOriginal } from '../photos/list-originals.js';
import type { Readable } from '../shared/transactional.js';
import type { Share } from './share.js';
import { requireDownload } from './shared-bytes.js';
import { filtersOf } from './shared-photos.js';

/** All originals that a share shows and that are intact, by id. Errors: `not_found` if visitors may not download, `limit_reached`. */
export async function listSharedOriginals(
  uses: { store: Readable<'photos'> },
  share: Share,
): Promise<readonly StoredOriginal[]> {
  requireDownload(share);
  return listOriginals(uses, share.customerId, filtersOf(share));
}
