import type { DataSource } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import type {
  DeliveryKey,
  DeliveryKeyFinder,
  DeliveryKeyRepository,
  KnownDeliveryKey,
  NewDeliveryKey,
} from '../../../core/delivery/delivery-key.js';
import type { NewPreset, Preset, PresetRepository } from '../../../core/delivery/preset.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { readBatcher } from '../../shared-work.js';
import { TypeormRepository } from '../database/repository.js';
import {
  anyOf,
  generatedKey,
  insert,
  instant,
  key,
  optionalInstant,
  prepared,
  select,
  selectList,
  tableOf,
  text,
  update,
  yesOrNo,
} from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';

export const deliveryKeyTable = tableOf<DeliveryKey>('deliveryKey', 'delivery_keys', {
  customerId: key,
  id: generatedKey,
  publicId: text,
  name: text,
  secret: text,
  presetsOnly: yesOrNo,
  expiresAt: optionalInstant,
  createdAt: instant,
});

export const presetTable = tableOf<Preset>('preset', 'presets', {
  customerId: key,
  name: { ...text, primary: true },
  options: text,
  createdAt: instant,
  updatedAt: instant,
});

export class TypeormDeliveryKeyRepository extends TypeormRepository implements DeliveryKeyRepository {
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

const knownKeys = prepared(
  `SELECT ${selectList(deliveryKeyTable, 'k')}, c.status AS "customerStatus"
   FROM delivery_keys k JOIN customers c ON c.id = k.customer_id WHERE k.public_id = ${anyOf('$1::text[]')}`,
);

export class TypeormDeliveryKeyFinder implements DeliveryKeyFinder {
  /** Nothing is cached: once a key is deleted, no later request finds it. */
  private readonly byPublicId = readBatcher<null, string, KnownDeliveryKey>((_, publicIds) =>
    withoutTransaction(this.dataSource, async (manager) => {
      type Row = DeliveryKey & { customerStatus: CustomerStatus };
      const rows = await select<Row>(manager, knownKeys, [publicIds]);
      return new Map(rows.map(({ customerStatus, ...key }) => [key.publicId, { key, customerStatus }]));
    }),
  );

  constructor(private readonly dataSource: DataSource) {}

  find(publicId: string): Promise<KnownDeliveryKey | null> {
    return this.byPublicId.enqueue(null, publicId);
  }
}

export class TypeormPresetRepository extends TypeormRepository implements PresetRepository {
  get(name: string): Promise<Preset | null> {
    return this.manager.findOneBy(presetTable, { customerId: this.customerId, name });
  }

  list(): Promise<readonly Preset[]> {
    return this.manager.find(presetTable, { where: { customerId: this.customerId }, order: { name: 'ASC' } });
  }

  async put(preset: NewPreset): Promise<Preset> {
    const [stored] = await insert(
      this.manager,
      presetTable,
      [{ ...preset, customerId: this.customerId }],
      'ON CONFLICT (customer_id, name) DO UPDATE SET options = excluded.options, updated_at = excluded.updated_at',
    );
    return requireFound(stored, 'preset');
  }

  async delete(name: string): Promise<boolean> {
    const { affected } = await this.manager.delete(presetTable, { customerId: this.customerId, name });
    return affected === 1;
  }
}
