import { setImmediate as othersTurn } from 'node:timers/promises';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import type { Limits } from '../../core/customers/limits.js';
import { type FieldError, type FieldErrorCode, invalid } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { bounded, type Model } from '../fields/declared.js';
import { isPlainObject, type ListField, listsOf, nestedModel } from '../fields/fields.js';

const MAX_DEPTH = 10;
const TOO_DEEP = `The body is nested more than ${MAX_DEPTH} levels deep.`;

const MIB = 1024 * 1024;
export const JSON_BODY_BYTES = 1 * MIB;
export const REGISTRATION_BODY_BYTES = 5 * MIB;

/** No body has more values: five hundred files with all their fields, tags and metadata; else lists of a thousand ids or tags. */
export function maxValuesOf(maxBytes: number): number {
  return maxBytes > JSON_BODY_BYTES ? 100_000 : 10_000;
}

/** No object of this API has more fields, and no list more entries. Checked first, because validating very many takes long. */
const MAX_FIELDS = 100;
const MAX_ENTRIES = 1000;

/** Objects of a list that are read before other requests get their turn. */
const ITEMS_AT_ONCE = 25;

export type BodyClass = Model & {
  /** Fields that clients see but cannot write here, each with what changes it. If sent, they are `read_only` instead of unknown. */
  readonly readOnly?: Readonly<Record<string, string>>;
  /** Returns what core finds wrong with the values, independent of the library. Fields of the wrong shape are absent from the body. */
  readonly valueErrors?: (body: never, request: BodyContext) => readonly FieldError[];
};

/** Other parts of the request that the values of a body are compared with. */
export interface BodyContext {
  /** In the path. */
  readonly id: Id;
  readonly limits: Limits;
}

/** Bytes as JSON. Errors: `invalid_request` (`invalid_json`). */
export function parseJson(bytes: Uint8Array, path = 'body', maxValues = maxValuesOf(JSON_BODY_BYTES)): unknown {
  const unparsed = excessBeforeParsing(bytes, path, maxValues);
  if (unparsed) throw invalid(unparsed);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const what = path === 'body' ? 'The body' : `The part ${path}`;
    throw invalid({ field: path, code: 'invalid_json', message: `${what} is not valid JSON in UTF-8.` });
  }
  const error = excess(value, path === 'body' ? '' : path);
  if (error) throw invalid(error);
  return value;
}

/**
 * Far deeper than any body may be, or more values than any has: parsing a megabyte of brackets takes a tenth of a second and fills the memory.
 * The limits of single objects and lists are checked afterwards.
 */
function excessBeforeParsing(bytes: Uint8Array, field: string, maxValues: number): FieldError | null {
  let [depth, values] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at += 1; at < bytes.length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
    } else if (byte === COMMA) values += 1;
    else if (byte === BRACKET || byte === BRACE) depth += 1;
    else if (byte === BRACKET + 2 || byte === BRACE + 2) depth -= 1;
    if (depth > 10 * MAX_DEPTH) return { field, code: 'invalid_json', message: TOO_DEEP };
    if (values > maxValues) return { field, code: 'too_many', message: `${field} has too many entries.` };
  }
  return null;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** The first limit on depth or number that is exceeded, if any. */
function excess(value: unknown, path: string, depth = 1): FieldError | null {
  if (typeof value !== 'object' || value === null) return null;
  const field = path || 'body';
  if (depth > MAX_DEPTH) {
    return { field, code: 'invalid_json', message: TOO_DEEP };
  }
  const [count, max] = Array.isArray(value) ? [value.length, MAX_ENTRIES] : [Object.keys(value).length, MAX_FIELDS];
  if (count > max) return { field, code: 'too_many', message: `${field} has too many entries.` };
  for (const [name, item] of Object.entries(value)) {
    const error = excess(item, pathOf(path, name), depth + 1);
    if (error) return error;
  }
  return null;
}

