import { scopeMeanings, scopes } from '../../core/access/scope.js';
import type { ErrorCode } from '../../core/shared/errors.js';
import { ResourcesModule } from '../resources.module.js';
import { controllerPaths, controllersOf, documentTags } from './controllers.js';
import { ErrorResponses, errorSchemas } from './errors.js';
import { apiHeaders, headerRefs, headers, signedHeaders } from './headers.js';
import { introduction } from './introduction.js';
import { referencedSchemas } from './models.js';
import type { Method, Operation, Paths } from './operation.js';
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

/** The whole contract as an OpenAPI 3.1 document, made of the same limits, codes, scopes and types as the service. */
export function openApiDocument(version: string) {
  const errors = new ErrorResponses();
  const controllers = controllersOf(ResourcesModule);
  const paths = pathsOf(controllerPaths(controllers), errors);
  const written = { ...shared, ...errorSchemas };
  const schemas = { ...written, ...referencedSchemas(paths, written) };
  const subjects = referencedSchemas(eventSubjectRefs, written);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Photo Service',
      version,
      summary: 'A photo library for many customers: imports, tags, renditions, and originals stored byte for byte.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The installation that serves this document.' }],
    tags: [
      ...documentTags(controllers),
      { name: 'Webhooks', description: 'Events that the service sends to your server.' },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'phs_live_ and 49 letters and digits',
          description: `\`Authorization: Bearer <API key>\`. The scopes of a key never change:\n${scopes
            .map((scope) => `\n- \`${scope}\`: ${scopeMeanings[scope]}`)
            .join('')}`,
        },
      },
      headers,
      schemas: { ...schemas, ...webhookSchemas(subjects) } as Record<string, Schema>,
      responses: errors.components,
    },
  };
}

/** The document as it stands in the repository and is served. */
export function openApiText(version: string): string {
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

function pathsOf(paths: Paths, errors: ErrorResponses): Record<string, Record<string, object>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          operationOf(method as Method, operation, errors),
        ]),
      ),
    ]),
  );
}

function operationOf(method: Method, operation: Operation, errors: ErrorResponses) {
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
    security: scope === null ? [] : [{ apiKey: [scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(successes),
      ...errors.of(scope === null ? 'signed' : 'api', errorsOf(method, operation)),
    },
  };
}

/** The errors that every operation of its kind can return, and those it can return in addition. */
function errorsOf(method: Method, { scope, body, errors = [] }: Operation): readonly ErrorCode[] {
  const always: ErrorCode[] = ['internal_error', 'service_unavailable'];
  if (scope === null) return [...always, ...errors];
  always.push('invalid_request', 'unauthorized', 'scope_required', 'ip_not_whitelisted', 'rate_limited');
  if (method !== 'get') always.push('account_suspended', 'idempotency_in_progress', 'idempotency_key_reused');
  if (body) always.push('payload_too_large', 'unsupported_media_type');
  return [...always, ...errors];
}
