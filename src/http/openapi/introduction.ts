import { defaultBudgets } from '../../core/access/rolling-window.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../core/shared/pagination.js';

const { read, write, anonymous } = defaultBudgets;

/** What holds for every operation (API.md §4), once. */
export const introduction = `Nineteen endpoints under \`/api/v1\`; bulk work fits inside them. Guides with code that runs are at [/docs](/docs).

**Keys.** Every request carries \`Authorization: Bearer <API key>\`. A key belongs to one account and has scopes. What is someone else's looks like what does not exist: 404.

**JSON.** UTF-8, camelCase. Ids are whole numbers. Instants are RFC 3339 in UTC with milliseconds. All fields of a resource are always there, without a value \`null\`, \`[]\` or \`{}\`; \`urls\`, \`exif\`, \`photos\` and \`changes\` come only when they are asked for. Requests with fields or parameters that are not known are refused. Later versions may add fields, values of enums and codes of item and field errors: overlook what you do not know.

**Methods.** HEAD works wherever GET does, OPTIONS answers 204 with \`Allow\`; another method is 405 \`method_not_allowed\`, an unknown path 404 \`not_found\`.

**Errors.** Always \`{"error": {"code", "message", "requestId", "details"?}}\`. Decide by \`code\`; its status never changes. Checks come in this order: key (401), address (403), budget (429), path and method (404, 405), scope (403), body (413, 415), values (400, all that is wrong in one answer), Idempotency-Key (409, 422), existence (404), state (409, 412).

**Rate limits.** In any 60 seconds a key has ${read} reads (GET, HEAD, OPTIONS) and ${write} writes, unless the operator says otherwise; an address without a valid key has ${anonymous} requests. The window rolls and is exact. Every answer says in \`X-RateLimit-*\` what is left. 429 says in \`Retry-After\` when the next request succeeds, and is not counted. Bytes sent to signed addresses cost nothing: 10,000 photos are 22 writes.

**Lists.** \`{"data": […], "pagination": {"nextCursor", "hasMore"}}\`, ${DEFAULT_PAGE_SIZE} items a page unless \`limit\` says otherwise, at most ${MAX_PAGE_SIZE}. Repeat the request with \`cursor\` set to \`nextCursor\`, with the same sort and filters, until it is null. A cursor is good for at least 24 hours, for every key of the account.

**Doing it once.** Any write may carry an \`Idempotency-Key\`. Sent again within 24 hours it is answered as before (\`Idempotent-Replayed: true\`). 400, 401, 413, 415, 429, missing scopes and 5xx are not kept: such a request may be sent again under its key.

**Conditions.** Photos, tags, imports and the account have strong ETags. \`If-None-Match\` makes a read 304, \`If-Match\` keeps a write from overwriting what you have not seen (412).

**Versions.** v1 only grows. What would break a client comes as v2, and v1 lives on for a year beside it.`;
