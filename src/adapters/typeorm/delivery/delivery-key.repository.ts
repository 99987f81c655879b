import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import type {
  DeliveryKey,
  DeliveryKeyFinder,
  DeliveryKeyRepository,
  KnownDeliveryKey,
  NewDeliveryKey,
} from '../../../core/delivery/delivery-key.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { prepared } from '../database/prepared.js';
import { readBatcher } from '../database/read-batcher.js';
import { insert, select, selectList, update } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { deliveryKeyTable } from './delivery.table.js';

export class TypeormDeliveryKeyRepository implements DeliveryKeyRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  get(id: Id): Promise<DeliveryKey | null> {
    return this.manager.findOneBy(deliveryKeyTable, { customerId: this.customerId, id });
  }

  list(): Promise<readonly DeliveryKey[]> {
    return this.manager.find(deliveryKeyTable, { where: { customerId: this.customerId }, order: { id: 'ASC' } });
  }

  lock(id: Id): Promise<DeliveryKey | null> {
    const where = { customerId: this.customerId, id };
    return this.manager.findOne(deliveryKeyTable, { where, lock: { mode: 'for_no_key_update' } });
  }

  async insert(key: NewDeliveryKey): Promise<DeliveryKey> {
    const [stored] = await insert(this.manager, deliveryKeyTable, [{ ...key, customerId: this.customerId }]);
    return requireFound(stored, 'delivery_key');
  }

  async update(key: DeliveryKey): Promise<void> {
    await update(this.manager, deliveryKeyTable, { ...key, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    await this.manager.delete(deliveryKeyTable, { customerId: this.customerId, id });
  }
}

const knownKeys = `SELECT ${selectList(deliveryKeyTable, 'k')}, c.status AS "customerStatus"
  FROM delivery_keys k JOIN customers c ON c.id = k.customer_id WHERE k.public_id = ANY($1::text[])`;

export class TypeormDeliveryKeyFinder implements DeliveryKeyFinder {
  /** Nothing is cached: once a key is deleted, no later request finds it. */
  private readonly byPublicId = readBatcher<null, string, KnownDeliveryKey>((_, publicIds) =>
    withoutTransaction(this.dataSource, async (manager) => {
      type Row = DeliveryKey & { customerStatus: CustomerStatus };
      const rows = await select<Row>(manager, prepared(knownKeys), [publicIds]);
      return new Map(rows.map(({ customerStatus, ...key }) => [key.publicId, { key, customerStatus }]));
    }),
  );

  constructor(private readonly dataSource: DataSource) {}

  find(publicId: string): Promise<KnownDeliveryKey | null> {
    return this.byPublicId.enqueue(null, publicId);
  }
}
