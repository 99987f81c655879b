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

/** An id of whatever is named. */
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
  const fields = Object.entries<string>(meanings).filter(([, meaning]) => meaning !== '');
  const list = fields.map(([value, meaning]) => `\n- \`${value}\`: ${meaning}`).join('');
  const described = list === '' ? description : `${description}\n${list}`;
  return { type: 'string', enum: values, description: described, examples: values.slice(0, 1), ...rules };
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

/** What the service sends: every field is always there but those named, and later versions may add others. */
export function answer<T extends object>(
  description: string,
  fields: Fields<T>,
  { sometimes = [], ...rules }: Schema & { readonly sometimes?: readonly (keyof T)[] } = {},
): Schema {
  const required = Object.keys(fields).filter((name) => !sometimes.includes(name as keyof T));
  return { type: 'object', description, properties: fields, ...(required.length > 0 && { required }), ...rules };
}
