import { MAX_URL_LENGTH } from '../../core/access/outgoing-url.js';
import { defaultLimits } from '../../core/customers/limits.js';
import { creationErrors } from '../../core/imports/create.js';
import { itemPatchErrors } from '../../core/imports/edit-item.js';
import type { DuplicatePolicy } from '../../core/imports/import.js';
import { type ImportPhotoStatus, importPhotoTransitions } from '../../core/imports/import-photo.js';
import { declareField, RequestModel } from '../../http/fields/declared.js';
import { ListOf, OneOf, Text, WholeNumber } from '../../http/fields/fields.js';
import type { BodyContext } from '../../http/requests/json-body.js';
import { PaginationQuery, Parameter, someOf } from '../../http/requests/parameters.js';
import type { ParameterRule } from '../../http/requests/read-request.js';
import {
  DescriptiveBody,
  filename,
  GivenFields,
  MetadataMap,
  MetadataPatch,
  PhotoTagIds,
  PhotoTagNames,
} from '../photos/photo-fields.js';
import {
  DateFromFilename,
  DefaultZone,
  Duplicates,
  ImportRef,
  ItemRef,
  KeywordsAsTags,
  Name,
  RestoreTrashed,
  Source,
  TagDuplicates,
} from './import-photo.view.js';

const statuses = Object.keys(importPhotoTransitions) as ImportPhotoStatus[];

export class ImportQuery extends PaginationQuery {
  @Parameter(someOf(['photos']), {
    description: '`photos` adds a page of items. `limit`, `cursor` and `photoStatus` require it.',
    example: ['photos'],
  })
  readonly include?: readonly 'photos'[];

  @Parameter(someOf(statuses), {
    description: 'Return only items in these states, separated by commas.',
    example: ['failed', 'awaiting_upload'],
  })
  readonly photoStatus?: readonly ImportPhotoStatus[];
}

/** Its page of items has its own parameters. */
export const importRule: ParameterRule<ImportQuery> = (_, { sent }) => {
  if (sent.has('include')) return [];
  return ['limit', 'cursor', 'photoStatus']
    .filter((name) => sent.has(name))
    .map((field) => ({ field, code: 'unknown_parameter', message: `${field} requires include=photos.` }));
};

@RequestModel('NewImport', 'The settings of a new import.')
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

  @DateFromFilename({ default: false })
  dateFromFilename?: boolean;

  @TagDuplicates({ default: false })
  tagDuplicates?: boolean;

  @KeywordsAsTags({ default: false })
  keywordsAsTags?: boolean;

  @PhotoTagIds('The ids of tags to add to every new photo.')
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

@RequestModel('Finalization', 'How to finalize the import.')
export class FinalizationBody {
  @OneOf(
    { commit: 'import every valid file', discard: 'import nothing' },
    { description: 'What to do with the import.', default: 'commit' },
  )
  action?: 'commit' | 'discard';

  @OneOf(
    {
      reject: 'return 409 `uploads_incomplete` and leave the import open',
      fail: 'mark those items as failed (`upload_missing`)',
    },
    { description: 'What to do about items whose bytes have not arrived.', default: 'reject' },
  )
  missingUploads?: 'reject' | 'fail';
}

/** The input for any item; null is "take it from the file". */
@GivenFields({ nullable: true })
class ItemFields extends DescriptiveBody {
  @Text({
    description:
      'The SHA-256 of the file, in hex or base64. If you send it, a file that is already in the library need not be uploaded.',
    example: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
    pattern: '^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$',
    bound: 64,
    nullable: true,
  })
  sha256?: string | null;

  @PhotoTagIds()
  tagIds?: number[];

  @PhotoTagNames()
  tagNames?: string[];
}

class NewItemFields extends ItemFields {
  @ItemRef()
  clientRef?: string | null;

  @Text({
    description: 'A hint only: the type is detected from the bytes.',
    example: 'image/jpeg',
    bound: 255,
    nullable: true,
  })
  contentType?: string | null;

  @MetadataMap()
  metadata?: Record<string, string>;
}

const SIZE = `The size of the file in bytes, at most \`limits.maxFileBytes\` (${defaultLimits.maxFileBytes} by default).`;
const size = { example: 2311040, min: 1 };

