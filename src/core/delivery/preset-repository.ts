import type { NewPreset, Preset } from './preset.js';

/** Presets of the bound customer. */
export interface PresetReads {
  get(name: string): Promise<Preset | null>;
  /** All of them, by name. */
  list(): Promise<readonly Preset[]>;
}

export interface PresetRepository extends PresetReads {
  /** Stores it; one of the same name gets its options, and keeps the time of its creation. */
  put(preset: NewPreset): Promise<Preset>;
  /** False when there is none of this name. */
  delete(name: string): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly presets: PresetReads;
  }
  interface Repositories {
    readonly presets: PresetRepository;
  }
}
