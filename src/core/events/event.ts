import type { Id } from '../shared/ids.js';
import { newUlid } from '../shared/ulid.js';

/** Every type of event, and its subject (API.md §10). Closed: receivers are informed of new ones before they are sent. */
const subjects = {
  'photo.created': 'photo',
  'photo.updated': 'photo',
  'photo.trashed': 'photo',
  'photo.restored': 'photo',
  'photo.deleted': 'photo',
  'tag.created': 'tag',
  'tag.updated': 'tag',
  'tag.deleted': 'tag',
  'import.completed': 'import',
  'import.expired': 'import',
  'import.cancelled': 'import',
  'api_key.created': 'apiKey',
  'api_key.deleted': 'apiKey',
  'webhook.test': null,
} as const;

export type EventType = keyof typeof subjects;
export type SubjectKind = NonNullable<(typeof subjects)[EventType]>;
/** Events that occur by themselves; a test is requested. */
export type ChangeType = Exclude<EventType, 'webhook.test'>;

export const eventTypes = Object.keys(subjects) as readonly EventType[];
/** Events that an endpoint can subscribe to. A test can be sent to any endpoint. */
export const changeTypes = eventTypes.filter((type): type is ChangeType => type !== 'webhook.test');

export function isChangeType(text: string): text is ChangeType {
  return (changeTypes as readonly string[]).includes(text);
}

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
  return subjects[type];
}

/** After these events only an id is left to show. */
export function isDeletion(type: EventType): boolean {
  return type.endsWith('.deleted');
}

export function newEventId(at: Date): string {
  return `evt_${newUlid(at.getTime())}`;
}
