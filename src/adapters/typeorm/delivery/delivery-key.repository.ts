import type {
  DeliveryKey,
  DeliveryKeyFinder,
  DeliveryKeyRepository,
  KnownDeliveryKey,
  NewDeliveryKey,
} from '../../../core/delivery/delivery-key.js';
import type { NewPreset, Preset, PresetRepository } from '../../../core/delivery/preset.js';
import { requireFound } from '../../../core/shared/errors.js';
import { TypeormRepository, TypeormRowRepository, TypeormStore } from '../database/repository.js';
import { column, tableOf } from '../database/sql.js';

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

export class TypeormDeliveryKeyFinder extends TypeormStore implements DeliveryKeyFinder {
  private readonly byPublicId = this.finder(deliveryKeyTable, 'publicId', 'key');

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
