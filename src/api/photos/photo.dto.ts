import { type RenditionName, renditionSizes } from '../../core/media/media-reader.js';
import { patchErrors, tagSetErrors } from '../../core/photos/edit-photo.js';
import { MAX_SHIFT_SECONDS } from '../../core/photos/photo.js';
import { RequestModel } from '../../http/fields/declared.js';
import { Flag, Nested, Text, WholeNumber } from '../../http/fields/fields.js';
import { flag, oneOf, Parameter, someOf } from '../../http/requests/parameters.js';
import type { ParameterRule } from '../../http/requests/read-request.js';
import {
  DescriptiveBody,
  filename,
  GivenFields,
  MetadataPatch,
  PhotoTagIds,
  PhotoTagNames,
  Rotation,
} from './photo-fields.js';
import { include, URLS } from './photo-list.dto.js';
import { FocusView } from './photo-parts.view.js';

export class PhotoQuery {
  @Parameter(someOf(['exif', 'urls']), include({ exif: 'the metadata in the file', urls: URLS }))
  readonly include?: readonly ('exif' | 'urls')[];

  @Parameter(oneOf(['false', 'any']), {
    description: 'Whether to return a photo that is in the trash.',
    meanings: { false: 'no: return 404', any: 'yes' },
    example: 'false',
    default: 'false',
  })
  readonly trashed?: 'false' | 'any';
}

export class DownloadQuery {
  @Parameter(oneOf(['original', 'thumb', 'small', 'medium', 'large']), {
    description: 'What to download. The number is the longest side in pixels; photos are never enlarged.',
    meanings: {
      original: 'the file exactly as imported',
      thumb: String(renditionSizes.thumb),
      small: String(renditionSizes.small),
      medium: String(renditionSizes.medium),
      large: String(renditionSizes.large),
    },
    example: 'original',
    default: 'original',
  })
  readonly rendition?: 'original' | RenditionName;

  @Parameter(oneOf(['jpeg', 'webp']), {
    description:
      'The format of a rendition; not valid for the original. By default JPEG, or WebP for images with transparency.',
    example: 'jpeg',
  })
  readonly format?: 'jpeg' | 'webp';

  @Parameter(oneOf(['attachment', 'inline']), {
    description: 'How browsers handle the file.',
    meanings: { attachment: 'save', inline: 'show' },
    example: 'attachment',
    default: 'attachment',
  })
  readonly disposition?: 'attachment' | 'inline';
}

/** The original has a fixed format. */
export const downloadRule: ParameterRule<DownloadQuery> = ({ rendition, format }, { sent }) => {
  const isOriginal = rendition === 'original' || !sent.has('rendition');
  if (!isOriginal || format === undefined) return [];
  const message = 'format requires a rendition: thumb, small, medium or large. The original is sent as it is.';
  return [{ field: 'format', code: 'conflict', message }];
};

export class DeletionQuery {
  @Parameter(flag, {
    description: '`true` deletes the photo permanently, without the trash.',
    example: true,
    default: false,
  })
  readonly permanent?: boolean;
}

const maintained = 'it is maintained by the service.';
const fromFile = 'it is read from the file.';

@RequestModel('NewFocus', 'A point of the photo as displayed: upright and after `rotation`. Replaced as a whole.')
export class FocusBody extends FocusView {}

@RequestModel('CaptureTimeShift', 'By how much to move the wall-clock time of each photo.')
export class CaptureTimeShiftBody {
  @WholeNumber({
    required: true,
    description: 'Later by so many seconds, or earlier if negative; at most a hundred years, and not 0.',
    example: -3600,
    min: -MAX_SHIFT_SECONDS,
    max: MAX_SHIFT_SECONDS,
  })
  seconds: number;
}

@GivenFields({ nullable: false })
@RequestModel('PhotoPatch', 'The values to change. Omitted fields keep their value; null clears a field.')
export class PhotoPatchBody extends DescriptiveBody {
  static readonly valueErrors = patchErrors;

  static readonly readOnly = {
    id: maintained,
    contentType: fromFile,
    sizeBytes: fromFile,
    sha256: fromFile,
    width: 'it is derived from the file and rotation.',
    height: 'it is derived from the file and rotation.',
    orientation: fromFile,
    takenAtSource: 'it is derived from takenAt, takenAtLocal and timeZone.',
    place: 'it is derived from location.',
    camera: fromFile,
    exposure: fromFile,
    keywords: fromFile,
    companion: fromFile,
    tags: 'use PUT /photos/{id}/tags.',
    importId: maintained,
    damaged: fromFile,
    thumbhash: fromFile,
    phash: fromFile,
    dominantColor: fromFile,
    trashedAt: 'use DELETE /photos/{id}, and "trashed": false to restore.',
    purgeAt: 'use DELETE /photos/{id}, and "trashed": false to restore.',
    originalLostAt: 'import the same file again to bring its original back.',
    createdAt: maintained,
    updatedAt: maintained,
    version: maintained,
    urls: 'request it with include=urls.',
    exif: fromFile,
  };

  @Nested(CaptureTimeShiftBody, {
    description:
      'Moves the wall-clock time and keeps the time zone, from which the instant follows; `takenAtSource` becomes `client`. A photo without a capture time is left unchanged. Cannot be combined with `takenAt`, `takenAtLocal` or `timeZone`. Relative to the present time, so repeat a request only with its `Idempotency-Key`.',
  })
  shiftTakenAt?: CaptureTimeShiftBody;

  @Text(filename)
  filename?: string;

  @Rotation('The total clockwise rotation in degrees.')
  rotation?: number;

  @Nested(FocusBody, {
    description:
      'What crops of the photo are to keep in view, such as a face. With `rotation`, a point of the rotated photo. Null removes it.',
    nullable: true,
  })
  focus?: FocusBody | null;

  @MetadataPatch()
  metadata?: Record<string, string | null>;

  @Flag({ description: '`false` restores the photo from the trash.', example: false, const: false })
  trashed?: boolean;
}

@RequestModel('PhotoTags', 'The new set of tags, as at least one of the two lists.', { minProperties: 1 })
export class PhotoTagsBody {
  static readonly valueErrors = tagSetErrors;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}
