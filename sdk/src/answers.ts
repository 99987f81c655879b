import { PhotoServiceError } from './errors.js';

/** The problem with a value, for example `.id must be an id`; null: nothing. */
type Check = (value: unknown) => string | null;

/**
 * The response to a call, validated: programs rely on its types, and the server need not be honest, nor even a Photo Service. Only members
 * that programs act upon are required; others are ignored, so that a newer service may add some.
 * @param path Below `/api/v1`.
 * @throws PhotoServiceError for anything else.
 */
export async function checkedAnswer(method: string, path: string, answer: Response): Promise<Response> {
  if (answer.status === 204 || answer.status === 304) return answer;
  const text = await answer.text();
  const rule = rules.find(([verb, pattern]) => verb.split('|').includes(method) && pattern.test(path));
  const check = rule?.[2] ?? object({});
  let problem: string | null;
  try {
    const found = check(JSON.parse(text));
    problem = found && `it${found}`;
  } catch {
    problem = 'not JSON';
  }
  if (problem !== null) {
    throw new PhotoServiceError(
      `The response to ${method} /api/v1${path} is not from Photo Service (${problem}). Is the base URL correct?`,
    );
  }
  const { status, statusText, headers } = answer;
  return new Response(text, { status, statusText, headers });
}

function where(holds: (value: unknown) => boolean, what: string): Check {
  return (value) => (holds(value) ? null : ` must be ${what}`);
}

const text = where((value) => typeof value === 'string', 'a string');
const flag = where((value) => typeof value === 'boolean', 'true or false');
const amount = where((value) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number, 0 or greater');
const positive = where((value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number, 1 or greater');
const id = where((value) => Number.isSafeInteger(value) && (value as number) > 0, 'an id');
const sha256 = where((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), 'a SHA-256 in hex');
const instant = where(
  // In the API's format of times, so that they can be compared as texts.
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
  'a timestamp',
);

function nullable(check: Check): Check {
  return (value) => (value === null ? null : check(value));
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

function object(members: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ' must be an object';
    for (const [name, check] of Object.entries(members)) {
      const problem = check(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
      if (problem !== null) return `.${name}${problem}`;
    }
    return null;
  };
}

function list(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return ' must be a list';
    for (const [index, item] of value.entries()) {
      const problem = check(item);
      if (problem !== null) return `[${index}]${problem}`;
    }
    return null;
  };
}

function record(check: Check): Check {
  return (value) => object(Object.fromEntries(Object.keys(Object(value)).map((name) => [name, check])))(value);
}

/** A list of outcomes if several were requested, otherwise the one resource. */
function oneOrMany(one: Check, outcome: Check): Check {
  const many = object({ data: list(outcome) });
  return (value) => (value !== null && typeof value === 'object' && 'data' in value ? many(value) : one(value));
}

function page(item: Check): Check {
  return object({ data: list(item), pagination: object({ nextCursor: nullable(text), hasMore: flag }) });
}

const problemOfItem = object({ code: text, message: text });
const tagName = object({ id, name: text });
const photo = object({
  id,
  filename: text,
  sizeBytes: amount,
  sha256,
  updatedAt: instant,
  trashedAt: nullable(instant),
  contentType: optional(text),
  title: optional(nullable(text)),
  description: optional(nullable(text)),
  takenAt: optional(nullable(text)),
  createdAt: optional(instant),
  tags: optional(list(tagName)),
});
const changes = object({
  added: amount,
  removed: amount,
  unchanged: amount,
  notFound: list(id),
  full: list(id),
  mergedTagIds: list(id),
});
const tag = object({
  id,
  name: text,
  photoCount: amount,
  color: optional(nullable(text)),
  changes: optional(changes),
});
const webAddress = where(
  (value) => typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  'an http URL',
);
const uploadTarget = object({ method: text, url: webAddress, headers: record(text), protocols: optional(list(text)) });
const item = object({
  id,
  status: text,
  clientRef: nullable(text),
  photoId: optional(nullable(id)),
  sha256: optional(nullable(sha256)),
  upload: nullable(uploadTarget),
  error: nullable(problemOfItem),
});
const counts = object({
  total: amount,
  awaitingUpload: amount,
  fetching: optional(amount),
  processing: amount,
  ready: amount,
  imported: amount,
  duplicate: amount,
  failed: amount,
});
const importOf = object({ id, status: text, counts, photos: optional(page(item)) });
const registered = object({
  data: list(object({ index: amount, outcome: text, photo: nullable(item), error: nullable(problemOfItem) })),
});
const budget = object({ limit: amount, remaining: amount, reset: amount });
const me = object({
  customer: object({ id, name: text }),
  apiKey: object({ id, name: text, scopes: list(text) }),
  rateLimits: object({ read: budget, write: budget }),
});
const customer = object({
  id: optional(id),
  name: optional(text),
  formats: list(text),
  limits: object({ importBatchSize: positive, importMaxPhotos: positive, maxFileBytes: positive }),
});
const edit = object({ id, outcome: text, photo: optional(nullable(photo)), error: optional(nullable(problemOfItem)) });
const creation = object({ index: amount, outcome: text, tag: nullable(tag), error: nullable(problemOfItem) });

/** By method and path; the first match applies. */
const rules: readonly (readonly [string, RegExp, Check])[] = [
  ['GET', /^\/me$/, me],
  ['GET', /^\/customer$/, customer],
  ['GET', /^\/photos$/, page(photo)],
  ['GET|PUT', /^\/photos\/[^/]+\/tags$/, object({ data: list(tag) })],
  ['GET|PATCH|DELETE', /^\/photos\/[^/]+$/, oneOrMany(photo, edit)],
  ['GET', /^\/tags$/, page(tag)],
  ['POST', /^\/tags$/, oneOrMany(tag, creation)],
  ['GET|PATCH', /^\/tags\/[^/]+$/, tag],
  ['POST', /^\/imports$/, importOf],
  ['POST', /^\/imports\/[^/]+\/photos$/, registered],
  ['PATCH', /^\/imports\/[^/]+\/photos\/[^/]+$/, item],
  ['POST', /^\/imports\/[^/]+\/finalize$/, importOf],
  ['GET', /^\/imports\/[^/]+$/, importOf],
];
