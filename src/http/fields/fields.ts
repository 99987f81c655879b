import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsBoolean,
  IsDefined,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import type { FieldErrorCode } from '../../core/shared/errors.js';
import { isId } from '../../core/shared/ids.js';
import { declareField, type FieldSchema, HasLength, type Model, ResponseModel, withMeanings } from './declared.js';

/**
 * Decorators for the fields of requests and responses. Each says the field once: to class-validator, which checks presence, null and type
 * of what is sent to us (core validates values), to class-transformer, and to the OpenAPI document. Each constraint has the code that
 * clients see, and its message continues after the field's name.
 */
export interface FieldOptions {
  readonly description?: string;
  /** Whether a request must have the field. */
  readonly required?: boolean;
  /** The field without a value of which a request must have this one. */
  readonly requiredWithout?: string;
  /** May be null; in a request, that clears it. */
  readonly nullable?: boolean;
  /** Whether a response may lack the field. */
  readonly sometimes?: boolean;
}

export interface TextOptions extends FieldOptions {
  readonly example?: string;
  /** In code points, as the text is stored: core checks it, because it knows how. */
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly format?: 'date-time' | 'uri';
  /** The limit for a text in a request that has no `max`, because its form says how long it is: more than any valid text has. */
  readonly bound?: number;
}

export function Text({ example, min, max, pattern, format, bound, ...options }: TextOptions = {}): PropertyDecorator {
  const rules = { minLength: min, maxLength: max, pattern, format };
  return applyDecorators(
    HasLength(bound ?? max),
    field(options, { type: 'string', ...examplesOf(example), ...rules }, IsString(constraint('must be a string.'))),
  );
}

/** An instant of the service: RFC 3339, UTC, milliseconds. */
export function Instant({ example = '2026-11-21T03:04:05.123Z', ...options }: TextOptions): PropertyDecorator {
  return Text({ example, format: 'date-time', ...options });
}

export interface NumberOptions extends FieldOptions {
  readonly example?: number;
  /** Core checks them in requests. */
  readonly min?: number;
  readonly max?: number;
}

/** Any finite number; `1e999` is not one. */
export function Decimal(options: NumberOptions = {}): PropertyDecorator {
  return numeric('number', options);
}

/** Documented as a whole number; in a request core says which numbers fit. */
export function WholeNumber(options: NumberOptions = {}): PropertyDecorator {
  return numeric('integer', options);
}

/** Declares a number of things in a response. */
export function Count(description: string, example = 0): PropertyDecorator {
  return WholeNumber({ description, example, min: 0 });
}

function numeric(type: string, { example, min, max, ...options }: NumberOptions): PropertyDecorator {
  const schema = { type, ...examplesOf(example), minimum: min, maximum: max };
  return field(options, schema, IsNumber({}, constraint('must be a number.')));
}

export function Flag({
  example,
  ...options
}: FieldOptions & { readonly example?: boolean; readonly const?: boolean; readonly default?: boolean } = {}) {
  const { const: only, default: absent, ...rest } = options;
  const schema = { type: 'boolean', const: only, ...examplesOf(example), default: absent };
  return field(rest, schema, IsBoolean(constraint('must be true or false.')));
}

/** A closed set of words, each with its meaning, in the order of the object. */
export function OneOf<Value extends string>(
  meanings: Readonly<Record<Value, string>>,
  { description, default: absent, ...options }: FieldOptions & { readonly default?: NoInfer<Value> } = {},
): PropertyDecorator {
  const values = Object.keys(meanings) as Value[];
  const schema = { type: 'string', enum: values, examples: values.slice(0, 1), default: absent };
  const declared = description === undefined ? {} : { description: withMeanings(description, meanings) };
  return applyDecorators(
    HasLength(Math.max(...values.map(({ length }) => length))),
    field(
      { ...options, ...declared },
      schema,
      IsString(constraint('must be a string.')),
      IsIn(values, constraint(`must be one of ${values.join(', ')}.`, 'invalid_format')),
    ),
  );
}

export function Constant(value: string, options: FieldOptions): PropertyDecorator {
  const schema = { type: 'string', const: value, ...examplesOf(value) };
  return applyDecorators(
    HasLength(value.length),
    field(options, schema, IsIn([value], constraint(`must be ${value}.`))),
  );
}

/** A closed set of numbers. Core checks it in requests. */
export function OneOfNumbers(values: readonly number[], options: FieldOptions): PropertyDecorator {
  const schema = { type: 'integer', enum: values, examples: values.slice(0, 1) };
  return field(options, schema, IsNumber({}, constraint('must be a number.')));
}

const ID = { $ref: '#/components/schemas/Id' };

