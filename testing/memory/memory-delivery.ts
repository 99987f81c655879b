import type {
  DeliveryKey,
  DeliveryKeyFinder,
  DeliveryKeyRepository,
  KnownDeliveryKey,
  NewDeliveryKey,
} from '../../src/core/delivery/delivery-key.js';
import type { NewPreset, Preset, PresetRepository } from '../../src/core/delivery/preset.js';
import type { Id } from '../../src/core/shared/ids.js';
import { compareText } from '../../src/core/shared/text.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryRepository } from './memory-repository.js';

export class MemoryDeliveryKeyRepository extends MemoryRepository implements DeliveryKeyRepository {
  async get(id: Id): Promise<DeliveryKey | null> {
    return this.database.deliveryKeys.rowOf(this.customerId, id);
  }

  async list(): Promise<readonly DeliveryKey[]> {
    return this.database.deliveryKeys.rowsOf(this.customerId).sort((a, b) => a.id - b.id);
  }

  async lock(id: Id): Promise<DeliveryKey | null> {
    this.held.lock('delivery key', [id]);
    return this.get(id);
  }

  async insert(key: NewDeliveryKey): Promise<DeliveryKey> {
    this.database.requireCustomer(this.customerId);
    const row = { ...key, customerId: this.customerId, id: this.database.next('delivery key') };
    this.database.deliveryKeys.set(row.id, row);
    return row;
  }

  async update(key: DeliveryKey): Promise<void> {
    this.held.requireLocked('delivery key', key.id);
    if ((await this.get(key.id)) === null) return;
    this.database.deliveryKeys.set(key.id, { ...key, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    if ((await this.get(id)) !== null) this.database.deliveryKeys.delete(id);
  }
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
