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
      'A page of items, by id. Items are forgotten 90 days after the end of their import.',
      ref('ImportPhoto'),
    ),
    ...modelSchemas([UploadTargetView, ImportCreationBody, RegistrationItem, InlineItem, RegistrationBody]),
    // A multipart body is read as a stream, not into a class.
    InlineFiles: body<{ photos: unknown; file: unknown }>(
      'Files, and what there is to say of them.',
      {
        photos: listOf('First part, if it comes: one entry for each file, in their order.', ref('InlineImportPhoto'), {
          minItems: 1,
          maxItems: importBatchSize,
        }),
        file: listOf(
          `The files, each in a part \`file\` with a file name in UTF-8; up to \`limits.inlineMaxFiles\` (${inlineMaxFiles}) and \`limits.inlineMaxBytes\` (${inlineMaxBytes}).`,
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
