import { apiHeaders, headerRefs, type headers, signedHeaders } from '../../../src/api/openapi/headers.js';
import type { Parameter } from '../../../src/api/openapi/operation.js';
import type { ErrorCode } from '../../../src/core/shared/errors.js';
import { answer, flag, orNull, type Schema, text } from '../../../src/http/fields/declared.js';
import type { DescribedOperation, Schemas } from '../reference.js';
import { codeSamples } from './code-samples.js';
import { controllerPaths, controllersOf, documentTags, type Operation } from './controllers.js';
import { ErrorResponses, errorSchemas } from './errors.js';
import { referencedSchemas } from './models.js';
import type { webhooks } from './webhook-document.js';

const shared: Readonly<Record<string, Schema>> = {
  Id: {
    type: 'integer',
    description: 'A positive integer that is never reused. Gaps are normal.',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  Pagination: answer('Where the list continues.', {
    nextCursor: orNull(
      text('Send this as `cursor` to get the next page. Null on the last page.', 'eyJ2IjoxLCJjIjoxfQ.c2lnbmF0dXJl'),
    ),
    hasMore: flag('Whether there is a next page.', true),
  }),
};

/** One of the two APIs, each with a document of its own. */
export interface DocumentedApi {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly module: object;
  readonly idempotencyKey: Parameter;
  readonly security: { readonly name: string; readonly format: string; readonly description: string };
  readonly scopes: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, object>>;
  readonly writesOfSuspended: boolean;
  /** The events that it sends; null if there are none. */
  readonly webhooks: typeof webhooks | null;
}

/** An API as an OpenAPI 3.1 document, made of the same limits, codes, scopes and types as the service. */
export function documentOf(api: DocumentedApi, version: string) {
  const errors = new ErrorResponses();
  const controllers = controllersOf(api.module);
  const paths = changed(controllerPaths(controllers, api.idempotencyKey), (operation, method) =>
    operationOf(api, method, operation, errors),
  );
  const written = { ...shared, ...errorSchemas(Object.keys(api.scopes)) };
  const responses = errors.components;
  const found = referencedSchemas(api.webhooks ? paths : { paths, responses }, written);
  const schemas = api.webhooks ? { ...written, ...found } : found;
  const subjects = referencedSchemas(api.webhooks?.subjectRefs ?? [], written);
  const { title, summary, description } = api.info;
  const license = { name: 'MIT', identifier: 'MIT' };
  const meanings = Object.entries(api.scopes).map(([scope, meaning]) => `\n- \`${scope}\`: ${meaning}`);
  const ofWebhooks = { name: 'Webhooks', description: 'Events that the service sends to your server.' };
  return {
    openapi: '3.1.0',
    info: { title, version, summary, description, license },
    servers: [{ url: '/', description: 'The installation that serves this document.' }],
    tags: [...documentTags(controllers), ...(api.webhooks ? [ofWebhooks] : [])],
    paths: changed(withLifecycle(paths), (operation, method, path) => ({
      ...operation,
      'x-codeSamples': codeSamples(method, path, operation as DescribedOperation, schemas as Schemas),
    })),
    webhooks: withLifecycle(api.webhooks?.paths ?? {}),
    components: {
      securitySchemes: {
        [api.security.name]: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: api.security.format,
          description: `${api.security.description}\n${meanings.join('')}`,
        },
      },
      headers: api.headers as typeof headers,
      schemas: withLifecycle({
        ...schemas,
        ...api.webhooks?.schemas(subjects),
      } as Record<string, Schema>),
      responses,
    },
  };
}

/** The document as it stands in the repository and is served. */
export function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The same paths, with what `change` makes of each operation. */
function changed<From>(
  paths: Readonly<Record<string, Readonly<Record<string, From>>>>,
  change: (operation: From, method: string, path: string) => object,
): Record<string, Record<string, object>> {
  const entries = Object.entries(paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, each]) => [method, change(each, method, path)]);
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(entries);
}

function operationOf(api: DocumentedApi, method: string, operation: Operation, errors: ErrorResponses) {
  const { operationId, tag, summary, description, scope, parameters, body, answers, errors: own } = operation;
  const usual = scope === null ? signedHeaders : apiHeaders;
  const replayable = scope !== null && method !== 'get' ? (['Idempotent-Replayed'] as const) : [];
  const successes = Object.entries(answers).map(([status, { description: meaning, content, headers: more = [] }]) => [
    status,
    { description: meaning, headers: headerRefs([...usual, ...more, ...replayable]), ...(content && { content }) },
  ]);
  // The errors that every operation of its kind can return, beside those that it can return in addition.
  const always: ErrorCode[] = ['internal_error', 'service_unavailable'];
  if (scope !== null) {
    always.push('invalid_request', 'unauthorized', 'scope_required', 'ip_not_whitelisted', 'rate_limited');
    if (method !== 'get') always.push('idempotency_in_progress', 'idempotency_key_reused');
    if (method !== 'get' && !api.writesOfSuspended) always.push('account_suspended');
    if (body) always.push('payload_too_large', 'unsupported_media_type');
  }
  return {
    operationId,
    tags: [tag],
    summary,
    description: scope === null ? description : `${description}\n\nRequires the scope \`${scope}\`.`,
    ...lifecycle,
    'x-required-scope': scope,
    security: scope === null ? [] : [{ [api.security.name]: [scope] }],
    ...(parameters.length > 0 && { parameters: parameters.map((each) => ({ ...each, ...lifecycle })) }),
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(successes),
      ...errors.of(scope === null ? 'signed' : 'api', [...always, ...own]),
    },
  };
}

/** The promise to clients about an operation, a parameter or a field. Nothing is younger than the first release, and nothing is likely to change. */
const lifecycle = { 'x-stability': 'stable', 'x-added-in': '0.1.0' } as const;

/** Marks every field of the schemas in here. */
function withLifecycle<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withLifecycle) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const inner = withLifecycle(value);
      // A field that is itself called `properties` has a schema, and is no list of fields.
      const isSchema = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each);
      if (key !== 'properties' || !Object.values(value).every(isSchema)) return [key, inner];
      const fields = Object.entries(inner as Record<string, Schema>);
      return [key, Object.fromEntries(fields.map(([name, schema]) => [name, { ...schema, ...lifecycle }]))];
    }),
  ) as Part;
}
