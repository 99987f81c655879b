import { type DuplicatePolicy, IDLE_DAYS, type ImportStatus, progress } from '../../../core/imports/import.js';
import type { ImportDetails, ItemDetails } from '../../../core/imports/import-details.js';
import type { ImportPhotoStatus } from '../../../core/imports/import-photo.js';
import type { RegistrationResult, RegistrationResults } from '../../../core/imports/register-photos.js';
import type { UploadTarget } from '../../../core/imports/upload-target.js';
import { parseInstant } from '../../../core/media/capture-time.js';
import { MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_FILENAME, MAX_TITLE } from '../../../core/photos/photo-values.js';
import type { ItemErrorCode } from '../../../core/shared/errors.js';
import type { Page } from '../../../core/shared/pagination.js';
import { ResponseModel } from '../../fields/declared.js';
import {
  Constant,
  Decimal,
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
import { listView, TagNameView, tagNameView } from '../tags/tag.view.js';
import { DefaultZone, Duplicates, ImportRef, ItemRef, Name, RestoreTrashed, Source } from './import-fields.js';

const Count = (description: string, example = 0) => WholeNumber({ description, example, min: 0 });

@ResponseModel('ImportCounts', 'Its items by state. Counted anew at each look.')
export class ImportCountsView {
  @Count('All items: the sum of the others.', 500)
  total: number;

  @Count('Their bytes have not come.')
  awaitingUpload: number;

  @Count('Their bytes are being looked at.', 12)
  processing: number;

  @Count('They will be photos once the import is finalized.', 80)
  ready: number;

  @Count('They are photos.', 371)
  imported: number;

  @Count('Their bytes are in the library already.', 35)
  duplicate: number;

  @Count('They came to nothing; each says why.', 2)
  failed: number;

  @Count('They were given up.')
  cancelled: number;
}

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
@ResponseModel('Import', 'A batch of files on its way into the library.')
export class ImportView {
  @IdOf({ description: 'Of the import.', example: 7 })
  id: number;

  @OneOf<ImportStatus>(
    {
      open: 'photos can be added',
      processing: 'finalized, and not done with yet',
      completed: 'every file is a photo or a duplicate',
      completed_with_errors: 'some files failed, the others are there',
      cancelled: 'discarded: nothing of it came into the library',
      expired: `nobody used it for ${IDLE_DAYS} days: nothing of it came into the library`,
    },
    { description: 'Where it stands. The last four are ends.' },
  )
  status: ImportStatus;

  @Name()
  name: string | null;

  @Source()
  source: string | null;

  @ImportRef()
  clientRef: string | null;

  @Duplicates()
  duplicatePolicy: DuplicatePolicy;

  @RestoreTrashed()
  restoreTrashed: boolean;

  @DefaultZone()
  defaultTimeZone: string | null;

  @Models(TagNameView, { description: 'Given to every new photo.' })
  tags: TagNameView[];

  @Nested(ImportCountsView)
  counts: ImportCountsView;

  @Count('Sum of the sizes that are known.', 6120331882)
  totalBytes: number;

  @Decimal({ description: 'Share of the items that are done with.', example: 0.816, min: 0, max: 1 })
  progress: number;

  @IdOf({ description: 'The key that opened it.', example: 3, nullable: true })
  apiKeyId: number | null;

  @Instant({ description: 'When it was opened.' })
  createdAt: string;

  @Instant({ description: 'When it was last changed.' })
  updatedAt: string;

  @Instant({
    description: `When it will be \`expired\` if nobody uses it: ${IDLE_DAYS} days after the last use; null once it is not open.`,
    nullable: true,
  })
  expiresAt: string | null;

  @Instant({ description: 'When it was finalized.', nullable: true })
  finalizedAt: string | null;

  @Instant({ description: 'When it ended.', nullable: true })
  completedAt: string | null;

  @WholeNumber({ description: 'Counts its changes.', example: 44, min: 1 })
  version: number;

  @Reference('ImportPhotoPage', { sometimes: true })
  photos?: ReturnType<typeof listView<ItemDetails, ImportPhotoView>>;
}

@ResponseModel('RegistrationOutcome', 'What became of one file.')
export class RegistrationOutcomeView {
  @WholeNumber({ description: 'Its place in the request, from 0.', example: 0, min: 0 })
  index: number;

  @OneOf<RegistrationResult['outcome']>(
    {
      created: 'an item that waits for bytes, or has them',
      existing: 'the item was there: send its bytes if it has an `upload`',
      duplicate: 'an item that needs no bytes: they are here already',
      rejected: 'nothing; `error` says why',
    },
    { description: 'What became of it.' },
  )
  outcome: RegistrationResult['outcome'];

  @Nested(ImportPhotoView, { description: 'The item; null when it was rejected.', nullable: true })
  photo: ImportPhotoView | null;

  @Reference('ItemError', { description: 'Why it was rejected.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('RegistrationOutcomes', 'What became of each file, and the import with them.')
export class RegistrationOutcomesView {
  @Models(RegistrationOutcomeView, { description: 'One for each, in the order of the request.' })
  data: RegistrationOutcomeView[];

  @Nested(ImportView)
  import: ImportView;
}

export function importView(subject: ImportDetails): ImportView {
  const { counts } = subject;
  return {
    id: subject.id,
    status: subject.status,
    name: subject.name,
    source: subject.source,
    clientRef: subject.clientRef,
    duplicatePolicy: subject.duplicatePolicy,
    restoreTrashed: subject.restoreTrashed,
    defaultTimeZone: subject.defaultTimeZone,
    tags: subject.tags.map(tagNameView),
    counts: {
      total: counts.total,
      awaitingUpload: counts.awaitingUpload,
      processing: counts.processing,
      ready: counts.ready,
      imported: counts.imported,
      duplicate: counts.duplicate,
      failed: counts.failed,
      cancelled: counts.cancelled,
    },
    totalBytes: subject.totalBytes,
    progress: progress(subject),
    apiKeyId: subject.apiKeyId,
    createdAt: instant(subject.createdAt),
    updatedAt: instant(subject.updatedAt),
    expiresAt: optionalInstant(subject.expiresAt),
    finalizedAt: optionalInstant(subject.finalizedAt),
    completedAt: optionalInstant(subject.completedAt),
    version: subject.version,
  };
}

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

export function importWithPhotos(subject: ImportDetails, page: Page<ItemDetails>): ImportView {
  return { ...importView(subject), photos: listView(page, importPhotoView) };
}

export function registrationView({ results, import: subject }: RegistrationResults): RegistrationOutcomesView {
  return { data: results.map(resultView), import: importView(subject) };
}

function resultView({ index, outcome, photo, error }: RegistrationResult): RegistrationOutcomeView {
  return {
    index,
    outcome,
    photo: photo && importPhotoView(photo),
    error: error && { code: error.code, message: error.message },
  };
}

function uploadView({ method, url, headers, expiresAt }: UploadTarget): UploadTargetView {
  return { method, url, headers: { ...headers }, expiresAt: instant(expiresAt) };
}
