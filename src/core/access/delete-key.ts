import type { Uses } from '../ports.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/** From here on the key is refused everywhere, at once. Errors: `not_found`. */
export async function deleteKey({ keys, clock }: Uses<'keys' | 'clock'>, id: Id): Promise<void> {
  if (!(await keys.delete(id, clock.now()))) throw notFound('api_key');
}
