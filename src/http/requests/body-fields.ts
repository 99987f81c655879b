import { ValidateBy, ValidateNested } from 'class-validator';
import type { FieldErrorCode } from '../../core/shared/errors.js';
import { isId } from '../../core/shared/ids.js';

/**
 * Decorators for the fields of request bodies. They check presence, null and type; core validates values. Each constraint has the code that
 * clients see (API.md §4.4), and its message continues after the field's name.
 */
export interface FieldRules {
  /** Required. */
  readonly required?: boolean;
  /** May be null, which clears it. */
  readonly nullable?: boolean;
}

export type Shape = new () => object;

export function Text(rules: FieldRules = {}): PropertyDecorator {
  return field(rules, (value) => typeof value === 'string', 'must be a string.');
}

/** Any finite number; `1e999` is not one. */
export function Decimal(rules: FieldRules = {}): PropertyDecorator {
  return field(rules, (value) => Number.isFinite(value), 'must be a number.');
}

export function WholeNumber(rules: FieldRules = {}): PropertyDecorator {
  return field(rules, (value) => Number.isSafeInteger(value), 'must be a whole number.');
}

export function Flag(rules: FieldRules = {}): PropertyDecorator {
  return field(rules, (value) => typeof value === 'boolean', 'must be true or false.');
}

export function OneOf(choices: readonly (string | number | boolean)[], rules: FieldRules = {}): PropertyDecorator {
  const first = choices[0];
  const among = check(
    'invalid_format',
    (value) => typeof value !== typeof first || choices.includes(value as string),
    `must be one of ${choices.join(', ')}.`,
  );
  return both(
    field(rules, (value) => typeof value === typeof first, `must be a ${typeof first}.`),
    among,
  );
}

export function Ids(max: number, rules: FieldRules = {}): PropertyDecorator {
  const type = field(rules, (value) => Array.isArray(value) && value.every(isId), 'must be a list of ids.');
  return both(type, atMost(max));
}

export function Texts(max: number, rules: FieldRules = {}): PropertyDecorator {
  const areTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
  return both(field(rules, areTexts, 'must be a list of strings.'), atMost(max));
}

/** Names mapped to strings. With `nulls`, null removes a key. */
export function StringMap(rules: FieldRules & { readonly nulls?: boolean } = {}): PropertyDecorator {
  const isValue = (value: unknown) => typeof value === 'string' || (rules.nulls === true && value === null);
  const isMap = (value: unknown) => isPlainObject(value) && Object.values(value).every(isValue);
  return field(rules, isMap, 'must be an object whose values are strings.');
}

const nested = new WeakMap<object, Map<string, Shape>>();

/** A nested object with its own class. */
export function Nested(shape: Shape, rules: FieldRules = {}): PropertyDecorator {
  const remember: PropertyDecorator = (target, name) => {
    nested.set(target, new Map([...(nested.get(target) ?? []), [String(name), shape]]));
  };
  return both(field(rules, isPlainObject, 'must be an object.'), ValidateNested(), remember);
}

/** The class of a nested field, also of one inherited from a parent class. */
export function nestedShape(shape: Shape, name: string): Shape | undefined {
  for (let target = shape.prototype; target !== null; target = Object.getPrototypeOf(target)) {
    const found = nested.get(target)?.get(name);
    if (found) return found;
  }
  return undefined;
}

/** A list of objects, each with its own class. */
export interface ListField {
  readonly name: string;
  readonly shape: Shape;
  readonly max: number;
}

const lists = new WeakMap<object, ListField[]>();

/** A required list of 1 to `max` objects. They are read one by one, so that a long list does not block other requests. */
export function ListOf(shape: Shape, max: number): PropertyDecorator {
  return (target, name) => {
    lists.set(target, [...(lists.get(target) ?? []), { name: String(name), shape, max }]);
  };
}

export function listsOf(shape: Shape): readonly ListField[] {
  return lists.get(shape.prototype) ?? [];
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function field(
  { required = false, nullable = false }: FieldRules,
  isRight: (value: unknown) => boolean,
  says: string,
): PropertyDecorator {
  const decorators = [check('invalid_type', isRight, says)];
  if (required) decorators.push(present());
  if (!nullable) decorators.push(notNull());
  return both(...decorators);
}

/** Only applied to present values: absence and null have their own checks. */
function check(
  code: FieldErrorCode,
  isRight: (value: unknown) => boolean,
  says: string,
  max?: number,
): PropertyDecorator {
  const validate = (value: unknown) => value === undefined || value === null || isRight(value);
  const context = max === undefined ? {} : { max };
  return ValidateBy({ name: code, validator: { validate, defaultMessage: () => says } }, { context });
}

function atMost(max: number): PropertyDecorator {
  return check(
    'too_many',
    (value) => !Array.isArray(value) || value.length <= max,
    `takes at most ${max} entries.`,
    max,
  );
}

function present(): PropertyDecorator {
  return ValidateBy({
    name: 'required',
    validator: { validate: (value) => value !== undefined, defaultMessage: () => 'is required.' },
  });
}

function notNull(): PropertyDecorator {
  return ValidateBy({
    name: 'not_nullable',
    validator: { validate: (value) => value !== null, defaultMessage: () => 'must not be null.' },
  });
}

function both(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, name) => {
    for (const decorate of decorators) decorate(target, name);
  };
}
