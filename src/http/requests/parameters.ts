import type { Request } from 'express';
import type { FieldError } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../core/shared/pagination.js';
import { codePoints } from '../../core/shared/text.js';
import { declareField, type FieldSchema, type Model, type Schema, withMeanings } from '../fields/declared.js';
import { requestParameter } from '../server/request-context.js';

/** The result of parsing one parameter: its value, or what is wrong with it. */
export type ParseResult<T> =
  | { readonly value: T }
  | { readonly error: Omit<FieldError, 'field' | 'message'>; readonly says: string };

export interface ParameterParser<T> {
  (text: string): ParseResult<T>;
  /** The length of the longest text that it takes, in UTF-16 units. It is never called with more than one unit beyond it. */
  readonly maxLength: number;
  /** The schema of the values that it accepts, as they stand in the OpenAPI document. */
  readonly schema?: Schema | undefined;
}

/** The parser, with the schema of what it accepts. Texts longer than `maxLength` are refused. */
export function documented<T>(
  schema: Schema | undefined,
  maxLength: number,
  parse: (text: string) => ParseResult<T>,
): ParameterParser<T> {
  return Object.assign((value: string) => parse(value), { schema, maxLength });
}

/** The parsers of a class of query parameters, by name. Other parameters are refused, those that were not sent are absent. */
export type ParameterTable = Readonly<Record<string, ParameterParser<unknown>>>;

const PARAMETERS = Symbol('Parameters');

export interface ParameterOptions<T> extends FieldSchema {
  readonly description: string;
  readonly example?: unknown;
  readonly meanings?: Readonly<Record<T extends readonly (infer Entry extends string)[] ? Entry : T & string, string>>;
}

/** A field of a class of query parameters, which are all optional: how it is read, and what the document says of it beside the parser's schema. */
export function Parameter<T>(
  parser: ParameterParser<T>,
  { description, example, meanings, ...rest }: ParameterOptions<T>,
): PropertyDecorator {
  const examples = example === undefined ? {} : { examples: [example] };
  const described = meanings ? withMeanings(description, meanings) : description;
  const declare = declareField({ ...parser.schema, ...examples, description: described, ...rest });
  return (prototype, name) => {
    const known = parametersOf(prototype.constructor as Model);
    Reflect.defineMetadata(PARAMETERS, { ...known, [String(name)]: parser }, prototype);
    declare(prototype, name);
  };
}

/** The parsers of a class of query parameters, those of its parent class first. */
export function parametersOf(query: Model): ParameterTable {
  return Reflect.getMetadata(PARAMETERS, query.prototype) ?? {};
}

/** Far more parameters than any endpoint has. */
const MAX_PARAMETERS = 100;

export interface ParsedQuery {
  readonly values: object;
  readonly errors: readonly FieldError[];
  /** Names of all that were sent, valid or not, in their order. */
  readonly sent: ReadonlySet<string>;
}

/** Reads a query string by a table: strict about names, repetition and values. */
export function parseQuery(query: string, table: ParameterTable): ParsedQuery {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  if (query === '') return { values, errors, sent: new Set() };
  const given = new URLSearchParams(query);
  if (given.size > MAX_PARAMETERS) {
    const message = `The query can have at most ${MAX_PARAMETERS} parameters.`;
    return { values, errors: [{ field: 'query', code: 'too_many', message, max: MAX_PARAMETERS }], sent: new Set() };
  }
  const sent = new Set(given.keys());
  const known = Object.keys(table).join(', ');
  const others = known === '' ? 'This endpoint has no parameters.' : `Known: ${known}.`;
  for (const name of sent) {
    const texts = given.getAll(name);
    const reader = Object.hasOwn(table, name) ? table[name] : undefined;
    const reading = reader
      ? parseOne(texts, reader)
      : wrong('unknown_parameter', `is not a known parameter. ${others}`);
    // As in `?=5`. Its error is about the query as a whole.
    const field = name === '' ? 'query' : name;
    if ('value' in reading) values[name] = reading.value;
    else errors.push({ field, message: `${name || 'A parameter without a name'} ${reading.says}`, ...reading.error });
  }
  return { values, errors, sent };
}

function parseOne(texts: readonly string[], reader: ParameterParser<unknown>): ParseResult<unknown> {
  const [text = '', ...more] = texts;
  if (more.length > 0) {
    const bounds = reader('');
    return {
      error: { ...('error' in bounds && bounds.error), code: 'invalid_type' },
      says: 'must be given only once.',
    };
  }
  if (text.includes('\u0000')) return wrong('invalid_format', 'must not contain NUL.');
  const { maxLength } = reader;
  // A text that is too long is cut before it is parsed: its beginning is enough to say what is wrong with it.
  const reading = reader(text.slice(0, maxLength + 1));
  if (text.length <= maxLength || 'error' in reading) return reading;
  return wrong('too_long', `must have at most ${maxLength} characters.`, { max: maxLength });
}

export function wrong(
  code: FieldError['code'],
  says: string,
  bounds?: { min?: number; max?: number },
): ParseResult<never> {
  return { error: { code, ...bounds }, says };
}

/** A whole number in plain decimal digits: no sign but minus, no exponent, no spaces. */
export function wholeNumber(min: number, max: number): ParameterParser<number> {
  return documented<number>({ type: 'integer', minimum: min, maximum: max }, 16, (text) => {
    const says = `must be a whole number from ${min} to ${max}.`;
    if (!/^-?[0-9]{1,15}$/.test(text)) return wrong('invalid_type', says, { min, max });
    const value = Number(text);
    return value >= min && value <= max ? { value } : wrong('out_of_range', says, { min, max });
  });
}

