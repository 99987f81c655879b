/** A JSON Schema, as far as the pages read it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly 'x-stability'?: string;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface DescribedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

/** An entry of `x-codeSamples`, as readers of OpenAPI documents know it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly description?: string; readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
  readonly 'x-stability'?: string;
  readonly 'x-required-scope'?: string | null;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** An OpenAPI document, as far as the pages read it. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, DescribedResponse>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** One of the two APIs as its pages show it. */
export type Reference = ReturnType<typeof referenceOf>;
/** The endpoints that belong together on one page. */
export type Resource = Reference['resources'][number];
/** One of them: `path` is the name of an event, `url` its place in the documentation, `codes` are those of the errors that it answers with. */
export type ReferenceOperation = Resource['operations'][number];

/**
 * @param url The address of its first page; `folder` that of the others.
 * @param file Where its document is; null while only some installations serve it.
 */
export function referenceOf(
  document: ApiDocument,
  title: string,
  { url, folder, file }: { readonly url: string; readonly folder: string; readonly file: string | null },
) {
  const all = [...entriesOf(document.paths, false), ...entriesOf(document.webhooks ?? {}, true)];
  const shared = document.components.responses;
  const codesOf = ({ responses }: DescribedOperation) => {
    const own = Object.values(responses).map(
      (each) => shared[each.$ref?.replace('#/components/responses/', '') ?? ''] ?? each,
    );
    return [...new Set(own.flatMap(codesIn))];
  };
  const resources = document.tags.map(({ name, description = '' }) => {
    const page = `${folder}/${name.toLowerCase().replaceAll(' ', '-')}`;
    const operations = all
      .filter(({ operation }) => operation.tags[0] === name)
      .map((entry) => {
        return { ...entry, url: `${page}#${entry.operation.operationId}`, codes: codesOf(entry.operation) };
      });
    return { name, description, url: page, operations };
  });
  return { title, url, file, document, resources };
}

function entriesOf(paths: ApiDocument['paths'], isEvent: boolean) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, isEvent, operation })),
  );
}

/** The enums that narrow `error.code`, wherever they are in the schema. */
function codesIn(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { code } = part as { readonly code?: { readonly enum?: readonly string[] } };
  return [
    ...(code?.enum ?? []),
    ...Object.entries(part).flatMap(([name, inner]) => (name === 'code' ? [] : codesIn(inner))),
  ];
}

export type Schemas = ApiDocument['components']['schemas'];

/** A schema with what it refers to; what stands beside the reference goes first. */
function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const { $ref, allOf, ...own } = schema;
  if ($ref !== undefined) return resolved({ ...schemas[$ref.replace('#/components/schemas/', '')], ...own }, schemas);
  if (allOf === undefined) return schema;
  const parts = [...allOf.map((part) => resolved(part, schemas)), own];
  return Object.assign({}, ...parts, { properties: Object.assign({}, ...parts.map((part) => part.properties)) });
}

/** Without the null that it may also be, and whether it may. */
function nonNull(schema: JsonSchema, schemas: Schemas): { readonly schema: JsonSchema; readonly isNullable: boolean } {
  const whole = resolved(schema, schemas);
  const { anyOf, ...own } = whole;
  const others = anyOf?.filter(({ type }) => type !== 'null');
  if (anyOf !== undefined && others?.length === 1) {
    return { schema: { ...resolved(others[0] ?? {}, schemas), ...own }, isNullable: others.length < anyOf.length };
  }
  if (!Array.isArray(whole.type)) return { schema: whole, isNullable: false };
  const [type = 'any', ...more] = whole.type.filter((each) => each !== 'null');
  return {
    schema: { ...whole, type: more.length > 0 ? [type, ...more] : type },
    isNullable: whole.type.includes('null'),
  };
}

/** In words, such as "array of integers or null". */
export function typeName(schema: JsonSchema, schemas: Schemas): string {
  const { schema: inner, isNullable } = nonNull(schema, schemas);
  return `${kindOf(inner, schemas)}${isNullable ? ' or null' : ''}`;
}

function kindOf(schema: JsonSchema, schemas: Schemas): string {
  const { type, items, anyOf, oneOf, enum: values } = schema;
  if (items !== undefined) return `array of ${kindOf(nonNull(items, schemas).schema, schemas)}s`;
  const some = oneOf ?? anyOf;
  if (some !== undefined) return some.map((each) => typeName(each, schemas)).join(' or ');
  if (Array.isArray(type)) return type.join(' or ');
  return type === undefined ? (values === undefined ? 'any' : 'string') : String(type);
}

/** Returns what a value has to keep to, each in a few words; `code` where it is to be read as it stands. */
export function constraints(schema: JsonSchema, schemas: Schemas): readonly string[] {
  const { schema: inner } = nonNull(schema, schemas);
  const { format, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = inner;
  const values = inner.enum ?? (inner.const === undefined ? undefined : [inner.const]);
  return [
    ...(format === undefined ? [] : [`Format: ${format}.`]),
    ...range('Value', minimum, maximum),
    ...range('Characters', minLength, maxLength),
    ...range('Items', minItems, maxItems),
    ...(values === undefined || values.length > 30
      ? []
      : [`One of ${values.map((each) => `\`${each}\``).join(', ')}.`]),
    ...(inner.default === undefined ? [] : [`Default: \`${JSON.stringify(inner.default)}\`.`]),
    ...(pattern === undefined || pattern.length > 100 || pattern.includes('`') ? [] : [`Pattern: \`${pattern}\`.`]),
  ];
}

function range(what: string, least: number | undefined, most: number | undefined): readonly string[] {
  const isBound = most !== undefined && most < Number.MAX_SAFE_INTEGER;
  if (least !== undefined && isBound) return [`${what}: ${least} to ${most}.`];
  if (isBound) return [`${what}: at most ${most}.`];
  return least === undefined ? [] : [`${what}: at least ${least}.`];
}

/** The fields of an object, of the objects in an array, or of the first of several shapes; null when there are none. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas): JsonSchema | null {
  const { schema: inner } = nonNull(schema, schemas);
  if (inner.items !== undefined) return fieldsOf(inner.items, schemas);
  const first = (inner.oneOf ?? inner.anyOf)?.map((each) => fieldsOf(each, schemas)).find((each) => each !== null);
  return inner.properties === undefined ? (first ?? null) : inner;
}

/** A value that follows the schema, made of the examples in it. */
export function exampleOf(schema: JsonSchema, schemas: Schemas, depth = 0): unknown {
  const { schema: inner, isNullable } = nonNull(schema, schemas);
  const { examples, properties, items, oneOf, anyOf, default: usual, type } = inner;
  if (examples !== undefined && examples.length > 0) return examples[0];
  if (inner.const !== undefined) return inner.const;
  if (inner.enum !== undefined) return inner.enum[0];
  if (depth > 6) return null;
  if (properties !== undefined) {
    const entries = Object.entries(properties);
    return Object.fromEntries(entries.map(([name, field]) => [name, exampleOf(field, schemas, depth + 1)]));
  }
  if (items !== undefined) return [exampleOf(items, schemas, depth + 1)];
  const [first] = oneOf ?? anyOf ?? [];
  if (first !== undefined) return exampleOf(first, schemas, depth + 1);
  if (usual !== undefined) return usual;
  if (isNullable || type === undefined) return null;
  return type === 'object' ? {} : type === 'integer' || type === 'number' ? 1 : type === 'boolean' ? true : '…';
}
