import type { PhotoEditResult } from '../../../core/photos/edit-photos.js';
import type { PhotoDeletionResult } from '../../../core/photos/trash-photos.js';
import type { ItemErrorCode } from '../../../core/shared/errors.js';
import { ResponseModel } from '../../fields/declared.js';
import { IdOf, Models, Nested, OneOf, Reference } from '../../fields/fields.js';
import { PhotoView, photoView } from './photo.view.js';

@ResponseModel('PhotoEdit', 'What became of one photo.')
export class PhotoEditView {
  @IdOf({ description: 'Of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoEditResult['outcome']>(
    {
      updated: 'changed',
      unchanged: 'it was so already',
      not_found: 'there is none, or it is in the trash',
      error: 'the patch does not fit it',
    },
    { description: 'What became of it.' },
  )
  outcome: PhotoEditResult['outcome'];

  @Nested(PhotoView, {
    description: 'As it is now; null where there is none, and where the patch does not fit.',
    nullable: true,
  })
  photo: PhotoView | null;

  @Reference('ItemError', { description: 'Why the patch does not fit.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('PhotoEdits', 'What became of each photo, in the order of the ids.')
export class PhotoEditsView {
  @Models(PhotoEditView, { description: 'Each id once.' })
  data: PhotoEditView[];
}

export function photoEditView({ id, outcome, photo, error }: PhotoEditResult): PhotoEditView {
  return {
    id,
    outcome,
    photo: photo && photoView(photo),
    error: error && { code: error.code, message: error.message },
  };
}

/** API.md §7, 14. */
@ResponseModel('PhotoDeletion', 'What became of one photo.')
export class PhotoDeletionView {
  @IdOf({ description: 'Of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoDeletionResult['outcome']>(
    { deleted: 'it is gone', not_found: 'there was none' },
    { description: 'What became of it.' },
  )
  outcome: PhotoDeletionResult['outcome'];
}

@ResponseModel('PhotoDeletions', 'What became of each photo, in the order of the ids.')
export class PhotoDeletionsView {
  @Models(PhotoDeletionView, { description: 'Each id once.' })
  data: PhotoDeletionView[];
}

export function photoDeletionView({ id, outcome }: PhotoDeletionResult): PhotoDeletionView {
  return { id, outcome };
}

/** Fields of `include`; absent if not requested. */
