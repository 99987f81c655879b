import { unlessGone } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { Readable } from '../../core/shared/transactional.js';
import { findShare } from '../../core/shares/own-shares.js';
import type { Share } from '../../core/shares/share.js';
import { ResponseModel } from '../../http/fields/declared.js';
import { Flag, IdOf, Instant, Text, WholeNumber } from '../../http/fields/fields.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';

/** A share as events show it; null when it does not exist. */
export function announcedShare(uses: { store: Readable<'shares'> }, customerId: Id, id: Id): Promise<ShareView | null> {
  return unlessGone(findShare(uses, customerId, id).then(shareView));
}

@ResponseModel('Share', 'A link under which visitors see photos. The link itself is not included.')
class ShareView {
  @IdOf({ description: 'The unique identifier of the share.', example: 3 })
  id: number;

  @Text({ description: 'What visitors read above the photos.', example: 'Paris, the selection' })
  title: string;

  @IdOf({ description: 'The tag whose photos are shown. Null if photos were chosen.', nullable: true, example: 12 })
  tagId: number | null;

  @WholeNumber({ description: 'The number of chosen photos; 0 for a tag.', example: 0 })
  chosenPhotos: number;

  @Flag({ description: 'Whether visitors may download originals.', example: true })
  mayDownload: boolean;

  @WholeNumber({ description: 'The number of files that visitors may upload in all; 0 if they may not.', example: 100 })
  uploadFilesLimit: number;

  @WholeNumber({ description: 'The bytes that visitors may upload in all.', example: 1073741824 })
  uploadBytesLimit: number;

  @WholeNumber({ description: 'The number of files that visitors have uploaded.', example: 12 })
  uploadedFiles: number;

  @WholeNumber({ description: 'The bytes that visitors have uploaded.', example: 48103311 })
  uploadedBytes: number;

  @Flag({ description: 'Whether visitors have to enter a password.', example: false })
  hasPassword: boolean;

  @Instant({ description: 'When the photos were shared.' })
  createdAt: string;

  @Instant({ description: 'When the link stops working. Null if it never does.', nullable: true })
  expiresAt: string | null;
}

function shareView(share: Share): ShareView {
  return {
    id: share.id,
    title: share.title,
    tagId: share.tagId,
    chosenPhotos: share.photoIds.length,
    mayDownload: share.mayDownload,
    uploadFilesLimit: share.uploadFilesLimit,
    uploadBytesLimit: share.uploadBytesLimit,
    uploadedFiles: share.uploadedFiles,
    uploadedBytes: share.uploadedBytes,
    hasPassword: share.passwordHash !== null,
    createdAt: instant(share.createdAt),
    expiresAt: optionalInstant(share.expiresAt),
  };
}
