import type {
  DeliveryKey,
  DeliveryKeyFinder,
  DeliveryKeyRepository,
  KnownDeliveryKey,
  NewDeliveryKey,
} from '../../src/core/delivery/delivery-key.js';
import type { NewPreset, Preset, PresetRepository } from '../../src/core/delivery/preset.js';
import { compareText } from '../../src/core/shared/text.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryRepository, MemoryRowRepository } from './memory-repository.js';

export class MemoryDeliveryKeyRepository
  extends MemoryRowRepository<DeliveryKey, NewDeliveryKey>
  implements DeliveryKeyRepository
{
  protected readonly table = this.database.deliveryKeys;
  protected readonly kind = 'delivery key';
}

export class MemoryPresetRepository extends MemoryRepository implements PresetRepository {
  /** By customer and name. */
  private readonly presets = this.database.table<Preset, string>('presets');

  async get(name: string): Promise<Preset | null> {
    return this.presets.get(this.keyOf(name)) ?? null;
  }

  async list(): Promise<readonly Preset[]> {
    return this.presets.rowsOf(this.customerId).sort((a, b) => compareText(a.name, b.name));
  }

  async put(preset: NewPreset): Promise<Preset> {
    this.database.requireCustomer(this.customerId);
    const before = await this.get(preset.name);
    const row = { ...preset, createdAt: before?.createdAt ?? preset.createdAt, customerId: this.customerId };
    this.presets.set(this.keyOf(preset.name), row);
    return row;
  }

  async delete(name: string): Promise<boolean> {
    if ((await this.get(name)) === null) return false;
    this.presets.delete(this.keyOf(name));
    return true;
  }

  private keyOf(name: string): string {
    return `${this.customerId} ${name}`;
  }
}

export class MemoryDeliveryKeyFinder implements DeliveryKeyFinder {
  constructor(private readonly database: MemoryDatabase) {}

  find(publicId: string): Promise<KnownDeliveryKey | null> {
    return this.database.transaction(async () => {
      const [key] = this.database.deliveryKeys.where((each) => each.publicId === publicId);
      const customer = key && this.database.customers.get(key.customerId);
      return key && customer ? { key: copyOf(key), customerStatus: customer.status } : null;
    });
  }
}