export interface Shaped {
  readonly body: object;
  readonly errors: readonly FieldError[];
}

/**
 * The body as an instance of its class, or all its errors, in the order in which its fields were sent.
 * @param request Absent: only the shape is checked, and the values are left to the use case.
 */
export async function readShape(value: unknown, shape: BodyClass, request?: BodyContext): Promise<Shaped> {
  const { lists, ...read } = readFields(value, shape, '');
  const errors = [...read.errors];
  for (const list of lists) {
    const items = await readList((value as Record<string, unknown>)[list.name], list);
    errors.push(...items.errors);
    Object.assign(read.body, { [list.name]: items.body });
  }
  if (request !== undefined) errors.push(...valueErrors(read.body, errors, shape, request));
  if (errors.length === 0) return { body: read.body, errors };
  return { body: read.body, errors: inOrder(errors, fieldNames(value)).slice(0, 100) };
}

/** Missing fields are not reported while a field is unknown: it may be the missing one, misspelt. */
function valueErrors(
  body: object,
  broken: readonly FieldError[],
  shape: BodyClass,
  request: BodyContext,
): readonly FieldError[] {
  if (shape.valueErrors === undefined) return [];
  const unreadable = broken.filter(({ code }) => code !== 'unknown_field' && code !== 'read_only');
  const readable = unreadable.reduce((rest, { field }) => without(rest, field.split('.')), body);
  const errors = shape.valueErrors(readable as never, request);
  return unreadable.length === 0 ? errors : errors.filter(({ code }) => code !== 'required');
}

function fieldNames(value: unknown): string[] {
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => [
    name,
    ...fieldNames(part).map((inner) => `${name}.${inner}`),
  ]);
}

function without(body: object, [name = '', ...inner]: readonly string[]): object {
  const { [name]: part, ...rest } = body as Record<string, unknown>;
  return inner.length > 0 && isPlainObject(part) ? { ...rest, [name]: without(part, inner) } : rest;
}

async function readList(value: unknown, { name, shape, max }: ListField): Promise<Shaped> {
  const wrong = (code: FieldErrorCode, says: string, bounds = {}) => {
    return { body: [], errors: [{ field: name, code, message: `${name} ${says}`, ...bounds }] };
  };
  if (value === undefined) return wrong('required', 'is required.');
  if (value === null) return wrong('not_nullable', 'must not be null.');
  if (!Array.isArray(value)) return wrong('invalid_type', 'must be a list of objects.');
  if (value.length === 0) return wrong('too_short', 'must have at least one entry.', { min: 1, max });
  if (value.length > max) return wrong('too_many', `can have at most ${max} entries.`, { max });
  const items: object[] = [];
  const errors: FieldError[] = [];
  for (const [at, item] of value.entries()) {
    if (at > 0 && at % ITEMS_AT_ONCE === 0) await othersTurn();
    const read = readFields(item, shape, `${name}[${at}]`);
    items.push(read.body);
    errors.push(...read.errors);
  }
  return { body: items, errors };
}

