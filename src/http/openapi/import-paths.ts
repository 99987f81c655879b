import { ImportQuery } from '../api/imports/import.dto.js';
import { queryParameters } from './controllers.js';
import { json, mergePatch, type Parameter, type Paths } from './operation.js';
import { idempotencyKey, ifNoneMatchHeader, pathId } from './parameters.js';
import { ref } from './schema.js';

const prefer: Parameter = {
  name: 'Prefer',
  in: 'header',
  description: '`wait=N`: answer once the import has ended, or after N seconds, at most 15 (RFC 7240).',
  schema: { type: 'string', examples: ['wait=10'] },
};

export const importPaths: Paths = {
  '/api/v1/imports': {
    post: {
      operationId: 'createImport',
      tag: 'Imports',
      summary: 'Open an import',
      description:
        'Nothing of an import is in the library before it is finalized. With the `clientRef` of one that is open the answer is that one, so that a run that was broken off goes on.',
      scope: 'photos:write',
      parameters: [idempotencyKey],
      body: { description: 'How to begin; nothing has to be said.', required: false, content: json(ref('NewImport')) },
      answers: {
        200: { description: 'The open import of this `clientRef`.', content: json(ref('Import')), headers: ['ETag'] },
        201: { description: 'The new import.', content: json(ref('Import')), headers: ['ETag', 'Location'] },
      },
      errors: ['limit_reached'],
    },
  },
  '/api/v1/imports/{id}': {
    get: {
      operationId: 'getImport',
      tag: 'Imports',
      summary: 'Read an import',
      description:
        'With `include=photos` a page of its items by id; those that wait for bytes come with a fresh `upload`. Items are forgotten 90 days after the end of the import, whose counts stay; the import a year after its end, then it is 404. Its photos stay.',
      scope: 'photos:write',
      parameters: [pathId('id', 'import', 7), ...queryParameters(ImportQuery), ifNoneMatchHeader],
      answers: {
        200: {
          description: 'The import. `Retry-After` while it is at work.',
          content: json(ref('Import')),
          headers: ['ETag', 'Retry-After'],
        },
        304: { description: 'It has not changed. Not with `include`.', headers: ['ETag', 'Retry-After'] },
      },
      errors: ['invalid_cursor', 'not_found'],
    },
  },
  '/api/v1/imports/{id}/photos': {
    post: {
      operationId: 'addImportPhotos',
      tag: 'Imports',
      summary: 'Add files to an import',
      description:
        'As JSON up to 500 files are announced at once, and each is answered with the address that its bytes go to; those cost no budget. As multipart/form-data up to 20 small files come with their bytes. What one file gets wrong, in its values or the names of its tags, rejects that file only. A file that was registered before (by `clientRef`, else by hash and name) is `existing`; a request may be repeated as often as you like.',
      scope: 'photos:write',
      parameters: [pathId('id', 'import', 7), idempotencyKey],
      body: {
        description: 'Files to come, or the files themselves.',
        required: true,
        content: {
          ...json(ref('Registration')),
          'multipart/form-data': {
            schema: ref('InlineFiles'),
            encoding: {
              photos: { contentType: 'application/json' },
              file: { contentType: 'application/octet-stream' },
            },
          },
        },
      },
      answers: {
        200: { description: 'All were registered before.', content: json(ref('RegistrationOutcomes')) },
        201: { description: 'Some are new.', content: json(ref('RegistrationOutcomes')) },
      },
      errors: ['quota_exceeded', 'not_found', 'import_not_open', 'limit_reached', 'no_photos_accepted', 'storage_full'],
    },
  },
  '/api/v1/imports/{id}/photos/{photoId}': {
    patch: {
      operationId: 'updateImportPhoto',
      tag: 'Imports',
      summary: 'Change an item of an import',
      description:
        'Never needed in the normal flow. A merge patch (RFC 7396) to what was said of the file, or a word on what is to become of it. A status that it has reached already is 200 without effect.',
      scope: 'photos:write',
      parameters: [pathId('id', 'import', 7), pathId('photoId', 'item', 90418), idempotencyKey],
      body: { description: 'What is to change.', required: true, content: mergePatch(ref('ImportPhotoPatch')) },
      answers: { 200: { description: 'The item as it is now.', content: json(ref('ImportPhoto')) } },
      errors: [
        'quota_exceeded',
        'not_found',
        'import_not_open',
        'import_photo_final',
        'uploads_incomplete',
        'limit_reached',
      ],
    },
  },
  '/api/v1/imports/{id}/finalize': {
    post: {
      operationId: 'finalizeImport',
      tag: 'Imports',
      summary: 'Finalize or discard an import',
      description:
        'Publishes what is sound; a bad file never fails the others. The work goes on by itself and is asked for by `GET /imports/{id}`, or waited for. Repeated, it has no further effect.',
      scope: 'photos:write',
      parameters: [pathId('id', 'import', 7), prefer, idempotencyKey],
      body: { description: 'How to end; nothing has to be said.', required: false, content: json(ref('Finalization')) },
      answers: {
        200: { description: 'It has ended.', content: json(ref('Import')), headers: ['ETag'] },
        202: {
          description: 'It is at work.',
          content: json(ref('Import')),
          headers: ['ETag', 'Location', 'Retry-After'],
        },
      },
      errors: ['not_found', 'import_not_open', 'uploads_incomplete'],
    },
  },
};
