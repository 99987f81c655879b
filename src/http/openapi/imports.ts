import { defaultLimits } from '../../core/customers/limits.js';
import { type DuplicatePolicy, IDLE_DAYS, type ImportStatus } from '../../core/imports/import.js';
import type { ImportPhotoStatus } from '../../core/imports/import-photo.js';
import type { RegistrationResult } from '../../core/imports/register-photos.js';
import type {
  FinalizationBody,
  ImportCreationBody,
  ImportPhotoPatchBody,
  InlineItem,
  RegistrationBody,
  RegistrationItem,
} from '../api/imports/import.dto.js';
import type { importPhotoView, importView, importWithPhotos, registrationView } from '../api/imports/import.view.js';
import { filename, LOCAL_TIME, metadata, metadataPatch, photoInputFields, tagIds, tagNames } from './descriptive.js';
import { contentType, sha256, side } from './photos.js';
import {
  answer,
  body,
  decimal,
  flag,
  id,
  instant,
  listOf,
  listSchema,
  mapOf,
  oneOf,
  orNull,
  ref,
  type Schema,
  text,
  whole,
} from './schema.js';

type ImportAnswer = ReturnType<typeof importView>;
type ItemAnswer = ReturnType<typeof importPhotoView>;
type Registration = ReturnType<typeof registrationView>;

const { importBatchSize } = defaultLimits;
const number = (what: string, example = 0): Schema => whole(what, example, { minimum: 0 });
const name = orNull(text('For people.', 'Paris shoot', { maxLength: 200 }));
const source = orNull(text('The program that imports.', 'phs-cli/1.2', { maxLength: 100 }));
const importRef = orNull(
  text('Your own id of it, unique among open imports.', 'laptop:/photos/paris@2026-11-21', { maxLength: 255 }),
);
const clientRef = orNull(
  text('Your own id of the file, unique in the import: registered again, it is the same item.', '2026/IMG_0001.HEIC', {
    maxLength: 255,
  }),
);
const duplicatePolicy = oneOf<DuplicatePolicy>('What becomes of a file whose bytes are in the library already.', {
  skip: 'nothing: its item is `duplicate`, and names that photo',
  allow: 'it becomes a second photo',
});
const restoreTrashed = flag('Whether a photo in the trash that is imported again is brought back.', true);
const zone = orNull(text('Zone of photos that say nothing of theirs: an IANA name or an offset.', 'Europe/Paris'));

const importFields = {
  id: id('Of the import.', 7),
  status: oneOf<ImportStatus>('Where it stands. The last four are ends.', {
    open: 'photos can be added',
    processing: 'finalized, and not done with yet',
    completed: 'every file is a photo or a duplicate',
    completed_with_errors: 'some files failed, the others are there',
    cancelled: 'discarded: nothing of it came into the library',
    expired: `nobody used it for ${IDLE_DAYS} days: nothing of it came into the library`,
  }),
  name,
  source,
  clientRef: importRef,
  duplicatePolicy,
  restoreTrashed,
  defaultTimeZone: zone,
  tags: listOf('Given to every new photo.', ref('TagName')),
  counts: ref('ImportCounts'),
  totalBytes: number('Sum of the sizes that are known.', 6120331882),
  progress: decimal('Share of the items that are done with.', 0.816, { minimum: 0, maximum: 1 }),
  apiKeyId: orNull(id('The key that opened it.', 3)),
  createdAt: instant('When it was opened.'),
  updatedAt: instant('When it was last changed.'),
  expiresAt: orNull(
    instant(
      `When it will be \`expired\` if nobody uses it: ${IDLE_DAYS} days after the last use; null once it is not open.`,
    ),
  ),
  finalizedAt: orNull(instant('When it was finalized.')),
  completedAt: orNull(instant('When it ended.')),
  version: whole('Counts its changes.', 44, { minimum: 1 }),
} as const;

/** What is told of an item that waits, and null ever after. */
const untilKnown = 'Null until it is known.';

