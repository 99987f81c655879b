import type { components, paths } from './api-types.js';

type Schemas = components['schemas'];

// The resources of the API by the names that its document gives them; each field is described there.
export type Me = Schemas['Me'];
export type Customer = Schemas['Customer'];
export type Photo = Schemas['Photo'];
export type PhotoPatch = Schemas['PhotoPatch'];
export type PhotoEdit = Schemas['PhotoEdit'];
export type PhotoDeletion = Schemas['PhotoDeletion'];
export type PhotoTags = Schemas['PhotoTags'];
export type Tag = Schemas['Tag'];
export type NewTag = Schemas['NewTag'];
export type TagPatch = Schemas['TagPatch'];
export type TagChanges = Schemas['TagChanges'];
export type TagCreation = Schemas['TagCreation'];
export type Import = Schemas['Import'];
export type NewImport = Schemas['NewImport'];
export type ImportPhoto = Schemas['ImportPhoto'];
export type NewImportPhoto = Schemas['NewImportPhoto'];
/** The details of a photo that a client can give when it registers the file; they take precedence over those in the file. */
export type PhotoDetails = Omit<NewImportPhoto, 'filename' | 'sizeBytes' | 'sha256' | 'clientRef' | 'contentType'>;
export type ImportPhotoPatch = Schemas['ImportPhotoPatch'];
export type RegistrationOutcomes = Schemas['RegistrationOutcomes'];
export type UploadTarget = Schemas['UploadTarget'];

type Query<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Q } };
}
  ? NonNullable<Q>
  : never;

/** Filters and sort of `GET /photos`. */
export type PhotoQuery = Omit<Query<'/api/v1/photos'>, 'cursor'>;
/** The additions that `GET /photos/{id}` can return. */
export type PhotoExtras = Query<'/api/v1/photos/{id}'>;
/** Which bytes `GET /photos/{id}/download` is to give. */
export type DownloadQuery = Query<'/api/v1/photos/{id}/download'>;
/** Filters and sort of `GET /tags`. */
export type TagQuery = Omit<Query<'/api/v1/tags'>, 'cursor'>;
/** A state that an item of an import can be in. */
export type ImportPhotoStatus = ImportPhoto['status'];
