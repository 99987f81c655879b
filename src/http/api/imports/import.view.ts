import { type DuplicatePolicy, IDLE_DAYS, type ImportStatus, progress } from '../../../core/imports/import.js';
import type { ImportDetails, ItemDetails } from '../../../core/imports/import-details.js';
import type { RegistrationResult, RegistrationResults } from '../../../core/imports/register-photos.js';
import type { ItemErrorCode } from '../../../core/shared/errors.js';
import type { Page } from '../../../core/shared/pagination.js';
import { ResponseModel } from '../../fields/declared.js';
import { Decimal, IdOf, Instant, Models, Nested, OneOf, Reference, WholeNumber } from '../../fields/fields.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { listView, TagNameView, tagNameView } from '../tags/tag.view.js';
import { DefaultZone, Duplicates, ImportRef, Name, RestoreTrashed, Source } from './import-fields.js';
import { ImportPhotoView, importPhotoView } from './import-photo.view.js';

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
