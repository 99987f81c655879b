import type { Limits } from '../customers/limits.js';
import type { Transactional } from '../shared/transactional.js';
import type { TargetUses } from './upload-target.js';

/** What registering photos needs, whichever way they come. */
export type RegisterUses = TargetUses & {
  store: Transactional<
    | 'photos'
    | 'tags'
    | 'imports'
    | 'importPhotos'
    | 'sourceFetches'
    | 'customer'
    | 'usage'
    | 'blobOwners'
    | 'jobs'
    | 'outbox'
  >;
  limits: Limits;
};
