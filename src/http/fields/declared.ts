/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 has it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** A schema for each field of T. The compiler sees to it that none is missing and none is left over. */
export type Fields<T> = { readonly [Name in keyof T]-?: Schema };

/** One of the document's own schemas by its name; rules stand beside the reference. */
export function ref(name: string, rules: Schema = {}): Schema {
  return { $ref: `#/components/schemas/${name}`, ...rules };
}

export function text(description: string, example: string, rules: Schema = {}): Schema {
  return { type: 'string', description, examples: [example], ...rules };
}

export function whole(description: string, example: number, rules: Schema = {}): Schema {
  return { type: 'integer', description, examples: [example], ...rules };
}

export function flag(description: string, example: boolean, rules: Schema = {}): Schema {
  return { type: 'boolean', description, examples: [example], ...rules };
}

/** An instant of the service: RFC 3339, UTC, milliseconds. */
export function instant(description: string, example = '2026-11-21T03:04:05.123Z'): Schema {
  return text(description, example, { format: 'date-time' });
}

export function id(description: string, example: number): Schema {
  return ref('Id', { description, examples: [example] });
}

/**
 * A closed set of words, each with its meaning, in the order of the object. `Record<Union, string>` as the argument's type makes
 * the compiler see to it that no value of the code is missing here.
 */
export function oneOf<Value extends string>(
  description: string,
  meanings: Readonly<Record<Value, string>>,
  rules: Schema = {},
): Schema {
  const values = Object.keys(meanings) as Value[];
  const described = withMeanings(description, meanings);
  return { type: 'string', enum: values, description: described, examples: values.slice(0, 1), ...rules };
}

/** The meaning of each value as a list below the description. */
export function withMeanings(description: string, meanings: Readonly<Record<string, string>>): string {
  const list = Object.entries(meanings).flatMap(([value, meaning]) =>
    meaning ? [`\n- \`${value}\`: ${meaning}`] : [],
  );
  return list.length === 0 ? description : `${description}\n${list.join('')}`;
}

export function listOf(description: string, items: Schema, rules: Schema = {}): Schema {
  return { type: 'array', description, items, ...rules };
}

/** The same, or null. */
export function orNull(schema: Schema): Schema {
  if ('$ref' in schema) {
    const { $ref, ...rules } = schema;
    return { anyOf: [{ $ref }, { type: 'null' }], ...rules };
  }
  const { type, enum: values } = schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/** Returns the schema of what the service sends: every field is always there but those named, and later versions may add others. */
export function answer<T extends object>(
  description: string,
  fields: Fields<T>,
  { sometimes = [], ...rules }: Schema & { readonly sometimes?: readonly (keyof T)[] } = {},
): Schema {
  const required = Object.keys(fields).filter((name) => !sometimes.includes(name as keyof T));
  return { type: 'object', description, properties: fields, ...(required.length > 0 && { required }), ...rules };
}

/** A class whose fields are declared by decorators: the body of a request, a response or a part of one, or the parameters of a query. */
export type Model = new () => object;

export interface FieldSchema extends Schema {
  /** The class of its value, or of the entries of its value. */
  readonly model?: Model;
  readonly isList?: boolean;
  readonly nullable?: boolean;
  readonly required?: boolean;
  /** Whether the field may be absent from responses. */
  readonly sometimes?: boolean;
}

export interface DeclaredField {
  readonly prototype: object;
  readonly name: string;
  readonly schema: FieldSchema;
}

export interface DeclaredModel extends Schema {
  readonly direction: 'request' | 'response';
  /** In the document; null if the schema appears in place, inside that of the object that contains it. */
  readonly name: string | null;
  readonly description: string;
}

/**
 * The fields that the decorators declare, for the OpenAPI document. They are handed to @nestjs/swagger when the document is made: loading that
 * package with each class would cost every start of the service a fifth of a second.
 */
export const declaredFields: DeclaredField[] = [];
const models = new Map<Model, DeclaredModel>();

export function declareField(schema: FieldSchema): PropertyDecorator {
  return (prototype, name) => {
    declaredFields.push({ prototype, name: String(name), schema });
  };
}

/** The class is a body, or a part of one, that the service takes: nothing but these fields. */
export function RequestModel(name: string, description: string, rules: Schema = {}): ClassDecorator {
  return declareModel({ direction: 'request', name, description, ...rules });
}

/** The class is a body, or a part of one, that the service sends: later versions may add fields. */
export function ResponseModel(name: string, description: string): ClassDecorator {
  return declareModel({ direction: 'response', name, description });
}

/** The class is a part of a response that has no name of its own in the document. */
export function InlineModel(description: string): ClassDecorator {
  return declareModel({ direction: 'response', name: null, description });
}

function declareModel(declared: DeclaredModel): ClassDecorator {
  return (model) => {
    models.set(model as unknown as Model, declared);
  };
}

export function modelNamed(name: string): Model | undefined {
  return [...models.keys()].find((model) => models.get(model)?.name === name);
}

export function declaredModel(model: Model): DeclaredModel | undefined {
  return models.get(model);
}

const LENGTHS = Symbol('Lengths');

/** Most UTF-16 units of one code point as it is stored: its NFD can have several. */
const UNITS = 4;

/** The texts of the field have at most `max` code points as they are stored. Undefined: it stands in no request. */
export function HasLength(max: number | undefined): PropertyDecorator {
  return (prototype, name) => {
    const known = Reflect.getMetadata(LENGTHS, prototype) ?? {};
    Reflect.defineMetadata(LENGTHS, { ...known, [String(name)]: max }, prototype);
  };
}

/** The declared lengths of the fields that have texts; undefined where a declaration has none. */
export function lengthsOf(shape: Model): Readonly<Record<string, number | undefined>> {
  return Reflect.getMetadata(LENGTHS, shape.prototype) ?? {};
}

/**
 * The value of a field with texts that can be parsed: for one that is longer than any spelling of a valid text stands a text without its
 * content, which is as certainly too long.
 */
export function bounded(value: unknown, shape: Model, name: string): unknown {
  const lengths = lengthsOf(shape);
  if (!Object.hasOwn(lengths, name)) return value;
  const max = lengths[name];
  if (max === undefined) throw new Error(`the text ${name} of ${shape.name} has no length`);
  const bound = (text: unknown) => (typeof text === 'string' && text.length > UNITS * max ? 'x'.repeat(max + 1) : text);
  if (Array.isArray(value)) return value.map(bound);
  if (typeof value !== 'object' || value === null) return bound(value);
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, bound(text)]));
}
