import { readFileSync } from 'node:fs';
import { type DocumentedApi, documentFile, documentOf, documentText } from '../../api/openapi/document.js';
import { headers } from '../../api/openapi/headers.js';
import { idempotencyKey } from '../../api/openapi/parameters.js';
import { ResourcesModule } from '../../api/resources.module.js';
import { webhooks } from '../../api/webhooks/webhook-document.js';
import { scopeMeanings } from '../../core/access/caller.js';
import { defaultBudgets } from '../../core/access/rolling-window.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../core/shared/pagination.js';
import { type PublicFile, publicFile } from '../../http/responses/send-public.js';
import { type ApiDocument, type Reference, referenceOf } from './reference/reference.js';

const own = new URL('./assets/', import.meta.url);

export const assetNames = ['search.js', 'tabs.js', 'try-it.js', 'docs.css', 'reference.css'] as const;
export type AssetName = (typeof assetNames)[number];

/** Returns the file of the API's document. The code that makes it is loaded at the first request: no start of the service waits for it. */
export async function openApiFile(basePath = ''): Promise<PublicFile> {
  return (await import('./documents.js')).apiDocumentFile(basePath);
}

export async function operatorOpenApiFile(): Promise<PublicFile> {
  return (await import('../../api/operator/operator-document.js')).operatorDocumentFile('');
}

export function assetFile(name: string): PublicFile | undefined {
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  if (!assetNames.some((one) => one === name)) return undefined;
  return publicFile(name, type, () => readFileSync(new URL(name, own)));
}

/** Returns the index that pages search in: made from the same content as they are. */
export async function searchFile(): Promise<PublicFile> {
  const [all, { searchEntries }] = await Promise.all([references(), import('./search-entries.js')]);
  return publicFile('search.json', 'application/json; charset=utf-8', () =>
    Buffer.from(JSON.stringify(searchEntries(all))),
  );
}

let made: readonly Reference[] | undefined;

/** Both APIs as pages show them. Kept from the first request for any page on: making them takes longer than all the rest of a page. */
export async function references(): Promise<readonly Reference[]> {
  made ??= await makeReferences();
  return made;
}

async function makeReferences(): Promise<readonly Reference[]> {
  const [api, operator] = await Promise.all([openApiFile(), operatorOpenApiFile()]);
  const read = ({ bytes }: PublicFile) => JSON.parse(bytes.toString()) as ApiDocument;
  const places = { title: 'API reference', url: '/docs', folder: '/docs/reference', file: '/openapi.json' };
  const ofOperator = {
    title: 'Operator API',
    url: '/docs/operator',
    folder: '/docs/operator',
    file: null,
  };
  return [referenceOf(read(api), places), referenceOf(read(operator), ofOperator)];
}

/** Different bytes get a different address, so browsers may cache it indefinitely. */
export function assetUrl(name: AssetName): string {
  const tag = assetFile(name)?.entityTag.slice(1, 13) ?? '';
  return `/docs/assets/${tag}/${name}`;
}

/** A page made from content that never changes while the process runs. */
export function pageFile(name: string, make: () => string): PublicFile {
  return publicFile(name, 'text/html; charset=utf-8', () => Buffer.from(`<!doctype html>${make()}`));
}

/** The contract of the API for customers. */
export function openApiDocument(version: string) {
  return documentOf(customerApi, version);
}

/** The document as it stands in the repository and is served. @param basePath The path of PUBLIC_URL. */
export function openApiText(version: string, basePath = ''): string {
  return documentText(openApiDocument(version), basePath);
}

export function apiDocumentFile(basePath: string): PublicFile {
  return documentFile(`${basePath}/openapi.json`, (version) => openApiText(version, basePath));
}

const { read, write, anonymous } = defaultBudgets;

/** The rules for every operation, once. */
const introduction = `Nineteen endpoints under \`/api/v1\`, with bulk operations built in. The guides at [/docs](/docs) have tested code examples.

**Authentication.** Every request must carry \`Authorization: Bearer <API key>\`. A key belongs to one account and has scopes. Resources of other accounts return 404, exactly like resources that do not exist.

**JSON.** UTF-8 with camelCase names. Ids are integers. Timestamps are RFC 3339 in UTC with milliseconds. Every field of a resource is always present; a field without a value is \`null\`, \`[]\` or \`{}\`. Only \`urls\`, \`exif\`, \`photos\` and \`changes\` depend on the request. Unknown fields and parameters in a request are refused. Later versions may add fields, enum values, and codes of item and field errors: ignore those you do not know.

**Methods.** HEAD works wherever GET does, and OPTIONS returns 204 with \`Allow\`. An unsupported method returns 405 \`method_not_allowed\`, an unknown path 404 \`not_found\`.

**Errors.** Every error has the form \`{"error": {"code", "message", "requestId", "details"?}}\`. Handle errors by \`code\`: each code always has the same HTTP status. Checks run in this order: key (401), address (403), rate limit (429), path and method (404, 405), scope (403), body size and type (413, 415), values (400, with every error at once), Idempotency-Key (409, 422), existence (404), state (409, 412).

**Rate limits.** By default, a key may send ${read} reads (GET, HEAD, OPTIONS) and ${write} writes in any 60 seconds, and an address without a valid key ${anonymous} requests. The window is a rolling one and exact. Every response reports the budget in \`X-RateLimit-*\` headers. A 429 response is not counted, and its \`Retry-After\` says when the next request will succeed. Uploads to signed URLs are not counted: importing 10,000 photos takes 22 writes.

**Pagination.** Lists return \`{"data": […], "pagination": {"nextCursor", "hasMore"}}\`, with ${DEFAULT_PAGE_SIZE} items per page by default and at most ${MAX_PAGE_SIZE} (\`limit\`). To get the next page, send \`nextCursor\` as \`cursor\` with the same sort order and filters, until it is null. A cursor is valid for at least 24 hours, for every key of the account.

**Idempotency.** Any write may carry an \`Idempotency-Key\`. A request repeated within 24 hours is not executed again but returns the first response (\`Idempotent-Replayed: true\`). Responses with 400, 401, 413, 415, 429, 5xx or a missing scope are not stored: you can send such a request again with the same key.

**Conditional requests.** Photos, tags, imports and the account have strong ETags. With \`If-None-Match\`, an unchanged resource returns 304. With \`If-Match\`, a write fails with 412 if the resource has changed since you read it.

**Versioning.** v1 only gains features. Breaking changes come as v2, and v1 remains available beside it for at least 24 months.`;

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
  webhooks,
};
