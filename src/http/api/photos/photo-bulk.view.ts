import type { PhotoEditResult } from '../../../core/photos/edit-photo.js';
import type { PhotoDeletionResult } from '../../../core/photos/trash.js';
import type { ItemErrorCode } from '../../../core/shared/errors.js';
import { ResponseModel } from '../../fields/declared.js';
import { IdOf, Models, Nested, OneOf, Reference } from '../../fields/fields.js';
import { PhotoView, photoView } from './photo.view.js';

@ResponseModel('PhotoEdit', 'The outcome for one photo.')
export class PhotoEditView {
  @IdOf({ description: 'The id of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoEditResult['outcome']>(
    {
      updated: 'changed',
      unchanged: 'it already had these values',
      not_found: 'it does not exist or is in the trash',
      error: 'the patch is not valid for this photo',
    },
    { description: 'What happened to the photo.' },
  )
  outcome: PhotoEditResult['outcome'];

  @Nested(PhotoView, {
    description: 'The photo after the change. Null if it does not exist or the patch is not valid for it.',
    nullable: true,
  })
  photo: PhotoView | null;

  @Reference('ItemError', { description: 'Why the patch is not valid for this photo.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('PhotoEdits', 'The outcome for each photo, in the order of the ids.')
export class PhotoEditsView {
  @Models(PhotoEditView, { description: 'One outcome per distinct id.' })
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

@ResponseModel('PhotoDeletion', 'The outcome for one photo.')
export class PhotoDeletionView {
  @IdOf({ description: 'The id of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoDeletionResult['outcome']>(
    { deleted: 'it was deleted', not_found: 'it did not exist' },
    { description: 'What happened to the photo.' },
  )
  outcome: PhotoDeletionResult['outcome'];
}

@ResponseModel('PhotoDeletions', 'The outcome for each photo, in the order of the ids.')
export class PhotoDeletionsView {
  @Models(PhotoDeletionView, { description: 'One outcome per distinct id.' })
  data: PhotoDeletionView[];
}

export function photoDeletionView({ id, outcome }: PhotoDeletionResult): PhotoDeletionView {
  return { id, outcome };
}
