import type { AccountCaller } from '../customers/customer.js';
import type { Clock } from '../shared/clock.js';
import { invalid, notFound, requireBelowLimit, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import { deliveredPicture } from './delivered-picture.js';
import {
  type DeliveryOptions,
  formatDeliveryOptions,
  PRESET_NAME,
  PRESET_NAME_CHARACTERS,
  parseDeliveryOptions,
} from './delivery-options.js';

/** A named set of options, which URLs give in their stead. */
export interface Preset {
  readonly customerId: Id;
  readonly name: string;
  /** The options as text that `formatDeliveryOptions` writes. */
  readonly options: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewPreset = Omit<Preset, 'customerId'>;

type PresetInput = Pick<Preset, 'name' | 'options'>;

export const MAX_PRESETS = 50;

/** In the form in which it is stored. Errors: `invalid_request`. */
export function presetValues({ name, options }: PresetInput): PresetInput {
  if (!PRESET_NAME.test(name)) {
    const message = `The name of a preset must be ${PRESET_NAME_CHARACTERS}.`;
    throw invalid({ field: 'name', code: 'invalid_format', message });
  }
  const parsed = parsePresetOptions(options);
  // Sides that are too long times `dpr` would make every address of the preset fail.
  deliveredPicture({ alpha: false, focus: null }, parsed, new Set());
  return { name, options: formatDeliveryOptions(parsed) };
}

/** The options of an address that names no preset. Errors: `invalid_request`. */
export function parsePresetOptions(text: string): DeliveryOptions {
  const parsed = parseDeliveryOptions(text);
  if (parsed.p !== undefined) {
    const message = 'A preset must not name another. Give the options themselves.';
    throw invalid({ field: 'p', code: 'invalid_format', message });
  }
  return parsed;
}

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

/**
 * Creates a preset, or gives an existing one other options: all its addresses then show other pictures. With `isNew` an existing one is
 * left alone. `check` is called with an existing one. Errors: `invalid_request`, `limit_reached`, `not_found` (customer), and those of `check`.
 */
export async function savePreset(
  { store, clock }: { store: Transactional<'customer' | 'presets' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  { isNew = false, ...input }: PresetInput & { readonly isNew?: boolean },
  check: Precondition<Preset> = unconditional,
): Promise<Preset> {
  const values = presetValues(input);
  return store.transaction(customerId, async ({ customer, presets, audit }) => {
    // Presets are created one at a time: their number stays within its limit, and of two new ones with one name the second is refused.
    await customer.lock();
    const [before, at] = [await presets.get(values.name), clock.now()];
    if (isNew && before !== null) {
      const message = `There is already a preset "${before.name}". Choose another name, or edit that preset.`;
      throw invalid({ field: 'name', code: 'conflict', message });
    }
    if (before !== null) check(before);
    if (before?.options === values.options) return before;
    const tooMany = `A customer can have at most ${MAX_PRESETS} presets. Delete one first.`;
    if (before === null) requireBelowLimit((await presets.list()).length, MAX_PRESETS, 'presets', tooMany);
    const saved = await presets.put({ ...values, createdAt: at, updatedAt: at });
    const subject = { id: null, name: saved.name };
    if (before === null) await audit.add(actor, { action: 'preset.created', subject, at });
    else await audit.add(actor, { action: 'preset.edited', changes: ['options'], subject, at });
    return saved;
  });
}

/** All presets of a customer, by name. */
export function listPresets({ store }: { store: Readable<'presets'> }, customerId: Id): Promise<readonly Preset[]> {
  return store.query(customerId, ({ presets }) => presets.list());
}

/** Errors: `not_found`. */
export async function readPreset(
  { store }: { store: Readable<'presets'> },
  customerId: Id,
  name: string,
): Promise<Preset> {
  return requireFound(await store.query(customerId, ({ presets }) => presets.get(name)), 'preset');
}

/** Addresses that name it are refused from here on. Errors: `not_found`. */
export function deletePreset(
  { store, clock }: { store: Transactional<'presets' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  name: string,
): Promise<void> {
  return store.transaction(customerId, async ({ presets, audit }) => {
    if (!(await presets.delete(name))) throw notFound('preset');
    await audit.add(actor, { action: 'preset.deleted', subject: { id: null, name }, at: clock.now() });
  });
}
