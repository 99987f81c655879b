import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
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
  /** As `formatDeliveryOptions` writes them. */
  readonly options: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewPreset = Omit<Preset, 'customerId'>;

/** The input for a preset: options as in an address. */
export interface PresetInput {
  readonly name: string;
  readonly options: string;
}

/** Presets that one customer may have. */
export const MAX_PRESETS = 50;

/** In the form in which it is stored. Errors: `invalid_request`. */
export function presetValues({ name, options }: PresetInput): PresetInput {
  if (!PRESET_NAME.test(name)) throw invalid(wrongName);
  const parsed = parsePresetOptions(options);
  // Sides that are too long times `dpr` would make every address of the preset fail.
  deliveredPicture({ alpha: false, focus: null }, parsed, new Set());
  return { name, options: formatDeliveryOptions(parsed) };
}

/** The options of an address that names no preset. Errors: `invalid_request`. */
export function parsePresetOptions(text: string): DeliveryOptions {
  const parsed = parseDeliveryOptions(text);
  if (parsed.p !== undefined) throw invalid(nested);
  return parsed;
}

export function optionsOfPreset({ options }: Pick<Preset, 'options'>): DeliveryOptions {
  return parseDeliveryOptions(options);
}

const wrongName: FieldError = {
  field: 'name',
  code: 'invalid_format',
  message: `The name of a preset must be ${PRESET_NAME_CHARACTERS}.`,
};

const nested: FieldError = {
  field: 'p',
  code: 'invalid_format',
  message: 'A preset must not name another. Give the options themselves.',
};
