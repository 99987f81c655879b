import { defaultLimits } from '../../../core/customers/limits.js';
import type { ImportPhotoStatus } from '../../../core/imports/import-photo.js';
import type { ItemListRequest } from '../../../core/imports/read-import.js';
import { type FieldError, invalid } from '../../../core/shared/errors.js';
import { Decimal, Flag, ListOf, OneOf, StringMap, Text } from '../body-fields.js';
import { type Parameters, pageParameters, pageRequest, someOf } from '../parameters.js';
import { DescriptiveBody, PhotoTagIds, PhotoTagNames } from '../photos/descriptive.dto.js';

const statuses = [
  'awaiting_upload',
  'processing',
  'ready',
  'imported',
  'duplicate',
  'failed',
  'cancelled',
] as const satisfies readonly ImportPhotoStatus[];

export const importParameters = { ...pageParameters, include: someOf(['photos']), photoStatus: someOf(statuses) };

/** Which page of items is asked for; null without `include=photos`. Errors: `invalid_request` when its parameters come without it. */
export function itemListRequest(asked: Parameters<typeof importParameters>): ItemListRequest | null {
  const { include, photoStatus } = asked;
  if (include) return { ...pageRequest(asked), ...(photoStatus && { statuses: photoStatus }) };
  const errors = (['limit', 'cursor', 'photoStatus'] as const)
    .filter((name) => asked[name] !== undefined)
    .map((field): FieldError => {
      return { field, code: 'unknown_parameter', message: `${field} is known only together with include=photos.` };
    });
  if (errors.length > 0) throw invalid(...errors);
  return null;
}

export class ImportCreationBody {
  @Text({ nullable: true })
  name?: string | null;

  @Text({ nullable: true })
  source?: string | null;

  @Text({ nullable: true })
  clientRef?: string | null;

  @OneOf(['skip', 'allow'])
  duplicatePolicy?: 'skip' | 'allow';

  @Flag()
  restoreTrashed?: boolean;

  @Text({ nullable: true })
  defaultTimeZone?: string | null;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

export class FinalizationBody {
  @OneOf(['commit', 'discard'])
  action?: 'commit' | 'discard';

  @OneOf(['reject', 'fail'])
  missingUploads?: 'reject' | 'fail';
}

/** What a client may say of any item; null is "take it from the file". */
class ItemWords extends DescriptiveBody {
  @Text({ nullable: true })
  sha256?: string | null;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

/** What only the registration of an item says. */
class NewItemWords extends ItemWords {
  @Text({ nullable: true })
  clientRef?: string | null;

  /** A hint only: the bytes decide. */
  @Text({ nullable: true })
  contentType?: string | null;

  @StringMap()
  metadata?: Record<string, string>;
}

/** An item of a registration; its values are looked at one by one, so that one bad file does not stop the others. */
export class RegistrationItem extends NewItemWords {
  @Text({ required: true })
  filename: string;

  @Decimal({ required: true })
  sizeBytes: number;
}

export class RegistrationBody {
  @ListOf(RegistrationItem, defaultLimits.importBatchSize)
  photos: RegistrationItem[];
}

/** What the `photos` part of a multipart request says of one file; name and size may come from the file. */
export class InlineItem extends NewItemWords {
  @Text()
  filename?: string;

  @Decimal()
  sizeBytes?: number;
}

export class InlineWordsBody {
  @ListOf(InlineItem, defaultLimits.importBatchSize)
  photos: InlineItem[];
}

const kept = 'it is kept by the service.';

export class ImportPhotoPatchBody extends ItemWords {
  static readonly readOnly = {
    id: kept,
    importId: kept,
    clientRef: 'it names the item since its registration.',
    photoId: kept,
    restored: kept,
    contentType: 'it comes from the file.',
    width: 'it comes from the file.',
    height: 'it comes from the file.',
    tags: 'send tagIds or tagNames.',
    error: kept,
    upload: kept,
    createdAt: kept,
    updatedAt: kept,
  };

  @Text()
  filename?: string;

  @Decimal()
  sizeBytes?: number;

  @StringMap({ nulls: true })
  metadata?: Record<string, string | null>;

  @OneOf(['uploaded', 'awaiting_upload', 'cancelled'])
  status?: 'uploaded' | 'awaiting_upload' | 'cancelled';
}
