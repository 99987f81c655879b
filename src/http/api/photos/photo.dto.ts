import { patchErrors } from '../../../core/photos/edit-photo.js';
import { tagSetErrors } from '../../../core/photos/set-photo-tags.js';
import { Decimal, Flag, StringMap, Text } from '../../fields/fields.js';
import { oneOf, type QueryOf, someOf } from '../../requests/parameters.js';
import type { ParameterRule } from '../../requests/read-request.js';
import { DescriptiveBody, PhotoTagIds, PhotoTagNames } from './descriptive.dto.js';

export const photoParameters = { include: someOf(['exif', 'urls']), trashed: oneOf(['false', 'any']) };

export const downloadParameters = {
  rendition: oneOf(['original', 'thumb', 'small', 'medium', 'large']),
  format: oneOf(['jpeg', 'webp']),
  disposition: oneOf(['attachment', 'inline']),
};

/** The original has a fixed format. */
export const downloadRule: ParameterRule<QueryOf<typeof downloadParameters>> = ({ rendition, format }, { sent }) => {
  const isOriginal = rendition === 'original' || !sent.has('rendition');
  if (!isOriginal || format === undefined) return [];
  const message = 'format goes with a rendition: thumb, small, medium or large. The original is sent as it is.';
  return [{ field: 'format', code: 'conflict', message }];
};

export const deletionParameters = { permanent: oneOf(['true', 'false']) };

const kept = 'it is kept by the service.';
const fromFile = 'it comes from the file.';

export class PhotoPatchBody extends DescriptiveBody {
  static readonly valueErrors = patchErrors;

  static readonly readOnly = {
    id: kept,
    contentType: fromFile,
    sizeBytes: fromFile,
    sha256: fromFile,
    width: 'it follows from the file and rotation.',
    height: 'it follows from the file and rotation.',
    orientation: fromFile,
    takenAtSource: 'it follows from takenAt, takenAtLocal and timeZone.',
    camera: fromFile,
    exposure: fromFile,
    tags: 'use PUT /photos/{id}/tags.',
    importId: kept,
    damaged: fromFile,
    thumbhash: fromFile,
    dominantColor: fromFile,
    trashedAt: 'use DELETE /photos/{id}, and "trashed": false to restore.',
    purgeAt: 'use DELETE /photos/{id}, and "trashed": false to restore.',
    originalLostAt: 'import the same file again to bring its original back.',
    createdAt: kept,
    updatedAt: kept,
    version: kept,
    urls: 'ask for it with include=urls.',
    exif: fromFile,
  };

  @Text()
  filename?: string;

  @Decimal()
  rotation?: number;

  @StringMap({ nulls: true })
  metadata?: Record<string, string | null>;

  @Flag()
  trashed?: boolean;
}

export class PhotoTagsBody {
  static readonly valueErrors = tagSetErrors;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}
