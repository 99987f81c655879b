/** The options by which a picture is made of a photo. At least one option is required. */
export interface ImageOptions {
  /** Pixels, 1 to 4096. Without `width` or `height`, the missing side follows from the shape of the photo and is at most 4096 too. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /**
   * The way in which the photo fits into width and height: whole and no larger than both (`inside`, the default), cropped to them (`cover`), whole on a
   * background of that size (`contain`), or distorted (`fill`). Only `fill` enlarges.
   */
  readonly fit?: 'inside' | 'cover' | 'contain' | 'fill' | undefined;
  /** The part that `cover` keeps in view. Default: the photo's `focus`, or else the center. */
  readonly gravity?: 'center' | 'focus' | 'auto' | undefined;
  /** Default `auto`: the best that the browser accepts. */
  readonly format?: 'auto' | 'jpeg' | 'webp' | 'avif' | 'png' | undefined;
  /** 1 to 100. */
  readonly quality?: number | undefined;
  /** Device pixels for each pixel of width and height, 1 to 3, with at most two decimals. */
  readonly dpr?: number | undefined;
  /** `rrggbb`: beside the photo with `contain`, and behind transparency in a JPEG. */
  readonly background?: string | undefined;
  /** 0.3 to 100, with at most two decimals. */
  readonly blur?: number | undefined;
  /** The name of a preset. Other options override its own. */
  readonly preset?: string | undefined;
}

/** Pixels of a side, `dpr` included. */
export const MAX_SIDE = 4096;

interface Rule {
  /** The name in the address. */
  readonly short: string;
  readonly allows: (value: unknown) => boolean;
  /** Completes "must be …". */
  readonly values: string;
}

/** In the order of the address, which is always the same: the same picture has one address, and caches store it once. */
const rules: Readonly<Record<keyof ImageOptions, Rule>> = {
  width: { short: 'w', ...whole(1, MAX_SIDE) },
  height: { short: 'h', ...whole(1, MAX_SIDE) },
  fit: { short: 'fit', ...oneOf('inside', 'cover', 'contain', 'fill') },
  gravity: { short: 'g', ...oneOf('center', 'focus', 'auto') },
  format: { short: 'f', ...oneOf('auto', 'jpeg', 'webp', 'avif', 'png') },
  quality: { short: 'q', ...whole(1, 100) },
  dpr: { short: 'dpr', ...decimal(1, 3) },
  background: { short: 'bg', ...pattern(/^[0-9a-f]{6}$/, 'six lower-case hex digits, rrggbb') },
  blur: { short: 'blur', ...decimal(0.3, 100) },
  preset: { short: 'p', ...pattern(/^[a-z0-9_-]{1,40}$/, '1 to 40 of a-z, 0-9, _ and -') },
};

const names = Object.keys(rules) as readonly (keyof ImageOptions)[];

/** The options as an address has them. @throws TypeError when no address can have them. */
export function formatOptions(options: ImageOptions): string {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(rules, name));
  if (unknown !== undefined) throw new TypeError(`There is no option ${unknown}. Options are ${names.join(', ')}.`);
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length === 0) throw new TypeError(`At least one option is required: ${names.join(', ')}.`);
  for (const name of given) {
    const { allows, values } = rules[name];
    if (!allows(options[name]))
      throw new TypeError(`${name} must be ${values}, and is ${JSON.stringify(options[name])}.`);
  }
  for (const name of ['width', 'height'] as const) {
    if (Math.round((options[name] ?? 0) * (options.dpr ?? 1)) > MAX_SIDE)
      throw new TypeError(`${name} × dpr must be at most ${MAX_SIDE} pixels.`);
  }
  return given.map((name) => `${rules[name].short}=${options[name]}`).join(',');
}

function whole(min: number, max: number): Omit<Rule, 'short'> {
  const allows = (value: unknown) => Number.isInteger(value) && isWithin(value, min, max);
  return { allows, values: `a whole number from ${min} to ${max}` };
}

function decimal(min: number, max: number): Omit<Rule, 'short'> {
  const allows = (value: unknown) => isWithin(value, min, max) && /^\d+(\.\d{1,2})?$/.test(String(value));
  return { allows, values: `a number from ${min} to ${max} with at most two decimals` };
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

function oneOf(...values: readonly string[]): Omit<Rule, 'short'> {
  return { allows: (value) => values.includes(value as string), values: `one of ${values.join(', ')}` };
}

function pattern(spelling: RegExp, values: string): Omit<Rule, 'short'> {
  return { allows: (value) => typeof value === 'string' && spelling.test(value), values };
}
