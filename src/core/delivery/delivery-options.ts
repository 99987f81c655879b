import { fits, MAX_RESULT_SIDE, pictureFormats } from '../media/transformation.js';
import { type FieldError, type FieldErrorCode, invalid, requireValid } from '../shared/errors.js';

export const PRESET_NAME = /^[a-z0-9_-]{1,40}$/;
export const PRESET_NAME_CHARACTERS = '1 to 40 of a-z, 0-9, _ and -';

/** The parts of a picture that `cover` can keep in view: the middle, the photo's focus, or what attracts attention. */
export const gravities = ['center', 'focus', 'auto'] as const;
export const deliveryFormats = ['auto', ...pictureFormats] as const;

interface Rule<T> {
  /** Null when it is not one of the `values`. */
  read(text: string): T | null;
  /** Completes "must be …". */
  readonly values: string;
  readonly code: FieldErrorCode;
  readonly min?: number;
  readonly max?: number;
}

const rules = {
  w: whole(1, MAX_RESULT_SIDE),
  h: whole(1, MAX_RESULT_SIDE),
  fit: oneOf(fits),
  g: oneOf(gravities),
  f: oneOf(deliveryFormats),
  q: whole(1, 100),
  dpr: decimal(1, 3),
  bg: pattern(/^[0-9a-f]{6}$/, 'a color of six lower-case hex digits, rrggbb'),
  blur: decimal(0.3, 100),
  p: pattern(PRESET_NAME, `the name of a preset, ${PRESET_NAME_CHARACTERS}`),
} satisfies Record<string, Rule<unknown>>;

type Name = keyof typeof rules;

/** The options of an address or a preset, as they were given: absent ones are absent. */
export type DeliveryOptions = {
  readonly [N in Name]?: NonNullable<ReturnType<(typeof rules)[N]['read']>>;
};

export const optionNames = Object.keys(rules) as readonly Name[];

/**
 * The options in the text of an address, such as `w=300,fit=cover`: comma separated, in any order, each once, in one spelling. Errors:
 * `invalid_request`, one error for each option that is wrong.
 */
export function parseDeliveryOptions(text: string): DeliveryOptions {
  const given = text.split(',').map((part) => part.split('='));
  const max = optionNames.length;
  // One error, not one for each of thousands of parts.
  if (given.length > max) {
    const message = `There are more than ${max} options. Give each once.`;
    throw invalid({ field: 'options', code: 'too_many', max, message });
  }
  const options: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const [name = '', value, ...rest] of given) {
    if (!isName(name)) {
      const message = `There is no option "${name}". Options are ${optionNames.join(', ')}.`;
      errors.push({ field: 'options', code: 'unknown_field', message });
      continue;
    }
    const { read: readValue, values, ...error }: Rule<unknown> = rules[name];
    const read = value === undefined || rest.length > 0 ? null : readValue(value);
    if (Object.hasOwn(options, name))
      errors.push({ field: name, code: 'invalid_format', message: `${name} must be given once.` });
    else if (read === null) errors.push({ field: name, ...error, message: `${name} must be ${values}.` });
    options[name] = read;
  }
  requireValid(errors);
  return options as DeliveryOptions;
}

/** The same options always give the same text; `parseDeliveryOptions` reads it. */
export function formatDeliveryOptions(options: DeliveryOptions): string {
  return optionNames
    .filter((name) => options[name] !== undefined)
    .map((name) => `${name}=${options[name]}`)
    .join(',');
}

function isName(text: string): text is Name {
  return Object.hasOwn(rules, text);
}

function whole(min: number, max: number): Rule<number> {
  return number(/^[1-9]\d{0,4}$/, 'a whole number', min, max);
}

/** At most two decimals, so that there are not countless pictures that no one can tell apart. */
function decimal(min: number, max: number): Rule<number> {
  return number(/^(0|[1-9]\d{0,2})(\.\d?[1-9])?$/, 'a number with at most two decimals', min, max);
}

function number(spelling: RegExp, kind: string, min: number, max: number): Rule<number> {
  const read = (text: string) => {
    const value = spelling.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
  return { read, values: `${kind} from ${min} to ${max}`, code: 'out_of_range', min, max };
}

function oneOf<const T extends string>(values: readonly T[]): Rule<T> {
  const read = (text: string) => values.find((value) => value === text) ?? null;
  return { read, values: `one of ${values.join(', ')}`, code: 'invalid_format' };
}

function pattern(spelling: RegExp, values: string): Rule<string> {
  return { read: (text) => (spelling.test(text) ? text : null), values, code: 'invalid_format' };
}
