import { type DuplicatePolicy, MAX_CLIENT_REF, MAX_IMPORT_NAME, MAX_SOURCE } from '../../core/imports/import.js';
import type { ImportPhotoStatus } from '../../core/imports/import-photo.js';
import type { ItemDetails } from '../../core/imports/read.js';
import { parseInstant } from '../../core/media/capture-time.js';
import { type ClientField, clientFields, type DeclaredValues, valuesOf } from '../../core/media/photo-fields.js';
import { MAX_ZONE } from '../../core/media/zones.js';
import { MAX_FILENAME } from '../../core/photos/photo.js';
import type { ItemErrorCode } from '../../core/shared/errors.js';
import { ResponseModel } from '../../http/fields/declared.js';
import {
  Constant,
  Flag,
  IdOf,
  Instant,
  Models,
  Nested,
  OneOf,
  pageOf,
  Reference,
  StringMap,
  Text,
  Texts,
  WholeNumber,
} from '../../http/fields/fields.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';
import { DeclaredFields, FROM_CLIENT, LOCAL_TIME, MetadataMap, Sha256 } from '../photos/photo-fields.js';
import { LocationView } from '../photos/photo-parts.view.js';
import { TagNameView, tagNameView } from '../tags/tag.view.js';

export const Name = () =>
  Text({ description: 'A name for people to read.', example: 'Paris shoot', max: MAX_IMPORT_NAME, nullable: true });

export const Source = () =>
  Text({ description: 'The program that runs the import.', example: 'phs-cli/1.2', max: MAX_SOURCE, nullable: true });

export const ImportRef = () =>
  Text({
    description: 'Your own identifier for the import. Must be unique among open imports. An empty one is none.',
    example: 'laptop:/photos/paris@2026-11-21',
    max: MAX_CLIENT_REF,
    nullable: true,
  });

export const ItemRef = () =>
  Text({
    description:
      'Your own identifier for the file. Must be unique within the import; registering it again returns the same item. An empty one is none.',
    example: '2026/IMG_0001.HEIC',
    max: MAX_CLIENT_REF,
    nullable: true,
  });

export const Duplicates = (options: { readonly default?: DuplicatePolicy } = {}) =>
  OneOf<DuplicatePolicy>(
    {
      skip: 'no photo is created: the item becomes `duplicate` and refers to the existing photo',
      allow: 'a second photo is created',
    },
    { description: 'How to handle a file whose bytes are already in the library.', ...options },
  );

const importFlag =
  (description: string) =>
  (options: { readonly default?: boolean } = {}) =>
    Flag({ description, example: true, ...options });

export const RestoreTrashed = importFlag('Whether to restore a photo from the trash when it is imported again.');

export const TagDuplicates = importFlag(
  'Whether the tags of the import, and those of its items, are also added to photos that the library had already.',
);

export const KeywordsAsTags = importFlag(
  'Whether the keywords in files become tags of their photos. Tags that do not exist are created, which requires `tags:write`. Beyond the limits of tags, keywords are left out.',
);

export const DateFromFilename = importFlag(
  'Whether a photo whose file does not say when it was taken gets the date that its file name states, such as `IMG_20240615_101112.jpg`.',
);

export const DefaultZone = () =>
  Text({
    description: 'The time zone of photos that do not state one: an IANA name or a UTC offset.',
    example: 'Europe/Paris',
    bound: MAX_ZONE,
    nullable: true,
  });

@ResponseModel(
  'UploadTarget',
  'Where to send the bytes. Present only while the item is awaiting them. Send exactly these headers, without your API key. Uploads do not count against any rate limit.',
)
export class UploadTargetView {
  @Constant('PUT', { description: 'Always `PUT`.' })
  method: 'PUT';

  @Texts(undefined, {
    description:
      'How the bytes can be sent: `put`, all in one request, and where it is listed `tus` 1.0, in several requests that continue where the one before was cut off. Unknown values can be added.',
    item: { type: 'string', description: 'A protocol.', examples: ['put'] },
    example: ['put', 'tus'],
  })
  protocols: string[];

  @Text({
    description: 'The URL to upload to, at this service or its object store. Valid for 6 hours and for this item only.',
    example: 'https://photos.example/uploads/WzEsNyw5MDQxOA',
    format: 'uri',
  })
  url: string;

  @StringMap({
    description: 'Headers to send unchanged.',
    schema: {
      additionalProperties: { type: 'string', description: 'The value of the header.', examples: ['2311040'] },
      examples: [{ 'content-length': '2311040' }],
    },
  })
  headers: Record<string, string>;

  @Instant({ description: 'When the URL expires. `GET /imports/{id}?include=photos` returns a new one.' })
  expiresAt: string;
}

