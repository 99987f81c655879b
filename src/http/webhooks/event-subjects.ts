import type { KeyStore } from '../../core/access/key-store.js';
import type { SubjectKind } from '../../core/events/event.js';
import { importDetailsOf } from '../../core/imports/read.js';
import type { Id } from '../../core/shared/ids.js';
import type { Readable } from '../../core/shared/transactional.js';
import { importView } from '../api/imports/import.view.js';
import { apiKeyView } from '../api/me/api-key.view.js';
import { photoView } from '../api/photos/photo.view.js';
import { tagView } from '../api/tags/tag.view.js';
import { deliveryKeyView } from './delivery-key.view.js';
import { shareView } from './share.view.js';

export interface SubjectUses {
  readonly store: Readable<'photos' | 'tags' | 'imports' | 'deliveryKeys' | 'shares'>;
  readonly keys: KeyStore;
}

/** How events show a resource. */
export interface EventSubject {
  /** The name of its schema in the OpenAPI document. */
  readonly schema: string;
  /** Fields that are omitted, in this order, until the body is small enough. Everything else in it is short. */
  readonly dispensable: readonly string[];
  /** The resource in its current state, as the API shows it; null when it does not exist. */
  read(uses: SubjectUses, customerId: Id, id: Id): Promise<object | null>;
}

export const eventSubjects: Readonly<Record<SubjectKind, EventSubject>> = {
  photo: {
    schema: 'Photo',
    dispensable: ['metadata', 'description', 'tags'],
    async read({ store }, customerId, id) {
      const photo = await store.query(customerId, ({ photos }) => photos.get(id));
      return photo && photoView(photo);
    },
  },
  tag: {
    schema: 'Tag',
    dispensable: ['description'],
    async read({ store }, customerId, id) {
      const tag = await store.query(customerId, ({ tags }) => tags.get(id));
      return tag && tagView(tag);
    },
  },
  import: {
    schema: 'Import',
    dispensable: ['tags'],
    read({ store }, customerId, id) {
      return store.query(customerId, async ({ imports, tags }) => {
        const subject = await imports.get(id);
        return subject && importView(await importDetailsOf(tags, subject));
      });
    },
  },
  apiKey: {
    schema: 'ApiKey',
    dispensable: [],
    async read({ keys }, customerId, id) {
      const known = await keys.find(id);
      return known?.key.customerId === customerId ? apiKeyView(known.key) : null;
    },
  },
  deliveryKey: {
    schema: 'DeliveryKey',
    dispensable: [],
    async read({ store }, customerId, id) {
      const key = await store.query(customerId, ({ deliveryKeys }) => deliveryKeys.get(id));
      return key && deliveryKeyView(key);
    },
  },
  share: {
    schema: 'Share',
    dispensable: [],
    async read({ store }, customerId, id) {
      const share = await store.query(customerId, ({ shares }) => shares.get(id));
      return share && shareView(share);
    },
  },
};
