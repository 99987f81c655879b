import { type EventType, eventTypes } from '../../../core/events/event.js';
import type { DeliveryFilters, DeliveryStatus } from '../../../core/webhooks/delivery.js';
import { oneOfQuery } from '../address.js';

/** What the log of an endpoint is narrowed by, as its address says. Empty: not set. */
export interface LogQuery extends Readonly<Record<string, string>> {
  readonly state: string;
  readonly event: string;
}

export const logStates: readonly (readonly [DeliveryStatus | '', string])[] = [
  ['', 'Any'],
  ['delivered', 'Delivered'],
  ['pending', 'Waiting or retrying'],
  ['dead', 'Given up'],
];

/** Values that mean nothing are not set. */
export function readLogQuery(parameters: Readonly<Record<string, unknown>>): LogQuery {
  const [state, event] = [oneOfQuery(parameters['state']), oneOfQuery(parameters['event'])];
  return {
    state: logStates.some(([name]) => name === state) ? state : '',
    event: eventTypes.some((type) => type === event) ? event : '',
  };
}

export function logFilters({ state, event }: LogQuery): DeliveryFilters {
  return {
    ...(state !== '' && { status: state as DeliveryStatus }),
    ...(event !== '' && { type: event as EventType }),
  };
}
