import { ownKey } from '../../core/access/keys.js';
import { type DeliveryKey, readDeliveryKey } from '../../core/delivery/delivery-key.js';
import { type Event, isDeletion, type SubjectKind, subjectKind } from '../../core/events/event.js';
import { readImport } from '../../core/imports/read.js';
import { readPhoto } from '../../core/photos/read-photo.js';
import { unlessGone } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { Readable, Reads } from '../../core/shared/transactional.js';
import { readTag } from '../../core/tags/read-tag.js';
import { ResponseModel } from '../../http/fields/declared.js';
import { Flag, IdOf, Instant, Text } from '../../http/fields/fields.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';
import { importView } from '../imports/import.view.js';
import { apiKeyView } from '../me/me.module.js';
import { photoView } from '../photos/photo.view.js';
import { announcedShare } from '../shares/share.view.js';
import { tagView } from '../tags/tag.view.js';

export const MAX_BODY_BYTES = 20_000;

/**
 * The body that a receiver gets. `data` has the resource in its current state, as in the API, under its own name, and its `version`; if
 * there is nothing to show (a test, a deletion, a resource that has been deleted permanently since), only the id. `omitted` lists the
 * fields that were left out.
 */
export async function eventBody(uses: SubjectUses, event: Event): Promise<string> {
  const kind = subjectKind(event.type);
  const dispensable = (kind && eventSubjects[kind]?.dispensable) ?? [];
  const left = await subjectOf(uses, event);
  const omitted: string[] = [];
  for (const field of ['', ...dispensable]) {
    if (left !== null && field in left) {
      delete left[field];
      omitted.push(field);
    }
    const body = bodyOf(event, left, omitted);
    if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  }
  return bodyOf(event, null, omitted);
}

async function subjectOf(uses: SubjectUses, { type, subjectId, customerId }: Event) {
  const kind = subjectKind(type);
  if (kind === null || subjectId === null || isDeletion(type)) return null;
  const shown = await eventSubjects[kind]?.read(uses, customerId, subjectId);
  return shown ? ({ ...shown } as Record<string, unknown>) : null;
}

function bodyOf(event: Event, shown: Record<string, unknown> | null, omitted: readonly string[]): string {
  const { type, eventId, customerId, subjectId } = event;
  const kind = subjectKind(type);
  const data = {
    customerId,
    ...(typeof shown?.['version'] === 'number' && { version: shown['version'] }),
    ...(kind !== null && { [kind]: shown ?? { id: subjectId } }),
    ...(omitted.length > 0 && { omitted }),
  };
  return JSON.stringify({ type, timestamp: instant(event.at), id: eventId, data });
}

interface SubjectUses {
  readonly store: Readable<keyof Reads>;
}

interface EventSubject {
  /** The name of its schema in the OpenAPI document. */
  readonly schema: string;
  /** Fields that are omitted, in this order, until the body is small enough. Everything else in it is short. */
  readonly dispensable: readonly string[];
  /** The resource in its current state, as the API shows it; null when it does not exist. */
  read(uses: SubjectUses, customerId: Id, id: Id): Promise<object | null>;
}

/** A kind that is missing is shown by its id alone. */
export const eventSubjects: Readonly<Partial<Record<SubjectKind, EventSubject>>> = {
  photo: {
    schema: 'Photo',
    dispensable: ['metadata', 'description', 'tags'],
    read({ store }, customerId, id) {
      const found = readPhoto({ store }, { customerId }, id, { trashedToo: true, withExif: false });
      return unlessGone(found.then(({ photo }) => photoView(photo)));
    },
  },
  tag: {
    schema: 'Tag',
    dispensable: ['description'],
    read: ({ store }, customerId, id) => unlessGone(readTag({ store }, { customerId }, id).then(tagView)),
  },
  import: {
    schema: 'Import',
    dispensable: ['tags'],
    read: ({ store }, customerId, id) => unlessGone(readImport({ store }, { customerId }, id).then(importView)),
  },
  apiKey: {
    schema: 'ApiKey',
    dispensable: [],
    read: ({ store }, customerId, id) => unlessGone(ownKey({ store }, customerId, id).then(apiKeyView)),
  },
  deliveryKey: {
    schema: 'DeliveryKey',
    dispensable: [],
    read: ({ store }, customerId, id) => unlessGone(readDeliveryKey({ store }, customerId, id).then(deliveryKeyView)),
  },
  share: { schema: 'Share', dispensable: [], read: announcedShare },
};

@ResponseModel('DeliveryKey', 'A delivery key, without its secret.')
class DeliveryKeyView {
  @IdOf({ description: 'The unique identifier of the key.', example: 4 })
  id: number;

  @Text({ description: 'What image URLs name the key by.', example: 'dk_3kTMd1PzUo8WcQ5x' })
  publicId: string;

  @Text({ description: 'The name of the key.', example: 'shop' })
  name: string;

  @Flag({ description: 'Whether its URLs can only name presets.', example: false })
  presetsOnly: boolean;

  @Instant({ description: 'When the key was created.' })
  createdAt: string;

  @Instant({ description: 'When the key expires. Null if it never does.', nullable: true })
  expiresAt: string | null;
}

function deliveryKeyView(key: DeliveryKey): DeliveryKeyView {
  return {
    id: key.id,
    publicId: key.publicId,
    name: key.name,
    presetsOnly: key.presetsOnly,
    createdAt: instant(key.createdAt),
    expiresAt: optionalInstant(key.expiresAt),
  };
}
