import type { ApiKey } from '../../core/access/api-key.js';
import { displayPrefix } from '../../core/access/api-key.js';
import { type Event, subjectKind } from '../../core/events/event.js';
import type { EventSubject } from '../../core/webhooks/event-subject.js';
import { importView } from '../api/imports/import.view.js';
import { photoView } from '../api/photos/photo.view.js';
import { tagView } from '../api/tags/tag.view.js';
import { instant, optionalInstant } from '../responses/wire.js';

/** Bytes of a body (API.md §10). */
export const MAX_BODY_BYTES = 20_000;

/** Fields that are omitted from a subject, in this order, until the body is small enough. Everything else in it is short. */
const DISPENSABLE = ['metadata', 'description', 'tags'];

/**
 * The body that a receiver gets (API.md §10). `data` has the resource as in the API, under its own name, and its `version`; if there is
 * nothing to show, only the id. `omitted` lists the fields that were left out.
 */
export function eventBody(event: Event, subject: EventSubject | null): string {
  const shown = subject && viewOf(subject);
  const left: Record<string, unknown> | null = shown && { ...shown };
  const omitted: string[] = [];
  for (const field of ['', ...DISPENSABLE]) {
    if (field !== '' && left !== null && field in left) {
      delete left[field];
      omitted.push(field);
    }
    const body = bodyOf(event, left, omitted);
    if (byteLength(body) <= MAX_BODY_BYTES) return body;
  }
  return bodyOf(event, null, omitted);
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

function viewOf(subject: EventSubject): Record<string, unknown> {
  switch (subject.kind) {
    case 'photo':
      return { ...photoView(subject.photo) };
    case 'tag':
      return { ...tagView(subject.tag) };
    case 'import':
      return { ...importView(subject.import) };
    case 'apiKey':
      return { ...apiKeyView(subject.apiKey) };
  }
}

/** As in API.md §5.6, and its owner's settings. Never more of the token than its end. */
function apiKeyView(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    prefix: displayPrefix(key),
    scopes: [...key.scopes],
    ipRestricted: key.ipList.length > 0,
    createdAt: instant(key.createdAt),
    expiresAt: optionalInstant(key.expiresAt),
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