export function oneOf<const Value extends string>(choices: readonly Value[]): ParameterParser<Value> {
  const maxLength = Math.max(...choices.map(({ length }) => length));
  return documented<Value>({ type: 'string', enum: choices }, maxLength, (text) => {
    const value = choices.find((choice) => choice === text);
    return value === undefined ? wrong('invalid_format', `must be one of ${choices.join(', ')}.`) : { value };
  });
}

/** Comma separated. */
export function someOf<const Value extends string>(choices: readonly Value[]): ParameterParser<readonly Value[]> {
  return listOf(oneOf(choices), choices.length);
}

export function listOf<T>(reader: ParameterParser<T>, max: number): ParameterParser<readonly T[]> {
  const schema = { type: 'array', items: reader.schema, minItems: 1, maxItems: max };
  return documented<readonly T[]>(schema, (max + 1) * (reader.maxLength + 1), (text) => {
    const value: T[] = [];
    // One too many is enough to say so.
    for (const part of text.split(',', max + 1)) {
      const reading = reader(part);
      if (!('value' in reading)) return reading;
      value.push(reading.value);
    }
    return value.length > max
      ? wrong('too_many', `can have at most ${max} values, separated by commas.`, { max })
      : { value };
  });
}

export const flag: ParameterParser<boolean> = documented<boolean>({ type: 'boolean' }, 5, (text) => {
  const reading = oneOf(['true', 'false'])(text);
  return 'value' in reading ? { value: reading.value === 'true' } : reading;
});

export const id: ParameterParser<Id> = documented<Id>({ $ref: '#/components/schemas/Id' }, 16, (text) => {
  const value = parseId(text);
  return value === null ? wrong('invalid_type', 'must be an id: a whole number, 1 or greater.') : { value };
});

export const MAX_IDS = 100;

export function idList(max = MAX_IDS): ParameterParser<readonly Id[]> {
  return listOf(id, max);
}

/** Returns what the document says of a list of ids. */
export function idListWords(description: string, max = MAX_IDS) {
  return { description: `${description} At most ${max}, separated by commas.`, example: [12, 15] };
}

/** Longest text that is searched for by its words. */
export const MAX_SEARCH_TEXT = 200;

/** Longest text that a field is compared with as a whole. */
export const MAX_FILTER_TEXT = 1000;

/** At least one character, at most `max`, counted as code points. */
export function text(max: number): ParameterParser<string> {
  // A code point is one or two units.
  return documented<string>({ type: 'string', minLength: 1, maxLength: max }, 2 * max, (value) => {
    if (value === '') return wrong('too_short', 'must not be empty.', { min: 1 });
    return codePoints(value) > max ? wrong('too_long', `must have at most ${max} characters.`, { max }) : { value };
  });
}

/** Text that core reads, which says what is wrong with one of any length that a request can have. 2000 is more than any ever had. */
const opaqueCursor = documented({ type: 'string', maxLength: 2000 }, 16 * 1024, (value) => ({ value }));

/** Parameters of every list. Core checks the cursor, because only core can. */
export class PaginationQuery {
  @Parameter(wholeNumber(1, MAX_PAGE_SIZE), {
    description: `The number of items per page, ${DEFAULT_PAGE_SIZE} by default. A value outside 1 to ${MAX_PAGE_SIZE} is refused.`,
    example: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
  })
  readonly limit?: number;

  @Parameter(opaqueCursor, {
    description:
      'The `pagination.nextCursor` of the previous page. Send the same sort order and filters with it; `limit` may change. Valid for at least 24 hours.',
    example: 'eyJ2IjoxLCJjIjoxLCJlIjoicGhvdG9zIn0.c2lnbmF0dXJl',
  })
  readonly cursor?: string;
}

export function paginationOf({ limit, cursor }: PaginationQuery) {
  return { limit: limit ?? DEFAULT_PAGE_SIZE, cursor: cursor ?? null };
}

const NO_ID: Id = 0;

/** An id in the path. An invalid id is treated like one that does not exist: the use case answers 404, after all other checks. */
export const PathId = requestParameter(pathIdOf);

export function pathIdOf({ params }: Request, name: string): Id {
  const text = params[name];
  return (typeof text === 'string' ? parseId(text) : null) ?? NO_ID;
}

/**
 * One id, or a list separated by commas, or one id followed by a comma. A list that contains anything else is treated like one id that does
 * not exist.
 */
export const PathIds = requestParameter(({ params }, name: string): Id | readonly Id[] => {
  const { texts, hasComma } = listIn(params[name]);
  const ids = texts.map((text) => parseId(text) ?? NO_ID);
  if (!hasComma) return ids[0] ?? NO_ID;
  return ids.includes(NO_ID) ? NO_ID : ids;
});

/** Splits a path parameter at its commas. A single id may be followed by one, which makes it a list. */
export function listIn(param: unknown): { readonly texts: readonly string[]; readonly hasComma: boolean } {
  const text = String(param ?? '');
  return { texts: text.replace(/^([^,]+),$/, '$1').split(','), hasComma: text.includes(',') };
}

export function isList(ids: Id | readonly Id[]): ids is readonly Id[] {
  return typeof ids !== 'number';
}
