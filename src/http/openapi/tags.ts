import { TagCreationBody, TagPatchBody, TagsCreationBody } from '../api/tags/tag.dto.js';
import { TagChangesView, TagCreationsView, TagCreationView, TagNameView, TagView } from '../api/tags/tag.view.js';
import { TagsController } from '../api/tags/tags.controller.js';
import { controllerPaths } from './controllers.js';
import { modelSchemas } from './models.js';
import type { Chapter } from './operation.js';
import { listSchema, ref } from './schema.js';

export const tags: Chapter = {
  schemas: {
    ...modelSchemas([TagView, TagNameView]),
    TagPage: listSchema('A page of tags.', ref('Tag')),
    ...modelSchemas([
      TagChangesView,
      TagCreationBody,
      TagsCreationBody,
      TagCreationsView,
      TagCreationView,
      TagPatchBody,
    ]),
  },
  paths: controllerPaths([TagsController]),
};
