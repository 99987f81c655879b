import type { ItemDetails } from '../../../core/imports/import-details.js';
import type { ImportPhotoStatus } from '../../../core/imports/import-photo.js';
import type { UploadTarget } from '../../../core/imports/upload-target.js';
import { parseInstant } from '../../../core/media/capture-time.js';
import { MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_FILENAME, MAX_TITLE } from '../../../core/photos/photo-values.js';
import type { ItemErrorCode } from '../../../core/shared/errors.js';
import { ResponseModel } from '../../fields/declared.js';
import {
  Constant,
  Flag,
  IdOf,
  Instant,
  Models,
  Nested,
  OneOf,
  Reference,
  StringMap,
  Text,
  WholeNumber,
} from '../../fields/fields.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { LOCAL_TIME, MetadataMap, Rating, Sha256 } from '../photos/photo-fields.js';
import { LocationView, locationView } from '../photos/photo-parts.view.js';
import { TagNameView, tagNameView } from '../tags/tag.view.js';
import { ItemRef } from './import-fields.js';

@ResponseModel(
  'UploadTarget',
  'Where the bytes go; only while they are awaited. Send them with exactly these headers and without your key. Costs no budget.',
)
export class UploadTargetView {
  @Constant('PUT', { description: 'Always this.' })
  method: 'PUT';

  @Text({
    description: 'Of this service, or of its store. Good for 6 hours and this item alone.',
    example: 'https://photos.example/uploads/WzEsNyw5MDQxOA',
    format: 'uri',
  })
  url: string;

  @StringMap({
    description: 'To be sent as they are.',
    schema: {
      additionalProperties: { type: 'string', description: 'A value.', examples: ['2311040'] },
      examples: [{ 'content-length': '2311040' }],
    },
  })
  headers: Record<string, string>;

  @Instant({ description: 'When it stops working. `GET /imports/{id}?include=photos` gives a fresh one.' })
  expiresAt: string;
}

const UNTIL_KNOWN = 'Null until it is known.';
const FROM_CLIENT = 'What you said; null: taken from the file.';
const side = { description: `In pixels, as shown. ${UNTIL_KNOWN}`, min: 1, nullable: true };

/** API.md §5.4. */
@ResponseModel('ImportPhoto', 'One file of an import.')
export class ImportPhotoView {
  @IdOf({ description: 'Of the item, and of the photo that it will be.', example: 90418 })
  id: number;

  @IdOf({ description: 'Of the import.', example: 7 })
  importId: number;

  @ItemRef()
  clientRef: string | null;

  @OneOf<ImportPhotoStatus>(
    {
      awaiting_upload: 'its bytes have not come',
      processing: 'its bytes are being looked at',
      ready: 'it will be a photo once the import is finalized',
      imported: 'it is a photo',
      duplicate:
        'its bytes are in the library already, or come with another item; `photoId` names the photo once there is one',
      failed: 'it came to nothing; `error` says why',
      cancelled: 'it was given up',
    },
    { description: 'Where it stands.' },
  )
  status: ImportPhotoStatus;

  @IdOf({ description: 'The photo that it is, or is a duplicate of.', example: 90418, nullable: true })
  photoId: number | null;

  @Flag({ description: 'Whether it brought a photo back from the trash.', example: false })
  restored: boolean;

  @Text({ description: 'Of the photo to come.', example: 'IMG_0001.HEIC', min: 1, max: MAX_FILENAME })
  filename: string;

  @WholeNumber({ description: 'As declared, later as it is.', example: 2311040, min: 0, nullable: true })
  sizeBytes: number | null;

  @Sha256('As declared, later as it is.', { nullable: true })
  sha256: string | null;

  @Text({ description: `Found in the bytes. ${UNTIL_KNOWN}`, example: 'image/jpeg', nullable: true })
  contentType: string | null;

  @WholeNumber({ ...side, example: 4016 })
  width: number | null;

  @WholeNumber({ ...side, example: 4016 })
  height: number | null;

  @Text({ description: FROM_CLIENT, example: 'Eiffel Tower', max: MAX_TITLE, nullable: true })
  title: string | null;

  @Text({ description: FROM_CLIENT, example: 'From the Trocadéro.', max: MAX_DESCRIPTION, nullable: true })
  description: string | null;

  @Instant({ description: FROM_CLIENT, example: '2024-12-21T22:39:24.670Z', nullable: true })
  takenAt: string | null;

  @Text({ description: FROM_CLIENT, example: '2024-12-21T23:39:24.670', pattern: LOCAL_TIME, nullable: true })
  takenAtLocal: string | null;

  @Text({ description: FROM_CLIENT, example: 'Europe/Paris', nullable: true })
  timeZone: string | null;

  @Nested(LocationView, { description: FROM_CLIENT, nullable: true })
  location: LocationView | null;

  @Rating(FROM_CLIENT)
  rating: number | null;

  @Text({ description: 'Your own id of the photo.', example: 'shoot-17/3701', max: MAX_EXTERNAL_ID, nullable: true })
  externalId: string | null;

  @MetadataMap()
  metadata: Record<string, string>;

  @Models(TagNameView, { description: 'Beside those of the import.' })
  tags: TagNameView[];

  @Reference('ItemError', { description: 'Why it failed.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;

  @Nested(UploadTargetView, { description: 'Where its bytes go; only while they are awaited.', nullable: true })
  upload: UploadTargetView | null;

  @Instant({ description: 'When it was registered.' })
  createdAt: string;

  @Instant({ description: 'When it was last changed.' })
  updatedAt: string;
}

/** API.md §5.3. */
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
    title: item.title,
    description: item.description,
    // Stored with the client's offset, which is the zone of the photo.
    takenAt: item.takenAt && optionalInstant(parseInstant(item.takenAt)),
    takenAtLocal: item.takenAtLocal,
    timeZone: item.timeZone,
    location: locationView(item.location),
    rating: item.rating,
    externalId: item.externalId,
    metadata: { ...item.metadata },
    tags: item.tags.map(tagNameView),
    error: item.error && { code: item.error.code, message: item.error.message },
    upload: item.upload && uploadView(item.upload),
    createdAt: instant(item.createdAt),
    updatedAt: instant(item.updatedAt),
  };
}

function uploadView({ method, url, headers, expiresAt }: UploadTarget): UploadTargetView {
  return { method, url, headers: { ...headers }, expiresAt: instant(expiresAt) };
}
