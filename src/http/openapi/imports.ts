import { defaultLimits } from '../../core/customers/limits.js';
import {
  FinalizationBody,
  ImportCreationBody,
  ImportPhotoPatchBody,
  InlineItem,
  RegistrationBody,
  RegistrationItem,
} from '../api/imports/import.dto.js';
import {
  ImportCountsView,
  ImportView,
  RegistrationOutcomesView,
  RegistrationOutcomeView,
} from '../api/imports/import.view.js';
import { ImportPhotoView, UploadTargetView } from '../api/imports/import-photo.view.js';
import { ImportPhotosController } from '../api/imports/import-photos.controller.js';
import { ImportsController } from '../api/imports/imports.controller.js';
import { controllerPaths } from './controllers.js';
import { modelSchemas } from './models.js';
import type { Chapter } from './operation.js';
import { body, listOf, listSchema, ref } from './schema.js';

const { importBatchSize, inlineMaxFiles, inlineMaxBytes } = defaultLimits;

export const imports: Chapter = {
  schemas: {
    ...modelSchemas([ImportView, ImportCountsView, ImportPhotoView]),
    ImportPhotoPage: listSchema(
      'A page of items, sorted by id. Items are deleted 90 days after their import ends.',
      ref('ImportPhoto'),
    ),
    ...modelSchemas([UploadTargetView, ImportCreationBody, RegistrationItem, InlineItem, RegistrationBody]),
    // A multipart body is read as a stream, not into a class.
    InlineFiles: body<{ photos: unknown; file: unknown }>(
      'Files, and optionally their details.',
      {
        photos: listOf(
          'Optional. Must be the first part, with one entry per file in the same order.',
          ref('InlineImportPhoto'),
          {
            minItems: 1,
            maxItems: importBatchSize,
          },
        ),
        file: listOf(
          `The files, each in a part named \`file\` with a UTF-8 file name; at most \`limits.inlineMaxFiles\` (${inlineMaxFiles}) files and \`limits.inlineMaxBytes\` (${inlineMaxBytes}) bytes.`,
          { type: 'string', format: 'binary' },
          { minItems: 1 },
        ),
      },
      { required: ['file'] },
    ),
    ...modelSchemas([RegistrationOutcomesView, RegistrationOutcomeView, ImportPhotoPatchBody, FinalizationBody]),
  },
  paths: controllerPaths([ImportsController, ImportPhotosController]),
};
