import type { EntityManager } from 'typeorm';
import type { NewPreset, Preset, PresetRepository } from '../../../core/delivery/preset.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { insert } from '../database/rows.js';
import { presetTable } from './delivery.table.js';

export class TypeormPresetRepository implements PresetRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

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
