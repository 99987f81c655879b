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
import { readBatcher } from '../../shared-work.js';
import { TypeormRepository, TypeormRowRepository, TypeormStore } from '../database/repository.js';
import { anyOf, column, prepared, selectList, tableOf } from '../database/sql.js';

export const deliveryKeyTable = tableOf<DeliveryKey>('deliveryKey', 'delivery_keys', {
  customerId: column.key,
  id: column.generatedKey,
  publicId: column.text,
  name: column.text,
  secret: column.text,
  presetsOnly: column.yesOrNo,
  expiresAt: column.optionalInstant,
  createdAt: column.instant,
});

export const presetTable = tableOf<Preset>('preset', 'presets', {
  customerId: column.key,
  name: { ...column.text, primary: true },
  options: column.text,
  createdAt: column.instant,
  updatedAt: column.instant,
});

export class TypeormDeliveryKeyRepository
  extends TypeormRowRepository<DeliveryKey, NewDeliveryKey>
  implements DeliveryKeyRepository
{
  protected readonly table = deliveryKeyTable;
  protected readonly order = { id: 'ASC' } as const;
}

const knownKeys = prepared(
  `SELECT ${selectList(deliveryKeyTable, 'k')}, c.status AS "customerStatus"
   FROM delivery_keys k JOIN customers c ON c.id = k.customer_id WHERE k.public_id = ${anyOf('$1::text[]')}`,
);

export class TypeormDeliveryKeyFinder extends TypeormStore implements DeliveryKeyFinder {
  /** Nothing is cached: once a key is deleted, no later request finds it. */
  private readonly byPublicId = readBatcher<null, string, KnownDeliveryKey>(async (_, publicIds) => {
    const rows = await this.select<DeliveryKey & { customerStatus: CustomerStatus }>(knownKeys, publicIds);
    return new Map(rows.map(({ customerStatus, ...key }) => [key.publicId, { key, customerStatus }]));
  });

  find(publicId: string): Promise<KnownDeliveryKey | null> {
    return this.byPublicId.enqueue(null, publicId);
  }
}

export class TypeormPresetRepository extends TypeormRepository implements PresetRepository {
  get(name: string): Promise<Preset | null> {
    return this.manager.findOneBy(presetTable, { customerId: this.customerId, name });
  }

  list(): Promise<readonly Preset[]> {
    return this.findRows(presetTable, {}, { name: 'ASC' });
  }

  async put(preset: NewPreset): Promise<Preset> {
    const onConflict =
      'ON CONFLICT (customer_id, name) DO UPDATE SET options = excluded.options, updated_at = excluded.updated_at';
    return requireFound(await this.insertRow(presetTable, preset, onConflict), 'preset');
  }

  delete(name: string): Promise<boolean> {
    return this.deleteRow(presetTable, { name });
  }
}
