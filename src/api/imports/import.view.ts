import { type DuplicatePolicy, IDLE_DAYS, type ImportStatus, progress } from '../../core/imports/import.js';
import type { ImportDetails, ItemDetails } from '../../core/imports/read.js';
import type { RegistrationResult, RegistrationResults } from '../../core/imports/register/register.js';
import type { ItemErrorCode } from '../../core/shared/errors.js';
import { ResponseModel } from '../../http/fields/declared.js';
import {
  Count,
  Decimal,
  IdOf,
  Instant,
  Models,
  Nested,
  OneOf,
  Reference,
  WholeNumber,
} from '../../http/fields/fields.js';
import { instant, listView, optionalInstant } from '../../http/responses/reply.js';
import { TagNameView, tagNameView } from '../tags/tag.view.js';
import {
  DateFromFilename,
  DefaultZone,
  Duplicates,
  ImportPhotoPage,
  ImportPhotoView,
  ImportRef,
  importPhotoView,
  KeywordsAsTags,
  Name,
  RestoreTrashed,
  Source,
  TagDuplicates,
} from './import-photo.view.js';

@ResponseModel('ImportCounts', 'The number of items in each state, counted on every request.')
export class ImportCountsView {
  @Count('All items: the sum of the other counts.', 500)
  total: number;

  @Count('Items whose bytes have not arrived.')
  awaitingUpload: number;

  @Count('Items whose bytes the service fetches from another server.')
  fetching: number;

  @Count('Items whose bytes are being inspected.', 12)
  processing: number;

  @Count('Items that become photos once the import is finalized.', 80)
  ready: number;

  @Count('Items that are photos.', 371)
  imported: number;

  @Count('Items whose bytes are already in the library.', 35)
  duplicate: number;

  @Count('Items that could not be imported.', 2)
  failed: number;

  @Count('Items that were cancelled.')
  cancelled: number;
}

@ResponseModel('Import', 'A batch of files on its way into the library.')
export class ImportView {
  @IdOf({ description: 'The unique identifier of the import.', example: 7 })
  id: number;

  @OneOf<ImportStatus>(
    {
      open: 'files can be added',
      processing: 'finalized, with work still to do',
      completed: 'every file is a photo or a duplicate',
      completed_with_errors: 'some files failed; the others are in the library',
      cancelled: 'discarded: nothing was added to the library',
      expired: `unused for ${IDLE_DAYS} days: nothing was added to the library`,
    },
    { description: 'The state of the import. The last four are final.' },
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

  @DateFromFilename()
  dateFromFilename: boolean;

  @TagDuplicates()
  tagDuplicates: boolean;

  @KeywordsAsTags()
  keywordsAsTags: boolean;

  @Models(TagNameView, { description: 'Tags that every new photo gets.' })
  tags: TagNameView[];

  @Nested(ImportCountsView)
  counts: ImportCountsView;

  @Count('The sum of all known file sizes.', 6120331882)
  totalBytes: number;

  @Decimal({ description: 'The share of items that have been processed.', example: 0.816, min: 0, max: 1 })
  progress: number;

  @IdOf({ description: 'The API key that opened the import.', example: 3, nullable: true })
  apiKeyId: number | null;

  @Instant({ description: 'When the import was opened.' })
  createdAt: string;

  @Instant({ description: 'When the import was last changed.' })
  updatedAt: string;

  @Instant({
    description: `When the import expires if it is not used again: ${IDLE_DAYS} days after its last use. Null unless it is open.`,
    nullable: true,
  })
  expiresAt: string | null;

  @Instant({ description: 'When the import was finalized.', nullable: true })
  finalizedAt: string | null;

  @Instant({ description: 'When the import ended.', nullable: true })
  completedAt: string | null;

  @WholeNumber({ description: 'Incremented by every change.', example: 44, min: 1 })
  version: number;

  @Nested(ImportPhotoPage, { sometimes: true })
  photos?: ReturnType<typeof listView<ItemDetails, ImportPhotoView>>;
}

@ResponseModel('RegistrationOutcome', 'The outcome for one file.')
export class RegistrationOutcomeView {
  @WholeNumber({ description: 'The position of the file in the request, starting at 0.', example: 0, min: 0 })
  index: number;

  @OneOf<RegistrationResult['outcome']>(
    {
      created: 'a new item, awaiting its bytes or already holding them',
      existing: 'the item already existed; send its bytes if it has an `upload`',
      duplicate: 'an item that needs no bytes because they are already in the library',
      rejected: 'no item was created; `error` says why',
    },
    { description: 'What happened to the file.' },
  )
  outcome: RegistrationResult['outcome'];

  @Nested(ImportPhotoView, { description: 'The item. Null if the file was rejected.', nullable: true })
  photo: ImportPhotoView | null;

  @Reference('ItemError', { description: 'Why the file was rejected.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('RegistrationOutcomes', 'The outcome for each file, and the import.')
export class RegistrationOutcomesView {
  @Models(RegistrationOutcomeView, { description: 'One outcome per file, in the order of the request.' })
  data: RegistrationOutcomeView[];

  @Nested(ImportView)
  import: ImportView;
}

export function importView(subject: ImportDetails): ImportView {
  const { total, awaitingUpload, fetching, processing, ready, imported, duplicate, failed, cancelled } = subject.counts;
  return {
    id: subject.id,
    status: subject.status,
    name: subject.name,
    source: subject.source,
    clientRef: subject.clientRef,
    duplicatePolicy: subject.duplicatePolicy,
    restoreTrashed: subject.restoreTrashed,
    tagDuplicates: subject.tagDuplicates,
    keywordsAsTags: subject.keywordsAsTags,
    dateFromFilename: subject.dateFromFilename,
    defaultTimeZone: subject.defaultTimeZone,
    tags: subject.tags.map(tagNameView),
    counts: { total, awaitingUpload, fetching, processing, ready, imported, duplicate, failed, cancelled },
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

export function registrationView({ results, import: subject }: RegistrationResults): RegistrationOutcomesView {
  const data = results.map(({ index, outcome, photo, error }) => ({
    index,
    outcome,
    photo: photo && importPhotoView(photo),
    error: error && { code: error.code, message: error.message },
  }));
  return { data, import: importView(subject) };
}
