import createClient, { type Client } from 'openapi-fetch';
import { checkedAnswer } from './answers.js';
import type { paths } from './api-types.js';
import { errorOf, PhotoServiceError } from './errors.js';
import type { Transport } from './transport.js';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, its retries and its waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * Identifies this write for 24 hours: a repetition with the same key gets the first outcome again. Generated for each call if none is
   * given, and the same for each of its retries. 1 to 255 visible ASCII characters.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface EditOptions extends WriteOptions {
  /** The `ETag` of the state to be changed; `ApiError` `precondition_failed` if the resource has changed. */
  readonly ifMatch?: string | undefined;
}

/** The API by its paths, typed from its document. Responses of 4xx and 5xx are thrown as `ApiError`. */
export type Api = Client<paths>;

/** Successful responses have been validated, see `checkedAnswer`; ids in paths are ids. */
export function openApi(transport: Transport, baseUrl: string): Api {
  const root = new URL(`${baseUrl}/api/v1`).pathname;
  return createClient<paths>({
    baseUrl,
    querySerializer: { array: { style: 'form', explode: false } },
    pathSerializer: (path, values) => path.replace(/\{(\w+)\}/g, (_, name) => pathSegment(values[name])),
    fetch: async (request) => {
      const answer = await orThrow(await transport.send(request));
      return checkedAnswer(request.method, new URL(request.url).pathname.slice(root.length), answer);
    },
  });
}

/**
 * An id, or a list of ids, as a segment of a path. Anything else is refused: a wrong value in place of an id must not send the program's
 * key and data to another path.
 * @throws TypeError
 */
export function pathSegment(value: unknown): string {
  // A comma at the end makes a list of one.
  const ids = String(value).replace(/,$/, '').split(',');
  if (!ids.every((id) => /^[1-9]\d*$/.test(id) && Number.isSafeInteger(Number(id)))) {
    throw new TypeError(`${JSON.stringify(value)} is not an id.`);
  }
  return encodeURIComponent(String(value));
}

/** The answer, where it is one of success or 304. */
export async function orThrow(answer: Response): Promise<Response> {
  if (answer.ok || answer.status === 304) return answer;
  throw errorOf(answer.status, answer.headers, await answer.text());
}

/** The result of a call. A success without JSON did not come from this API. */
export function dataOf<T>({ data, response }: { data?: T; response: Response }): T {
  if (data !== undefined && typeof data === 'object') return data;
  throw new PhotoServiceError(
    `${new URL(response.url || 'http://unknown').origin} did not respond like Photo Service. Is the base URL correct?`,
  );
}

export function writeHeaders({ idempotencyKey, ifMatch }: EditOptions): Record<string, string> {
  return {
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  };
}

/** The options and the path of a write, which stand beside its body. */
export function written<Path extends object>(path: Path, options: EditOptions) {
  return asked({ path, header: writeHeaders(options) }, options);
}

/** The options of a call and its parameters. */
export function asked<Params extends object>(params: Params, { signal }: CallOptions) {
  return { params, ...(signal && { signal }) };
}