const UNTIL_KNOWN = 'Null until known.';
const side = { description: `In pixels, as displayed. ${UNTIL_KNOWN}`, min: 1, nullable: true };

/** The class says nothing of the fields that `DeclaredFields` declares. */
const DeclaredView = class {} as new () => { -readonly [Name in ClientField]: DeclaredValues[Name] };

@DeclaredFields(LocationView)
@ResponseModel('ImportPhoto', 'A file in an import.')
export class ImportPhotoView extends DeclaredView {
  @IdOf({ description: 'The unique identifier of the item, and of the photo it becomes.', example: 90418 })
  id: number;

  @IdOf({ description: 'The import this item belongs to.', example: 7 })
  importId: number;

  @ItemRef()
  clientRef: string | null;

  @OneOf<ImportPhotoStatus>(
    {
      awaiting_upload: 'its bytes have not arrived',
      fetching: 'the service fetches its bytes from the `sourceUrl`',
      processing: 'its bytes are being inspected',
      ready: 'it becomes a photo once the import is finalized',
      imported: 'it is a photo',
      duplicate:
        'its bytes are already in the library or belong to another item; `photoId` is that photo, once it exists',
      failed: 'it could not be imported; `error` says why',
      cancelled: 'it was cancelled',
    },
    { description: 'The state of the item.' },
  )
  status: ImportPhotoStatus;

  @IdOf({ description: 'The photo that the item became or duplicates.', example: 90418, nullable: true })
  photoId: number | null;

  @Flag({ description: 'Whether the import restored a photo from the trash.', example: false })
  restored: boolean;

  @Text({ description: 'The file name of the photo.', example: 'IMG_0001.HEIC', min: 1, max: MAX_FILENAME })
  filename: string;

  @WholeNumber({
    description:
      'The declared size, replaced by the actual size once known. While a file is fetched whose size the source does not state: what is reserved for it.',
    example: 2311040,
    min: 0,
    nullable: true,
  })
  sizeBytes: number | null;

  @Sha256('The declared hash, replaced by the actual hash once known.', { nullable: true })
  sha256: string | null;

  @Text({ description: `Detected from the bytes. ${UNTIL_KNOWN}`, example: 'image/jpeg', nullable: true })
  contentType: string | null;

  @WholeNumber({ ...side, example: 4016 })
  width: number | null;

  @WholeNumber({ ...side, example: 4016 })
  height: number | null;

  @Instant({ description: FROM_CLIENT, example: '2024-12-21T22:39:24.670Z', nullable: true })
  takenAt: string | null;

  @Text({ description: FROM_CLIENT, example: '2024-12-21T23:39:24.670', pattern: LOCAL_TIME, nullable: true })
  takenAtLocal: string | null;

  @Text({ description: FROM_CLIENT, example: 'Europe/Paris', nullable: true })
  timeZone: string | null;

  @MetadataMap()
  metadata: Record<string, string>;

  @Models(TagNameView, { description: 'Tags of this item, in addition to those of the import.' })
  tags: TagNameView[];

  @Reference('ItemError', { description: 'Why the item failed.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;

  @Nested(UploadTargetView, {
    description: 'Where to send the bytes. Null unless the item is awaiting them.',
    nullable: true,
  })
  upload: UploadTargetView | null;

  @Instant({ description: 'When the item was registered.' })
  createdAt: string;

  @Instant({ description: 'When the item was last changed.' })
  updatedAt: string;
}

export const ImportPhotoPage = pageOf(
  'ImportPhotoPage',
  'A page of items, sorted by id. Items are deleted 90 days after their import ends.',
  ImportPhotoView,
);

export function importPhotoView(item: ItemDetails): ImportPhotoView {
  return {
    id: item.id,
    importId: item.importId,
    clientRef: item.clientRef,
    status: item.status,
    photoId: item.photoId,
    restored: item.restored,
    filename: item.filename,
    sizeBytes: item.sizeBytes,
    sha256: item.sha256,
    contentType: item.contentType,
    width: item.width,
    height: item.height,
    ...valuesOf(clientFields, (name) => item[name] as never),
    // Stored with the client's offset, which is the zone of the photo.
    takenAt: item.takenAt && optionalInstant(parseInstant(item.takenAt)),
    takenAtLocal: item.takenAtLocal,
    timeZone: item.timeZone,
    metadata: { ...item.metadata },
    tags: item.tags.map(tagNameView),
    error: item.error && { code: item.error.code, message: item.error.message },
    upload: item.upload && {
      method: 'PUT',
      protocols: item.upload.isResumable ? ['put', 'tus'] : ['put'],
      url: item.upload.url,
      headers: { ...item.upload.headers },
      expiresAt: instant(item.upload.expiresAt),
    },
    createdAt: instant(item.createdAt),
    updatedAt: instant(item.updatedAt),
  };
}
