import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ValidateBy } from 'class-validator';
import { isId } from '../../core/shared/ids.js';
import { type FieldSchema, HasLength, type Model } from './declared.js';
import { constraint, declared, examplesOf, type FieldOptions, field, ID } from './fields.js';

interface ListOptions<T> extends FieldOptions {
  readonly example?: readonly T[];
}

export function Ids(max?: number, { example, ...options }: ListOptions<number> = {}): PropertyDecorator {
  const validate = (value: unknown) => Array.isArray(value) && value.every(isId);
  const areIds = ValidateBy({ name: 'areIds', validator: { validate } }, constraint('must be a list of ids.'));
  return field(
    options,
    { type: 'array', items: ID, maxItems: max, ...examplesOf(example) },
    areIds,
    ...maxEntries(max),
  );
}

interface TextsOptions extends ListOptions<string> {
  /** Of a request: the longest entry. */
  readonly maxEntry?: number;
  /** The schema of an entry. */
  readonly item?: FieldSchema;
}

export function Texts(
  max?: number,
  { example, maxEntry, item = { type: 'string' }, ...options }: TextsOptions = {},
): PropertyDecorator {
  // Not `IsString` with `each`: that also accepts a single string instead of a list.
  const validate = (value: unknown) => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  const areTexts = ValidateBy({ name: 'areTexts', validator: { validate } }, constraint('must be a list of strings.'));
  return applyDecorators(
    HasLength(maxEntry),
    field(options, { type: 'array', items: item, maxItems: max, ...examplesOf(example) }, areTexts, ...maxEntries(max)),
  );
}

/** A list of objects, each with its own class. */
export interface ListField {
  readonly name: string;
  readonly shape: Model;
  readonly max: number;
}

const LISTS = Symbol('Lists');

/** A required list of 1 to `max` objects. They are read one by one, so that a long list does not block other requests. */
export function ListOf(shape: Model, max: number, options: FieldOptions = {}): PropertyDecorator {
  const declare = declared(options, { model: shape, isList: true, required: true, minItems: 1, maxItems: max });
  return (target, name) => {
    Reflect.defineMetadata(
      LISTS,
      [...listsOf(target.constructor as Model), { name: String(name), shape, max }],
      target,
    );
    declare(target, name);
  };
}

export function listsOf(shape: Model): readonly ListField[] {
  return Reflect.getMetadata(LISTS, shape.prototype) ?? [];
}

function maxEntries(max: number | undefined): PropertyDecorator[] {
  return max === undefined
    ? []
    : [ArrayMaxSize(max, constraint(`can have at most ${max} entries.`, 'too_many', { max }))];
}

/** Of a response: numbers by name. */
export function Counts({ example, ...options }: FieldOptions & { readonly example: Readonly<Record<string, number>> }) {
  const counts = { type: 'object', additionalProperties: { type: 'integer', minimum: 0 }, ...examplesOf(example) };
  return declared(options, counts);
}