function readFields(value: unknown, shape: BodyClass, path: string): Shaped & { readonly lists: readonly ListField[] } {
  if (!isPlainObject(value)) {
    const message = `${path || 'The body'} must be a JSON object.`;
    return { body: {}, errors: [{ field: path || 'body', code: 'invalid_type', message }], lists: [] };
  }
  const lists = listsOf(shape);
  const names = Object.keys(value).filter((name) => !lists.some((list) => list.name === name));
  const body = instance(value, names, shape);
  const broken = validateSync(body, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  const errors = [...reservedNames(value, shape, path), ...broken.flatMap((error) => fieldErrors(error, shape, path))];
  return { body, errors, lists };
}

/**
 * The values as an instance of the class that has their rules. class-transformer only gets the plain values: it would turn everything else
 * in a body into objects too, and throws on a field named `constructor` in one.
 */
function instance(value: Record<string, unknown>, names: readonly string[], shape: Model): object {
  const fields = names
    .filter((name) => !RESERVED.includes(name))
    .map((name) => [name, bounded(value[name], shape, name)] as const);
  const plain = fields.map(([name, part]) => [name, typeof part === 'object' ? null : part]);
  const body = plainToInstance(shape, Object.fromEntries(plain));
  for (const [name, part] of fields.filter(([, each]) => typeof each === 'object')) {
    const inner = nestedModel(shape, name);
    Object.assign(body, { [name]: inner && isPlainObject(part) ? instance(part, Object.keys(part), inner) : part });
  }
  return body;
}

/** `__proto__`, `constructor`, `toString` … would change the nature of an object. No body has such a field. */
const RESERVED = Object.getOwnPropertyNames(Object.prototype);

function reservedNames(value: object, shape: Model, path: string): FieldError[] {
  const here = RESERVED.filter((name) => Object.hasOwn(value, name)).map((name) => unknownField(pathOf(path, name)));
  const objects = Object.entries(value).filter(([name, part]) => !RESERVED.includes(name) && isPlainObject(part));
  const inside = objects.flatMap(([name, part]) => {
    const inner = nestedModel(shape, name);
    return inner ? reservedNames(part, inner, pathOf(path, name)) : [];
  });
  return [...here, ...inside];
}

function fieldErrors(error: ValidationError, shape: BodyClass, parent: string): FieldError[] {
  const path = pathOf(parent, error.property);
  const { nestedValidation, whitelistValidation, ...rules } = error.constraints ?? {};
  if (whitelistValidation !== undefined) {
    const isReadOnly = parent === '' && Object.hasOwn(shape.readOnly ?? {}, error.property);
    if (!isReadOnly) return [unknownField(path)];
    const message = `${path} is read-only: ${shape.readOnly?.[error.property]}`;
    return [{ field: path, code: 'read_only', message }];
  }
  if (Object.keys(rules).length > 0) return brokenRules(error, rules, path);
  if (nestedValidation === undefined) return (error.children ?? []).flatMap((child) => fieldErrors(child, shape, path));
  return [{ field: path, code: 'invalid_type', message: `${path} must be an object.` }];
}

/** A value that is missing, null or of another type breaks every rule of its field: only that is said of it. */
function brokenRules({ value, contexts }: ValidationError, rules: Record<string, string>, path: string): FieldError[] {
  if (value === undefined) return [{ field: path, code: 'required', message: `${path} is required.` }];
  if (value === null) return [{ field: path, code: 'not_nullable', message: `${path} must not be null.` }];
  const errors = Object.entries(rules).map(([name, says]): FieldError => {
    return { field: path, message: `${path} ${says}`, ...contexts?.[name] };
  });
  const isOfType = !errors.some(({ code }) => code === 'invalid_type');
  return errors.filter(({ code }) => {
    return code === 'invalid_type' || isOfType || (code === 'too_many' && Array.isArray(value));
  });
}

function unknownField(path: string): FieldError {
  return { field: path, code: 'unknown_field', message: `${path} is not a field of this request.` };
}

function pathOf(parent: string, name: string): string {
  if (parent === '') return name;
  return /^[0-9]+$/.test(name) ? `${parent}[${name}]` : `${parent}.${name}`;
}

/**
 * In the order in which the fields were sent; absent fields come last, and so does what is missing in an object.
 * @param names Of all fields that were sent, with their path, in their order.
 */
export function inOrder(errors: readonly FieldError[], names: readonly string[]): FieldError[] {
  const places = new Map([...names.entries()].reverse().map(([at, name]) => [name, at]));
  const place = (name: string) => places.get(name) ?? names.length;
  const top = ({ field }: FieldError) => place(field.split(/[.[]/)[0] ?? '');
  return [...errors].sort((a, b) => top(a) - top(b) || place(a.field) - place(b.field));
}
