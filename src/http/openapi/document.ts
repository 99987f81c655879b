import { scopeMeanings } from '../../core/access/scope.js';
import { operatorScopeMeanings } from '../../core/operators/operator-token.js';
import type { ErrorCode } from '../../core/shared/errors.js';
import { OperatorResourcesModule } from '../operator/operator-resources.module.js';
import { ResourcesModule } from '../resources.module.js';
import { controllerPaths, controllersOf, documentTags } from './controllers.js';
import { ErrorResponses, errorSchemas } from './errors.js';
import { apiHeaders, headerRefs, headers, operatorHeaders, signedHeaders } from './headers.js';
import { introduction } from './introduction.js';
import { lifecycle, withLifecycle } from './lifecycle.js';
import { referencedSchemas } from './models.js';
import type { Method, Operation, Parameter, Paths } from './operation.js';
import { operatorIntroduction } from './operator-introduction.js';
import { idempotencyKey, operatorIdempotencyKey } from './parameters.js';
import { codeSamples } from './samples/code-samples.js';
import { type SampledOperation, type Schemas, sampleRequest } from './samples/sample-request.js';
import { answer, flag, orNull, type Schema, text } from './schema.js';
import { eventSubjectRefs, webhookSchemas, webhooks } from './webhooks.js';

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
interface DocumentedApi {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly module: object;
  readonly idempotencyKey: Parameter;
  /** What its callers prove themselves with. */
  readonly security: { readonly name: string; readonly format: string; readonly description: string };
  readonly scopes: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, object>>;
  readonly writesOfSuspended: boolean;
  readonly withWebhooks: boolean;
}

const customerApi: DocumentedApi = {
  info: {
    title: 'Photo Service',
    summary: 'A photo library for many customers: imports, tags, renditions, and originals stored byte for byte.',
    description: introduction,
  },
  module: ResourcesModule,
  idempotencyKey,
  security: {
    name: 'apiKey',
    format: 'phs_live_ and 49 letters and digits',
    description: '`Authorization: Bearer <API key>`. The scopes of a key never change:',
  },
  scopes: scopeMeanings,
  headers,
  writesOfSuspended: false,
  withWebhooks: true,
};

const operatorApi: DocumentedApi = {
  info: {
    title: 'Photo Service, operator API',
    summary: 'Administration of the accounts of an installation, for programs of its operator.',
    description: operatorIntroduction,
  },
  module: OperatorResourcesModule,
  idempotencyKey: operatorIdempotencyKey,
  security: {
    name: 'operatorToken',
    format: 'phs_op_ and 43 letters and digits',
    description:
      '`Authorization: Bearer <operator token>`, created by `phs operator-token create`. The scopes of a token never change:',
  },
  scopes: operatorScopeMeanings,
  headers: operatorHeaders,
  writesOfSuspended: true,
  withWebhooks: false,
};

/** The whole contract as an OpenAPI 3.1 document, made of the same limits, codes, scopes and types as the service. */
export function openApiDocument(version: string) {
  return documentOf(customerApi, version);
}

/** The same for the operator API. */
export function operatorOpenApiDocument(version: string) {
  return documentOf(operatorApi, version);
}

function documentOf(api: DocumentedApi, version: string) {
  const errors = new ErrorResponses();
  const controllers = controllersOf(api.module);
  const paths = pathsOf(api, controllerPaths(controllers, api.idempotencyKey), errors);
  const written = { ...shared, ...errorSchemas(Object.keys(api.scopes)) };
  const responses = errors.components;
  const found = referencedSchemas(api.withWebhooks ? paths : { paths, responses }, written);
  const schemas = api.withWebhooks ? { ...written, ...found } : found;
  const subjects = referencedSchemas(eventSubjectRefs, written);
  const { title, summary, description } = api.info;
  const license = { name: 'MIT', identifier: 'MIT' };
  const meanings = Object.entries(api.scopes).map(([scope, meaning]) => `\n- \`${scope}\`: ${meaning}`);
  const ofWebhooks = { name: 'Webhooks', description: 'Events that the service sends to your server.' };
  return {
    openapi: '3.1.0',
    info: { title, version, summary, description, license },
    servers: [{ url: '/', description: 'The installation that serves this document.' }],
    tags: [...documentTags(controllers), ...(api.withWebhooks ? [ofWebhooks] : [])],
    paths: withSamples(withLifecycle(paths), schemas as Schemas),
    webhooks: api.withWebhooks ? withLifecycle(webhooks) : {},
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
        ...(api.withWebhooks && webhookSchemas(subjects)),
      } as Record<string, Schema>),
      responses,
    },
  };
}

/** The document as it stands in the repository and is served. @param basePath The path of PUBLIC_URL. */
export function openApiText(version: string, basePath = ''): string {
  return textOf(openApiDocument(version), basePath);
}

export function operatorOpenApiText(version: string, basePath = ''): string {
  const { webhooks: _, ...document } = operatorOpenApiDocument(version);
  return textOf(document, basePath);
}

function textOf(document: object, basePath: string): string {
  const text = JSON.stringify(document, null, 2);
  return `${basePath === '' ? text : underBasePath(text, basePath)}\n`;
}

/** The document with the server and the links of a service whose PUBLIC_URL has a path. */
function underBasePath(text: string, basePath: string): string {
  return text.replace('"url": "/"', `"url": "${basePath}"`).replaceAll('](/docs', `](${basePath}/docs`);
}

/** Each operation with code that calls it. */
function withSamples(
  paths: Record<string, Record<string, object>>,
  schemas: Schemas,
): Record<string, Record<string, object>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => {
          const samples = codeSamples(sampleRequest(method, path, operation as SampledOperation, schemas));
          return [method, { ...operation, 'x-codeSamples': samples }];
        }),
      ),
    ]),
  );
}

function pathsOf(api: DocumentedApi, paths: Paths, errors: ErrorResponses): Record<string, Record<string, object>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          operationOf(api, method as Method, operation, errors),
        ]),
      ),
    ]),
  );
}

function operationOf(api: DocumentedApi, method: Method, operation: Operation, errors: ErrorResponses) {
  const { operationId, tag, summary, description, scope, parameters = [], body, answers } = operation;
  const usual = scope === null ? signedHeaders : apiHeaders;
  const replayable = scope !== null && method !== 'get' ? (['Idempotent-Replayed'] as const) : [];
  const successes = Object.entries(answers).map(([status, { description: meaning, content, headers: own = [] }]) => [
    status,
    { description: meaning, headers: headerRefs([...usual, ...own, ...replayable]), ...(content && { content }) },
  ]);
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
      ...errors.of(scope === null ? 'signed' : 'api', errorsOf(api, method, operation)),
    },
  };
}

/** The errors that every operation of its kind can return, and those it can return in addition. */
function errorsOf(
  { writesOfSuspended }: DocumentedApi,
  method: Method,
  { scope, body, errors = [] }: Operation,
): readonly ErrorCode[] {
  const always: ErrorCode[] = ['internal_error', 'service_unavailable'];
  if (scope === null) return [...always, ...errors];
  always.push('invalid_request', 'unauthorized', 'scope_required', 'ip_not_whitelisted', 'rate_limited');
  if (method !== 'get') always.push('idempotency_in_progress', 'idempotency_key_reused');
  if (method !== 'get' && !writesOfSuspended) always.push('account_suspended');
  if (body) always.push('payload_too_large', 'unsupported_media_type');
  return [...always, ...errors];
}