const newItem = {
  ...photoInputFields,
  sha256: orNull(
    text(
      'SHA-256 of the bytes, in hex or base64. With it a file that is there already need not be sent.',
      'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
      {
        pattern: '^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$',
      },
    ),
  ),
  tagIds,
  tagNames,
};
const registered = {
  ...newItem,
  clientRef,
  contentType: orNull(text('A hint and no more: the bytes decide.', 'image/jpeg')),
  metadata,
  filename,
  sizeBytes: whole(
    `Bytes of the file, at most \`limits.maxFileBytes\` (${defaultLimits.maxFileBytes} unless the operator says otherwise).`,
    2311040,
    { minimum: 1 },
  ),
};

export const importSchemas: Readonly<Record<string, Schema>> = {
  Import: answer<ReturnType<typeof importWithPhotos>>(
    'A batch of files on its way into the library.',
    { ...importFields, photos: ref('ImportPhotoPage') },
    { sometimes: ['photos'] },
  ),
  ImportCounts: answer<ImportAnswer['counts']>('Its items by state. Counted anew at each look.', {
    total: number('All items: the sum of the others.', 500),
    awaitingUpload: number('Their bytes have not come.', 0),
    processing: number('Their bytes are being looked at.', 12),
    ready: number('They will be photos once the import is finalized.', 80),
    imported: number('They are photos.', 371),
    duplicate: number('Their bytes are in the library already.', 35),
    failed: number('They came to nothing; each says why.', 2),
    cancelled: number('They were given up.', 0),
  }),
  ImportPhoto: answer<ItemAnswer>('One file of an import.', {
    id: id('Of the item, and of the photo that it will be.', 90418),
    importId: id('Of the import.', 7),
    clientRef,
    status: oneOf<ImportPhotoStatus>('Where it stands.', {
      awaiting_upload: 'its bytes have not come',
      processing: 'its bytes are being looked at',
      ready: 'it will be a photo once the import is finalized',
      imported: 'it is a photo',
      duplicate:
        'its bytes are in the library already, or come with another item; `photoId` names the photo once there is one',
      failed: 'it came to nothing; `error` says why',
      cancelled: 'it was given up',
    }),
    photoId: orNull(id('The photo that it is, or is a duplicate of.', 90418)),
    restored: flag('Whether it brought a photo back from the trash.', false),
    filename: text('Of the photo to come.', 'IMG_0001.HEIC', { minLength: 1, maxLength: 255 }),
    sizeBytes: orNull(number('As declared, later as it is.', 2311040)),
    sha256: orNull({ ...sha256, description: 'As declared, later as it is.' }),
    contentType: orNull({ ...contentType, description: `Found in the bytes. ${untilKnown}` }),
    width: orNull({ ...side('Width'), description: `In pixels, as shown. ${untilKnown}` }),
    height: orNull({ ...side('Height'), description: `In pixels, as shown. ${untilKnown}` }),
    title: orNull(text('What you said; null: taken from the file.', 'Eiffel Tower', { maxLength: 255 })),
    description: orNull(
      text('What you said; null: taken from the file.', 'From the Trocadéro.', { maxLength: 10_000 }),
    ),
    takenAt: orNull(instant('What you said; null: taken from the file.', '2024-12-21T22:39:24.670Z')),
    takenAtLocal: orNull(
      text('What you said; null: taken from the file.', '2024-12-21T23:39:24.670', { pattern: LOCAL_TIME }),
    ),
    timeZone: orNull(text('What you said; null: taken from the file.', 'Europe/Paris')),
    location: orNull(ref('Location', { description: 'What you said; null: taken from the file.' })),
    rating: orNull(whole('What you said; null: taken from the file.', 4, { minimum: 0, maximum: 5 })),
    externalId: orNull(text('Your own id of the photo.', 'shoot-17/3701', { maxLength: 255 })),
    metadata,
    tags: listOf('Beside those of the import.', ref('TagName')),
    error: orNull(ref('ItemError', { description: 'Why it failed.' })),
    upload: orNull(ref('UploadTarget', { description: 'Where its bytes go; only while they are awaited.' })),
    createdAt: instant('When it was registered.'),
    updatedAt: instant('When it was last changed.'),
  }),
  ImportPhotoPage: listSchema(
    'A page of items, by id. Items are forgotten 90 days after the end of their import.',
    ref('ImportPhoto'),
  ),
  UploadTarget: answer<NonNullable<ItemAnswer['upload']>>(
    'Where the bytes go; only while they are awaited. Send them with exactly these headers and without your key. Costs no budget.',
    {
      method: { type: 'string', const: 'PUT', description: 'Always this.', examples: ['PUT'] },
      url: text(
        'Of this service, or of its store. Good for 6 hours and this item alone.',
        'https://photos.example/uploads/WzEsNyw5MDQxOA',
        {
          format: 'uri',
        },
      ),
      headers: mapOf('To be sent as they are.', text('A value.', '2311040'), {
        examples: [{ 'content-length': '2311040' }],
      }),
      expiresAt: instant('When it stops working. `GET /imports/{id}?include=photos` gives a fresh one.'),
    },
  ),
  NewImport: body<ImportCreationBody>('How to begin.', {
    name,
    source,
    clientRef: importRef,
    duplicatePolicy: { ...duplicatePolicy, default: 'skip' },
    restoreTrashed: { ...restoreTrashed, default: true },
    defaultTimeZone: zone,
    tagIds: { ...tagIds, description: 'Tags that every new photo gets, by id.' },
    tagNames,
  }),
  NewImportPhoto: body<RegistrationItem>('A file to come.', registered, { required: ['filename', 'sizeBytes'] }),
  InlineImportPhoto: body<InlineItem>(
    'What there is to say of a file of this request; its name and size are known without.',
    registered,
  ),
  Registration: body<RegistrationBody>(
    'Files to come.',
    { photos: listOf('In any order.', ref('NewImportPhoto'), { minItems: 1, maxItems: importBatchSize }) },
    { required: ['photos'] },
  ),
  InlineFiles: body<{ photos: unknown; file: unknown }>(
    'Files, and what there is to say of them.',
    {
      photos: listOf('First part, if it comes: one entry for each file, in their order.', ref('InlineImportPhoto'), {
        minItems: 1,
        maxItems: importBatchSize,
      }),
      file: listOf(
        `The files, each in a part \`file\` with a file name in UTF-8; up to \`limits.inlineMaxFiles\` (${defaultLimits.inlineMaxFiles}) and \`limits.inlineMaxBytes\` (${defaultLimits.inlineMaxBytes}).`,
        { type: 'string', format: 'binary' },
        { minItems: 1 },
      ),
    },
    { required: ['file'] },
  ),
  RegistrationOutcomes: answer<Registration>('What became of each file, and the import with them.', {
    data: listOf('One for each, in the order of the request.', ref('RegistrationOutcome')),
    import: ref('Import'),
  }),
  RegistrationOutcome: answer<Registration['data'][number]>('What became of one file.', {
    index: whole('Its place in the request, from 0.', 0, { minimum: 0 }),
    outcome: oneOf<RegistrationResult['outcome']>('What became of it.', {
      created: 'an item that waits for bytes, or has them',
      existing: 'the item was there: send its bytes if it has an `upload`',
      duplicate: 'an item that needs no bytes: they are here already',
      rejected: 'nothing; `error` says why',
    }),
    photo: orNull(ref('ImportPhoto', { description: 'The item; null when it was rejected.' })),
    error: orNull(ref('ItemError', { description: 'Why it was rejected.' })),
  }),
  ImportPhotoPatch: body<ImportPhotoPatchBody>(
    'What is to change. What is left out stays; null: taken from the file.',
    {
      ...newItem,
      filename,
      sizeBytes: { ...registered.sizeBytes, description: 'Another size, while bytes are awaited or it has failed.' },
      metadata: metadataPatch,
      status: oneOf<NonNullable<ImportPhotoPatchBody['status']>>('What is to become of it.', {
        uploaded: 'the bytes are there: look now',
        awaiting_upload: 'a failed one gets another try, a waiting one a fresh address',
        cancelled: 'it is given up',
      }),
    },
  ),
  Finalization: body<FinalizationBody>('How to end.', {
    action: oneOf<'commit' | 'discard'>(
      'What is to become of the import.',
      { commit: 'its sound files become photos', discard: 'nothing of it comes into the library' },
      { default: 'commit' },
    ),
    missingUploads: oneOf<'reject' | 'fail'>(
      'What is to be done when bytes are missing.',
      { reject: '409 `uploads_incomplete`, and the import stays open', fail: 'those items fail (`upload_missing`)' },
      { default: 'reject' },
    ),
  }),
};
