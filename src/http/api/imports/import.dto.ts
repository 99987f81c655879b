import { defaultLimits } from '../../../core/customers/limits.js';
import { creationErrors } from '../../../core/imports/create-import.js';
import type { DuplicatePolicy } from '../../../core/imports/import.js';
import { type ImportPhotoStatus, importPhotoTransitions } from '../../../core/imports/import-photo.js';
import { patchErrors } from '../../../core/imports/import-photo-patch.js';
import type { ItemListRequest } from '../../../core/imports/read-import.js';
import { RequestModel } from '../../fields/declared.js';
import { ListOf, OneOf, Text, WholeNumber } from '../../fields/fields.js';
import type { BodyContext } from '../../requests/json-body.js';
import { PaginationQuery, Parameter, paginationOf, someOf } from '../../requests/parameters.js';
import type { ParameterRule } from '../../requests/read-request.js';
import { DescriptiveBody } from '../photos/descriptive.dto.js';
import { filename, MetadataMap, MetadataPatch, PhotoTagIds, PhotoTagNames } from '../photos/photo-fields.js';
import { DefaultZone, Duplicates, ImportRef, ItemRef, Name, RestoreTrashed, Source } from './import-fields.js';

const statuses = Object.keys(importPhotoTransitions) as ImportPhotoStatus[];

export class ImportQuery extends PaginationQuery {
  @Parameter(someOf(['photos']), {
    description: '`photos`: a page of items. `limit`, `cursor` and `photoStatus` go only with it.',
    example: ['photos'],
  })
  readonly include?: readonly 'photos'[];

  @Parameter(someOf(statuses), {
    description: 'Items in these states, with commas between.',
    example: ['failed', 'awaiting_upload'],
  })
  readonly photoStatus?: readonly ImportPhotoStatus[];
}

/** Its page of items has its own parameters. */
export const importRule: ParameterRule<ImportQuery> = (_, { sent }) => {
  if (sent.has('include')) return [];
  return (['limit', 'cursor', 'photoStatus'] as const)
    .filter((name) => sent.has(name))
    .map((field) => {
      return { field, code: 'unknown_parameter', message: `${field} is known only together with include=photos.` };
    });
};

/** The requested page of items; null without `include=photos`. */
export function itemListRequest(query: ImportQuery): ItemListRequest | null {
  const { include, photoStatus } = query;
  return include ? { ...paginationOf(query), ...(photoStatus && { statuses: photoStatus }) } : null;
}

@RequestModel('NewImport', 'How to begin.')
export class ImportCreationBody {
  static readonly valueErrors = creationErrors;

  @Name()
  name?: string | null;

  @Source()
  source?: string | null;

  @ImportRef()
  clientRef?: string | null;

  @Duplicates({ default: 'skip' })
  duplicatePolicy?: DuplicatePolicy;

  @RestoreTrashed({ default: true })
  restoreTrashed?: boolean;

  @DefaultZone()
  defaultTimeZone?: string | null;

  @PhotoTagIds('Tags that every new photo gets, by id.')
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

@RequestModel('Finalization', 'How to end.')
export class FinalizationBody {
  @OneOf(
    { commit: 'its sound files become photos', discard: 'nothing of it comes into the library' },
    { description: 'What is to become of the import.', default: 'commit' },
  )
  action?: 'commit' | 'discard';

  @OneOf(
    { reject: '409 `uploads_incomplete`, and the import stays open', fail: 'those items fail (`upload_missing`)' },
    { description: 'What is to be done when bytes are missing.', default: 'reject' },
  )
  missingUploads?: 'reject' | 'fail';
}

/** The input for any item; null is "take it from the file". */
class ItemFields extends DescriptiveBody {
  @Text({
    description: 'SHA-256 of the bytes, in hex or base64. With it a file that is there already need not be sent.',
    example: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
    pattern: '^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$',
    nullable: true,
  })
  sha256?: string | null;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

/** Fields that only the registration of an item has. */
class NewItemFields extends ItemFields {
  @ItemRef()
  clientRef?: string | null;

  @Text({ description: 'A hint and no more: the bytes decide.', example: 'image/jpeg', nullable: true })
  contentType?: string | null;

  @MetadataMap()
  metadata?: Record<string, string>;
}

const DeclaredSize = (required: boolean) =>
  WholeNumber({
    description: `Bytes of the file, at most \`limits.maxFileBytes\` (${defaultLimits.maxFileBytes} unless the operator says otherwise).`,
    example: 2311040,
    min: 1,
    required,
  });

/** An item of a registration; items are validated one by one, so that one bad file does not stop the others. */
@RequestModel('NewImportPhoto', 'A file to come.')
export class RegistrationItem extends NewItemFields {
  @Text({ ...filename, required: true })
  filename: string;

  @DeclaredSize(true)
  sizeBytes: number;
}

@RequestModel('Registration', 'Files to come.')
export class RegistrationBody {
  @ListOf(RegistrationItem, defaultLimits.importBatchSize, { description: 'In any order.' })
  photos: RegistrationItem[];
}

/** The entry for one file in the `photos` part of a multipart request; name and size may come from the file. */
@RequestModel(
  'InlineImportPhoto',
  'What there is to say of a file of this request; its name and size are known without.',
)
export class InlineItem extends NewItemFields {
  @Text(filename)
  filename?: string;

  @DeclaredSize(false)
  sizeBytes?: number;
}

export class InlineInputBody {
  @ListOf(InlineItem, defaultLimits.importBatchSize)
  photos: InlineItem[];
}

const kept = 'it is kept by the service.';

@RequestModel('ImportPhotoPatch', 'What is to change. What is left out stays; null: taken from the file.')
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

  @Text(filename)
  filename?: string;

  @WholeNumber({ description: 'Another size, while bytes are awaited or it has failed.', example: 2311040, min: 1 })
  sizeBytes?: number;

  @MetadataPatch()
  metadata?: Record<string, string | null>;

  @OneOf(
    {
      uploaded: 'the bytes are there: look now',
      awaiting_upload: 'a failed one gets another try, a waiting one a fresh address',
      cancelled: 'it is given up',
    },
    { description: 'What is to become of it.' },
  )
  status?: 'uploaded' | 'awaiting_upload' | 'cancelled';
}
