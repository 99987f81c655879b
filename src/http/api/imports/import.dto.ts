import { defaultLimits } from '../../../core/customers/limits.js';
import { creationErrors } from '../../../core/imports/create-import.js';
import type { ImportPhotoStatus } from '../../../core/imports/import-photo.js';
import { patchErrors } from '../../../core/imports/import-photo-patch.js';
import type { ItemListRequest } from '../../../core/imports/read-import.js';
import { Decimal, Flag, ListOf, OneOf, StringMap, Text } from '../../fields/fields.js';
import type { BodyContext } from '../../requests/json-body.js';
import { paginationOf, paginationParameters, type QueryOf, someOf } from '../../requests/parameters.js';
import type { ParameterRule } from '../../requests/read-request.js';
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

export const importParameters = { ...paginationParameters, include: someOf(['photos']), photoStatus: someOf(statuses) };

/** Its page of items has its own parameters. */
export const importRule: ParameterRule<QueryOf<typeof importParameters>> = (_, { sent }) => {
  if (sent.has('include')) return [];
  return (['limit', 'cursor', 'photoStatus'] as const)
    .filter((name) => sent.has(name))
    .map((field) => {
      return { field, code: 'unknown_parameter', message: `${field} is known only together with include=photos.` };
    });
};

/** The requested page of items; null without `include=photos`. */
export function itemListRequest(query: QueryOf<typeof importParameters>): ItemListRequest | null {
  const { include, photoStatus } = query;
  return include ? { ...paginationOf(query), ...(photoStatus && { statuses: photoStatus }) } : null;
}

export class ImportCreationBody {
  static readonly valueErrors = creationErrors;

  @Text({ nullable: true })
  name?: string | null;

  @Text({ nullable: true })
  source?: string | null;

  @Text({ nullable: true })
  clientRef?: string | null;

  @OneOf({ skip: '', allow: '' })
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
  @OneOf({ commit: '', discard: '' })
  action?: 'commit' | 'discard';

  @OneOf({ reject: '', fail: '' })
  missingUploads?: 'reject' | 'fail';
}

/** The input for any item; null is "take it from the file". */
class ItemFields extends DescriptiveBody {
  @Text({ nullable: true })
  sha256?: string | null;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

/** Fields that only the registration of an item has. */
class NewItemFields extends ItemFields {
  @Text({ nullable: true })
  clientRef?: string | null;

  /** A hint only: the bytes decide. */
  @Text({ nullable: true })
  contentType?: string | null;

  @StringMap()
  metadata?: Record<string, string>;
}

/** An item of a registration; items are validated one by one, so that one bad file does not stop the others. */
export class RegistrationItem extends NewItemFields {
  @Text({ required: true })
  filename: string;

  @Decimal({ required: true })
  sizeBytes: number;
}

export class RegistrationBody {
  @ListOf(RegistrationItem, defaultLimits.importBatchSize)
  photos: RegistrationItem[];
}

/** The entry for one file in the `photos` part of a multipart request; name and size may come from the file. */
export class InlineItem extends NewItemFields {
  @Text()
  filename?: string;

  @Decimal()
  sizeBytes?: number;
}

export class InlineInputBody {
  @ListOf(InlineItem, defaultLimits.importBatchSize)
  photos: InlineItem[];
}

const kept = 'it is kept by the service.';

export class ImportPhotoPatchBody extends ItemFields {
  static readonly valueErrors = (body: ImportPhotoPatchBody, { limits }: BodyContext) => patchErrors(body, limits);

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

  @OneOf({ uploaded: '', awaiting_upload: '', cancelled: '' })
  status?: 'uploaded' | 'awaiting_upload' | 'cancelled';
}
