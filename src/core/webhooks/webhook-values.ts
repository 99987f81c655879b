import { type ChangeType, changeTypes, isChangeType } from '../events/event.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, codePoints } from '../shared/text.js';
import type { WebhookSender } from './webhook-sender.js';

/** The input for an endpoint. */
export interface EndpointInput {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  /** Names of types; empty: every one. */
  readonly events?: readonly string[] | undefined;
}

/** The same, validated and in the form in which it is stored. Absent fields stay absent. */
export interface EndpointValues {
  readonly url?: string;
  readonly description?: string | null;
  readonly events?: readonly ChangeType[];
}

export const MAX_ENDPOINT_DESCRIPTION = 200;

/** Errors: `invalid_request`, for a URL also when its name resolves to a forbidden address. */
export async function endpointValues(
  { webhooks }: { webhooks: WebhookSender },
  customerId: Id,
  input: EndpointInput,
): Promise<EndpointValues> {
  const description = input.description === undefined ? undefined : cleanText(input.description ?? '') || null;
  const errors = [...descriptionErrors(description), ...eventErrors(input.events ?? [])];
  const refusal = input.url === undefined ? null : await webhooks.refusal(input.url.trim(), customerId);
  if (refusal !== null) errors.unshift({ field: 'url', code: 'invalid_format', message: refusal });
  if (errors.length > 0) throw invalid(...errors);
  return {
    ...(input.url !== undefined && { url: new URL(input.url.trim()).href }),
    ...(description !== undefined && { description }),
    ...(input.events !== undefined && { events: changeTypes.filter((type) => input.events?.includes(type)) }),
  };
}

function descriptionErrors(description: string | null | undefined): FieldError[] {
  if (codePoints(description ?? '') <= MAX_ENDPOINT_DESCRIPTION) return [];
  const message = `description must have at most ${MAX_ENDPOINT_DESCRIPTION} characters.`;
  return [{ field: 'description', code: 'too_long', message, max: MAX_ENDPOINT_DESCRIPTION }];
}

function eventErrors(events: readonly string[]): FieldError[] {
  return events
    .filter((name) => !isChangeType(name))
    .map((name) => {
      const message = `${name} is not an event type. Valid types: ${changeTypes.join(', ')}.`;
      return { field: 'events', code: 'invalid_format', message };
    });
}
