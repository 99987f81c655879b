import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { Identity, IdentityRepository, NewIdentity } from '../../../core/users/provider/identity.js';
import { insert } from '../database/rows.js';
import { identityTable } from './identity.table.js';
import { requireUser } from './require-user.js';

export class TypeormIdentityRepository implements IdentityRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  of(userId: Id): Promise<readonly Identity[]> {
    const { customerId } = this;
    return this.manager.find(identityTable, { where: { customerId, userId }, order: { id: 'ASC' } });
  }

  list(): Promise<readonly Identity[]> {
    const { customerId } = this;
    return this.manager.find(identityTable, { where: { customerId }, order: { id: 'ASC' } });
  }

  async insert(identity: NewIdentity): Promise<Identity | null> {
    const { customerId } = this;
    await requireUser(this.manager, customerId, identity.userId);
    const onConflict = 'ON CONFLICT ON CONSTRAINT identities_once DO NOTHING';
    return (await insert(this.manager, identityTable, [{ ...identity, customerId }], onConflict))[0] ?? null;
  }

  async use(userId: Id, id: Id, at: Date): Promise<void> {
    await this.manager.update(identityTable, { customerId: this.customerId, userId, id }, { lastUsedAt: at });
  }

  async delete(userId: Id, id: Id): Promise<boolean> {
    const { affected } = await this.manager.delete(identityTable, { customerId: this.customerId, userId, id });
    return affected === 1;
  }
}
