import { type Id, newUlid } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';

/** Every type of event: what it is about, and when it is sent. Closed: receivers are informed of new ones before they are sent. */
const types = {
  'photo.created': { subject: 'photo', meaning: 'A photo was added to the library' },
  'photo.updated': { subject: 'photo', meaning: 'A photo or its set of tags was changed' },
  'photo.trashed': { subject: 'photo', meaning: 'A photo was moved to the trash' },
  'photo.restored': { subject: 'photo', meaning: 'A photo was restored from the trash' },
  'photo.deleted': { subject: 'photo', meaning: 'A photo was deleted permanently' },
  'tag.created': { subject: 'tag', meaning: 'A tag was created' },
  'tag.updated': { subject: 'tag', meaning: 'A tag was changed' },
  'tag.deleted': { subject: 'tag', meaning: 'A tag was deleted' },
  'import.completed': { subject: 'import', meaning: 'An import ended, with or without errors' },
  'import.expired': { subject: 'import', meaning: 'An unused import expired' },
  'import.cancelled': { subject: 'import', meaning: 'An import was discarded' },
  'api_key.created': { subject: 'apiKey', meaning: 'An API key was created' },
  'api_key.deleted': { subject: 'apiKey', meaning: 'An API key was deleted' },
  'delivery_key.created': { subject: 'deliveryKey', meaning: 'A delivery key was created' },
  'delivery_key.deleted': { subject: 'deliveryKey', meaning: 'A delivery key was deleted' },
  'share.created': { subject: 'share', meaning: 'Photos were shared' },
  'share.uploaded': { subject: 'share', meaning: 'Visitors of a share uploaded photos' },
  'share.revoked': { subject: 'share', meaning: 'A share was revoked' },
  'webhook.test': { subject: null, meaning: 'A test event that a person sent' },
} as const satisfies Readonly<Record<string, { readonly subject: string | null; readonly meaning: string }>>;

export type EventType = keyof typeof types;
export type SubjectKind = NonNullable<(typeof types)[EventType]['subject']>;
/** Events that occur by themselves; a test is requested. */
export type ChangeType = Exclude<EventType, 'webhook.test'>;

export const eventTypes = Object.keys(types) as readonly EventType[];
/** Events that an endpoint can subscribe to. A test can be sent to any endpoint. */
export const changeTypes = eventTypes.filter((type): type is ChangeType => type !== 'webhook.test');

/** Something that happened. Its subject is referenced, not copied: it is read when the event is sent. */
export interface Event {
  /** `evt_` and a ULID; the same for every receiver and every attempt. */
  readonly eventId: string;
  readonly customerId: Id;
  readonly type: EventType;
  /** Null in a test. */
  readonly subjectId: Id | null;
  /** When it happened. */
  readonly at: Date;
}

/** Null in a test. */
export function subjectKind(type: EventType): SubjectKind | null {
  return types[type].subject;
}

/** A sentence without its full stop. */
export function eventMeaning(type: EventType): string {
  return types[type].meaning;
}

/** After these events only an id is left to show. */
export function isDeletion(type: EventType): boolean {
  return type.endsWith('.deleted') || type === 'share.revoked';
}

export function newEventId(at: Date): string {
  return `evt_${newUlid(at.getTime())}`;
}

/** Events of the bound customer, written with the change: both are committed, or neither. */
export interface Outbox {
  /**
   * One event per subject, to be delivered to every enabled endpoint that subscribes to the type. If there is none, nothing is stored. An
   * endpoint that is concurrently removed or created may or may not be included; the change itself succeeds.
   */
  add(type: ChangeType, subjectIds: readonly Id[], at: Date): Promise<void>;
  /** Whether `add` would store something: for callers that would have to read the subjects first. */
  wants(type: ChangeType): Promise<boolean>;
}

/** The outcome of a change to a photo. */
export type PhotoOutcome = 'updated' | 'trashed' | 'restored';

/** Announces changed photos, whatever changed them: each has got its new version, and gets one event. */
export function announcePhotos(
  { outbox }: Transaction<'outbox'>,
  outcome: PhotoOutcome,
  ids: readonly Id[],
  at: Date,
): Promise<void> {
  return outbox.add(`photo.${outcome}`, ids, at);
}

declare module '../shared/transactional.js' {
  interface Repositories {
    readonly outbox: Outbox;
  }
}