/** An item of a registration; items are validated one by one, so that one bad file does not stop the others. */
@RequestModel('NewImportPhoto', 'A file to upload, or to fetch from another server.')
export class RegistrationItem extends NewItemFields {
  @Text({ ...filename, required: true })
  filename: string;

  @WholeNumber({
    ...size,
    description: `${SIZE} Required unless there is a \`sourceUrl\`; then the source must have a file of this size.`,
    requiredWithout: 'sourceUrl',
  })
  sizeBytes?: number;

  @Text({
    description:
      'Where the service fetches the file: an `https` URL without a user name, password or fragment, whose host has public addresses only. The item is `fetching` and needs no upload. The URL is stored encrypted and never returned, because its query can be a secret.',
    example: 'https://media.example/IMG_0001.HEIC?signature=b64',
    format: 'uri',
    max: MAX_URL_LENGTH,
    nullable: true,
  })
  sourceUrl?: string | null;
}

@RequestModel('Registration', 'The files to register.')
export class RegistrationBody {
  @ListOf(RegistrationItem, defaultLimits.importBatchSize, { description: 'The files, in any order.' })
  photos: RegistrationItem[];
}

/** The entry for one file in the `photos` part of a multipart request; name and size may come from the file. */
@RequestModel(
  'InlineImportPhoto',
  'Details of a file sent in the same request. Its name and size are taken from the file.',
)
export class InlineItem extends NewItemFields {
  @Text(filename)
  filename?: string;

  @WholeNumber({ ...size, description: SIZE })
  sizeBytes?: number;
}

/** A multipart body. It is read as a stream, not into this class, which only the document refers to, by its name. */
@RequestModel('InlineFiles', 'Files, and optionally their details.')
export class InlineFiles {
  @declareField({
    description: 'Optional. Must be the first part, with one entry per file in the same order.',
    model: InlineItem,
    isList: true,
    minItems: 1,
    maxItems: defaultLimits.importBatchSize,
  })
  photos?: InlineItem[];

  @declareField({
    type: 'array',
    description: `The files, each in a part named \`file\` with a UTF-8 file name; at most \`limits.inlineMaxFiles\` (${defaultLimits.inlineMaxFiles}) files and \`limits.inlineMaxBytes\` (${defaultLimits.inlineMaxBytes}) bytes.`,
    items: { type: 'string', format: 'binary' },
    minItems: 1,
    required: true,
  })
  file: unknown[];
}

export class InlineInputBody {
  @ListOf(InlineItem, defaultLimits.importBatchSize)
  photos: InlineItem[];
}

const maintained = 'it is maintained by the service.';

@RequestModel(
  'ImportPhotoPatch',
  'The values to change. Omitted fields keep their value; null takes the value from the file.',
)
export class ImportPhotoPatchBody extends ItemFields {
  static readonly valueErrors = (body: ImportPhotoPatchBody, { limits }: BodyContext) => itemPatchErrors(body, limits);

  static readonly readOnly = {
    id: maintained,
    importId: maintained,
    clientRef: 'it identifies the item from its registration on.',
    photoId: maintained,
    restored: maintained,
    contentType: 'it is read from the file.',
    width: 'it is read from the file.',
    height: 'it is read from the file.',
    tags: 'send tagIds or tagNames.',
    error: maintained,
    upload: maintained,
    sourceUrl: 'register the file again to fetch it from another URL.',
    createdAt: maintained,
    updatedAt: maintained,
  };

  @Text(filename)
  filename?: string;

  @WholeNumber({
    description: 'The new size, while the item is awaiting its bytes or has failed.',
    example: 2311040,
    min: 1,
  })
  sizeBytes?: number;

  @MetadataPatch()
  metadata?: Record<string, string | null>;

  @OneOf(
    {
      uploaded: 'the bytes have been sent: inspect them now',
      awaiting_upload: 'retry a failed item, or get a new upload URL for a waiting one',
      cancelled: 'cancel the item',
    },
    { description: 'The state to move the item to.' },
  )
  status?: 'uploaded' | 'awaiting_upload' | 'cancelled';
}
