import { type Event, isDeletion, subjectKind } from '../../core/events/event.js';
import { instant } from '../responses/wire.js';
import { eventSubjects, type SubjectUses } from './event-subjects.js';

/** Bytes of a body. */
export const MAX_BODY_BYTES = 20_000;

/**
 * The body that a receiver gets. `data` has the resource in its current state, as in the API, under its own name, and its `version`; if
 * there is nothing to show (a test, a deletion, a resource that has been deleted permanently since), only the id. `omitted` lists the
 * fields that were left out.
 */
export async function eventBody(uses: SubjectUses, event: Event): Promise<string> {
  const kind = subjectKind(event.type);
  const { dispensable = [] } = kind === null ? {} : eventSubjects[kind];
  const left = await subjectOf(uses, event);
  const omitted: string[] = [];
  for (const field of ['', ...dispensable]) {
    if (left !== null && field in left) {
      delete left[field];
      omitted.push(field);
    }
    const body = bodyOf(event, left, omitted);
    if (byteLength(body) <= MAX_BODY_BYTES) return body;
  }
  return bodyOf(event, null, omitted);
}

async function subjectOf(uses: SubjectUses, { type, subjectId, customerId }: Event) {
  const kind = subjectKind(type);
  if (kind === null || subjectId === null || isDeletion(type)) return null;
  const shown = await eventSubjects[kind].read(uses, customerId, subjectId);
  return shown && ({ ...shown } as Record<string, unknown>);
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

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
