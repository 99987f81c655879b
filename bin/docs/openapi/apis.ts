import { headers, operatorHeaders } from '../../../src/api/openapi/headers.js';
import { idempotencyKey, operatorIdempotencyKey } from '../../../src/api/openapi/parameters.js';
import { OperatorResourcesModule } from '../../../src/api/operator/operator.module.js';
import { ResourcesModule } from '../../../src/api/resources.module.js';
import { scopeMeanings } from '../../../src/core/access/caller.js';
import { defaultBudgets } from '../../../src/core/access/rolling-window.js';
import { operatorBudgets, operatorScopeMeanings } from '../../../src/core/operators/operator-token.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../src/core/shared/pagination.js';
import { type DocumentedApi, documentOf } from './document.js';
import { webhooks } from './webhook-document.js';

export function openApiDocument(version: string) {
  return documentOf(customerApi, version);
}

const { read, write, anonymous } = defaultBudgets;

const customerApi: DocumentedApi = {
  info: {
    title: 'Photo Service',
    summary: 'A photo library for many customers: imports, tags, renditions, and originals stored byte for byte.',
    // The rules for every operation, once.
    description: `Nineteen endpoints under \`/api/v1\`, with bulk operations built in. The guides at [/docs](/docs) have tested code examples.

**Authentication.** Every request must carry \`Authorization: Bearer <API key>\`. A key belongs to one account and has scopes. Resources of other accounts return 404, exactly like resources that do not exist.

**JSON.** UTF-8 with camelCase names. Ids are integers. Timestamps are RFC 3339 in UTC with milliseconds. Every field of a resource is always present; a field without a value is \`null\`, \`[]\` or \`{}\`. Only \`urls\`, \`exif\`, \`photos\` and \`changes\` depend on the request. Unknown fields and parameters in a request are refused. Later versions may add fields, enum values, and codes of item and field errors: ignore those you do not know.

**Methods.** HEAD works wherever GET does, and OPTIONS returns 204 with \`Allow\`. An unsupported method returns 405 \`method_not_allowed\`, an unknown path 404 \`not_found\`.

**Errors.** Every error has the form \`{"error": {"code", "message", "requestId", "details"?}}\`. Handle errors by \`code\`: each code always has the same HTTP status. Checks run in this order: key (401), address (403), rate limit (429), path and method (404, 405), scope (403), body size and type (413, 415), values (400, with every error at once), Idempotency-Key (409, 422), existence (404), state (409, 412).

**Rate limits.** By default, a key may send ${read} reads (GET, HEAD, OPTIONS) and ${write} writes in any 60 seconds, and an address without a valid key ${anonymous} requests. The window is a rolling one and exact. Every response reports the budget in \`X-RateLimit-*\` headers. A 429 response is not counted, and its \`Retry-After\` says when the next request will succeed. Uploads to signed URLs are not counted: importing 10,000 photos takes 22 writes.

**Pagination.** Lists return \`{"data": […], "pagination": {"nextCursor", "hasMore"}}\`, with ${DEFAULT_PAGE_SIZE} items per page by default and at most ${MAX_PAGE_SIZE} (\`limit\`). To get the next page, send \`nextCursor\` as \`cursor\` with the same sort order and filters, until it is null. A cursor is valid for at least 24 hours, for every key of the account.

**Idempotency.** Any write may carry an \`Idempotency-Key\`. A request repeated within 24 hours is not executed again but returns the first response (\`Idempotent-Replayed: true\`). Responses with 400, 401, 413, 415, 429, 5xx or a missing scope are not stored: you can send such a request again with the same key.

**Conditional requests.** Photos, tags, imports and the account have strong ETags. With \`If-None-Match\`, an unchanged resource returns 304. With \`If-Match\`, a write fails with 412 if the resource has changed since you read it.

**Versioning.** v1 only gains features. Breaking changes come as v2, and v1 remains available beside it for at least 24 months.`,
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
  webhooks,
};

export function operatorOpenApiDocument(version: string) {
  const { webhooks: _, ...document } = documentOf(operatorApi, version);
  return document;
}

const operatorApi: DocumentedApi = {
  info: {
    title: 'Photo Service, operator API',
    summary: 'Administration of the accounts of an installation, for programs of its operator.',
    description: `For programs of the operator, such as the backend of a sign-up page. It exists if the setting \`OPERATOR_API\` is \`on\`. The guide is at [/docs/guides/operator-api](/docs/guides/operator-api).

**Authentication.** Every request must carry \`Authorization: Bearer <operator token>\`. A token acts in the accounts of all customers: keep it on a server. API keys of customers are refused here, and operator tokens under \`/api/v1\`.

**Conventions** are those of \`/api/v1\`: JSON, errors, pagination, \`Idempotency-Key\`, ETags, and the order of checks. A suspended account can be administered. Lists without \`limit\` and \`cursor\` have one page.

**Rate limits.** A token may send ${operatorBudgets.read} reads and ${operatorBudgets.write} writes in any 60 seconds.

**Audit log.** Every change is recorded in the audit log of the account, with the name of the token and the address it was sent from.`,
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
  webhooks: null,
};
