import { readImport, readImportPhotos } from '../../../core/imports/read.js';
import type { RegistrationResult } from '../../../core/imports/register/register.js';
import { notFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { StoredBodyFormat } from '../../idempotency/idempotent.js';
import { callerOf } from '../../server/request-context.js';
import { registrationView } from './import.view.js';
import { importPhotoView } from './import-photo.view.js';

/** Upload targets are secret and expire: items are stored by their ids, and returned with fresh targets. */

interface StoredResult extends Pick<RegistrationResult, 'index' | 'outcome' | 'error'> {
  readonly photo: Id | null;
}

export const storedRegistration: StoredBodyFormat<
  ReturnType<typeof registrationView>,
  { readonly importId: Id; readonly results: readonly StoredResult[] }
> = {
  toStored: ({ data, import: { id: importId } }) => ({
    importId,
    results: data.map(({ index, outcome, photo, error }) => ({ index, outcome, photo: photo?.id ?? null, error })),
  }),
  async toBody(ports, requestContext, { importId, results }) {
    const caller = callerOf(requestContext);
    const ids = results.flatMap(({ photo }) => photo ?? []);
    const items = new Map((await readImportPhotos(ports, caller, importId, ids)).map((item) => [item.id, item]));
    const details = results.map(({ photo, ...result }) => ({ ...result, photo: items.get(photo ?? 0) ?? null }));
    return registrationView({ results: details, import: await readImport(ports, caller, importId) });
  },
};

export const storedItem: StoredBodyFormat<
  ReturnType<typeof importPhotoView>,
  { readonly importId: Id; readonly id: Id }
> = {
  toStored: ({ importId, id }) => ({ importId, id }),
  async toBody(ports, requestContext, { importId, id }) {
    const [item] = await readImportPhotos(ports, callerOf(requestContext), importId, [id]);
    if (!item) throw notFound('import_photo');
    return importPhotoView(item);
  },
};
