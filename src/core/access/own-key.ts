import { type FieldError, invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { ApiKey, KeySettings } from './api-key.js';
import type { KeyStore } from './key-store.js';
import { defaultBudgets } from './rolling-window.js';

/** A key as its customer's owner sees it. Errors: `not_found`, also for a key of another customer. */
export async function ownKey({ keys }: { keys: KeyStore }, customerId: Id, id: Id): Promise<ApiKey> {
  const { key } = requireFound(await keys.find(id), 'api_key');
  if (key.customerId !== customerId) throw notFound('api_key');
  return key;
}

/** The maximum that an owner may set: the default, or what the operator has granted this key. */
export function mostRequests(key: Pick<ApiKey, 'readLimit' | 'writeLimit'> | null, group: 'read' | 'write'): number {
  const granted = (group === 'read' ? key?.readLimit : key?.writeLimit) ?? 0;
  return Math.max(defaultBudgets[group], granted);
}

/** What an owner may set: only the operator can raise limits. Errors: `invalid_request`. */
export function requireAllowedSettings(settings: KeySettings, granted: ApiKey | null): void {
  const errors = [...limitErrors(settings, granted, 'read'), ...limitErrors(settings, granted, 'write')];
  if (errors.length > 0) throw invalid(...errors);
}

function limitErrors(settings: KeySettings, granted: ApiKey | null, group: 'read' | 'write'): FieldError[] {
  const [field, limit] = group === 'read' ? ['readLimit', settings.readLimit] : ['writeLimit', settings.writeLimit];
  const max = mostRequests(granted, group);
  if (limit === null || limit <= max) return [];
  const message = `At most ${max} per minute. The operator of this service can grant more.`;
  return [{ field: String(field), code: 'out_of_range', message, max }];
}