export function IdOf({ example, ...options }: FieldOptions & { readonly example: number }): PropertyDecorator {
  return field(options, { ...ID, ...examplesOf(example) }, IsNumber({}, constraint('must be a number.')));
}

export interface MapOptions extends FieldOptions {
  /** Null removes a key. */
  readonly nulls?: boolean;
  /** Length of the longest value in a request. */
  readonly maxValue?: number;
  readonly schema?: FieldSchema;
}

export function StringMap({ nulls = false, maxValue, schema = {}, ...options }: MapOptions = {}): PropertyDecorator {
  const isValue = (value: unknown) => typeof value === 'string' || (nulls && value === null);
  const validate = (value: unknown) => isPlainObject(value) && Object.values(value).every(isValue);
  const isMap = ValidateBy(
    { name: 'isStringMap', validator: { validate } },
    constraint('must be an object whose values are strings.'),
  );
  return applyDecorators(HasLength(maxValue), field(options, { type: 'object', ...schema }, isMap));
}

export function Nested(model: Model, options: FieldOptions = {}): PropertyDecorator {
  const isNested = [IsObject(constraint('must be an object.')), ValidateNested(), Type(() => model)];
  return field(options, { model }, ...isNested);
}

/** One of the document's own schemas, by its name. */
export function Reference(name: string, options: FieldOptions): PropertyDecorator {
  return field(options, { $ref: `#/components/schemas/${name}` });
}

/** Objects of a response, each with its own class. */
export function Models(model: Model, options: FieldOptions): PropertyDecorator {
  return field(options, { model, isList: true });
}

export function pageOf(name: string, description: string, item: Model): Model {
  class Page {}
  Models(item, { description: 'The items on this page, in the order of the list.' })(Page.prototype, 'data');
  Reference('Pagination', {})(Page.prototype, 'pagination');
  ResponseModel(name, description)(Page);
  return Page;
}

/** The class of a nested field, as its `@Type` says; undefined if it has none. */
export function nestedModel(model: Model, name: string): Model | undefined {
  const value = (plainToInstance(model, { [name]: {} }) as Record<string, object>)[name];
  return value === undefined || value.constructor === Object ? undefined : (value.constructor as Model);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function field(options: FieldOptions, schema: FieldSchema, ...validators: readonly PropertyDecorator[]) {
  return applyDecorators(presence(options), ...validators, declared(options, schema));
}

function presence({ required, requiredWithout, nullable }: FieldOptions): PropertyDecorator {
  const isDefined = IsDefined(constraint('is required.', 'required'));
  if (required) return isDefined;
  if (requiredWithout !== undefined) {
    const isMissing = (body: Readonly<Record<string, unknown>>) => !body[requiredWithout];
    return applyDecorators(
      ValidateIf((body, value) => value !== undefined || isMissing(body)),
      isDefined,
    );
  }
  return nullable ? IsOptional() : ValidateIf((_, value) => value !== undefined);
}

function declared(
  { description, nullable, requiredWithout: _, ...options }: FieldOptions,
  schema: FieldSchema,
): PropertyDecorator {
  if (description === undefined && !('model' in schema) && !('$ref' in schema)) return () => undefined;
  return declareField({
    ...schema,
    ...options,
    ...(description !== undefined && { description }),
    ...(nullable && { nullable }),
  });
}

function examplesOf<T>(example: T | undefined): { readonly examples?: readonly T[] } {
  return example === undefined ? {} : { examples: [example] };
}

function constraint(
  message: string,
  code: FieldErrorCode = 'invalid_type',
  bounds: { max?: number } = {},
): ValidationOptions {
  return { message, context: { code, ...bounds } };
}

interface ListOptions<T> extends FieldOptions {
  readonly example?: readonly T[];
}

export function Ids(max?: number, { example, ...options }: ListOptions<number> = {}): PropertyDecorator {
  const validate = (value: unknown) => Array.isArray(value) && value.every(isId);
  const areIds = ValidateBy({ name: 'areIds', validator: { validate } }, constraint('must be a list of ids.'));
  const schema = { type: 'array', items: ID, maxItems: max, ...examplesOf(example) };
  return field(options, schema, areIds, ...maxEntries(max));
}

/** @param maxEntry Length of the longest entry in a request. */
export function Texts(
  max: number | undefined,
  { example, maxEntry, item, ...options }: ListOptions<string> & { maxEntry?: number; item: FieldSchema },
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
    const lists = [...listsOf(target.constructor as Model), { name: String(name), shape, max }];
    Reflect.defineMetadata(LISTS, lists, target);
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

/** Declares numbers by name in a response. */
export function Counts({ example, ...options }: FieldOptions & { readonly example: Readonly<Record<string, number>> }) {
  const counts = { type: 'object', additionalProperties: { type: 'integer', minimum: 0 }, ...examplesOf(example) };
  return declared(options, counts);
}
