import type { EntityManager } from 'typeorm';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { userTable } from './user.table.js';

/** So that the user is not deleted before what is about to refer to it has been stored. Errors: `not_found`. */
export async function requireUser(manager: EntityManager, customerId: Id, id: Id): Promise<void> {
  requireFound(
    await manager.findOne(userTable, { where: { customerId, id }, lock: { mode: 'for_key_share' } }),
    'user',
  );
}
