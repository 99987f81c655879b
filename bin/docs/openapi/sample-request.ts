import type { Schema } from '../../../src/http/fields/declared.js';

/** A request that shows an operation, made of the examples in the document. */
export interface SampleRequest {
  readonly method: string;
  /** The path as the document has it. */
  readonly template: string;
  /** The same with its examples. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly type: string; readonly json: object } | { readonly file: string } | null;
  /** The environment variable that has the credential; null where the address itself is the permission. */
  readonly token: 'PHOTO_SERVICE_TOKEN' | 'OPERATOR_TOKEN' | null;
  readonly answer: 'json' | 'text' | 'file' | 'none';
}

/** The parts of an operation that a sample shows, where it is more than its path. Values are those of the document, or these. */
interface RequestExample {
  /** Fields of the body by their examples. */
  readonly fields?: readonly string[];
  readonly body?: object;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Query parameters by their examples. */
  readonly parameters?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const requestExamples: Readonly<Record<string, RequestExample>> = {
  listPhotos: { query: { minRating: 4, limit: 10 } },
  updatePhoto: { fields: ['title', 'rating'] },
  setPhotoTags: { fields: ['tagNames'] },
  createTag: { fields: ['name', 'color'] },
  updateTag: { fields: ['description'] },
  createImport: { fields: ['name'] },
  addImportPhotos: { body: { photos: [{ filename: 'DSC_3701.jpg', sizeBytes: 2311040 }] } },
  updateImportPhoto: { fields: ['title'] },
  finalizeImport: { body: { missingUploads: 'fail' } },
  getUploadOffset: { headers: { 'Tus-Resumable': '1.0.0' } },
  continueUpload: { headers: { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0' } },
  showDeliveredPicture: { parameters: ['sig'] },
  createCustomer: { fields: ['name', 'photosLimit'] },
  updateCustomer: { fields: ['photosLimit'] },
  eraseCustomer: { query: { name: 'ACME' } },
  createKey: { fields: ['name', 'scopes'] },
  updateKey: { fields: ['readLimit'] },
  invitePerson: { fields: ['email', 'role'] },
  createWebhook: { fields: ['url', 'events'] },
  updateWebhook: { fields: ['enabled'] },
};

interface Described {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

export interface SampledOperation {
  readonly operationId: string;
  readonly parameters?: readonly Described[];
  readonly 'x-required-scope': string | null;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export type Schemas = Readonly<Record<string, Schema>>;

export function sampleRequest(
  method: string,
  template: string,
  operation: SampledOperation,
  schemas: Schemas,
): SampleRequest {
  const {
    fields,
    body: written,
    query = {},
    parameters: named = [],
    headers = {},
  } = requestExamples[operation.operationId] ?? {};
  const examples = (isShown: (each: Described) => boolean) =>
    Object.fromEntries(
      (operation.parameters ?? []).filter(isShown).map(({ name, schema }) => [name, exampleOf(schema)]),
    );
  const parameters = examples((each) => each.in === 'path');
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const json = written ?? (fields && content && pick(content.schema, fields, schemas));
  const isJson = type?.endsWith('json') ?? false;
  return {
    method: method.toUpperCase(),
    template,
    path: template.replace(/\{(\w+)\}/g, (_, name) => encodeURI(String(parameters[name]))),
    parameters,
    query: { ...query, ...examples(({ name }) => named.includes(name)) },
    headers: type === undefined || isJson || type === '*/*' ? headers : { ...headers, 'Content-Type': type },
    body: type === undefined ? null : isJson ? { type, json: json ?? {} } : { file: 'DSC_3701.jpg' },
    token: tokenOf(template, operation),
    answer: answerOf(method, operation),
  };
}

/** Path and query, as they are sent. */
export function targetOf({ path, query }: SampleRequest): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Headers other than the credential. */
export function headersOf({ headers, body }: SampleRequest): readonly (readonly [string, string])[] {
  return Object.entries({ ...headers, ...(body !== null && 'json' in body && { 'Content-Type': body.type }) });
}

function tokenOf(path: string, operation: SampledOperation): SampleRequest['token'] {
  if (operation['x-required-scope'] === null) return null;
  return path.startsWith('/operator/') ? 'OPERATOR_TOKEN' : 'PHOTO_SERVICE_TOKEN';
}

function answerOf(method: string, { responses }: SampledOperation): SampleRequest['answer'] {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const types = Object.keys(success?.content ?? {});
  if (method === 'head' || types.length === 0 || method === 'delete') return types.length > 1 ? 'text' : 'none';
  if (types[0] === 'application/json') return 'json';
  return 'file';
}

function exampleOf({ examples, enum: values }: Schema): unknown {
  return (examples as readonly unknown[] | undefined)?.[0] ?? (values as readonly unknown[] | undefined)?.[0];
}

/** These fields of a body, with the examples of the document; of several shapes, of the first. */
function pick(schema: Schema, fields: readonly string[], schemas: Schemas): object {
  const { $ref, oneOf, properties } = schema as {
    readonly $ref?: string;
    readonly oneOf?: readonly Schema[];
    readonly properties?: Schemas;
  };
  const inner = $ref === undefined ? oneOf?.[0] : schemas[$ref.replace('#/components/schemas/', '')];
  if (inner !== undefined) return pick(inner, fields, schemas);
  return Object.fromEntries(fields.map((name) => [name, exampleOf(properties?.[name] ?? {})]));
}
