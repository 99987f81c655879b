import { LocationBody } from '../api/photos/descriptive.dto.js';
import { PhotoPatchBody, PhotoTagsBody } from '../api/photos/photo.dto.js';
import { PhotoView } from '../api/photos/photo.view.js';
import { PhotoDeletionsView, PhotoDeletionView, PhotoEditsView, PhotoEditView } from '../api/photos/photo-bulk.view.js';
import { PhotoDownloadController } from '../api/photos/photo-download.controller.js';
import { CameraView, ExposureView, LocationView, RenditionUrlsView } from '../api/photos/photo-parts.view.js';
import { PhotoTagsController } from '../api/photos/photo-tags.controller.js';
import { PhotosController } from '../api/photos/photos.controller.js';
import { controllerPaths } from './controllers.js';
import { modelSchemas } from './models.js';
import type { Chapter } from './operation.js';
import { listSchema, ref } from './schema.js';

export const photos: Chapter = {
  schemas: {
    ...modelSchemas([PhotoView]),
    PhotoPage: listSchema('A page of photos.', ref('Photo')),
    ...modelSchemas([
      LocationView,
      LocationBody,
      CameraView,
      ExposureView,
      RenditionUrlsView,
      PhotoPatchBody,
      PhotoTagsBody,
      PhotoEditsView,
      PhotoEditView,
      PhotoDeletionsView,
      PhotoDeletionView,
    ]),
  },
  paths: controllerPaths([PhotosController, PhotoDownloadController, PhotoTagsController]),
};
