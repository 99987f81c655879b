import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { decoded, requireContract } from './contract.js';

/** An answer, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they came, perhaps compressed. */
  readonly bytes: Buffer;
  /** Of the body, decompressed. */
  readonly text: string;
  /** The body as JSON, decompressed; throws when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies field by field.
  readonly body: any;
}

export interface RequestParts {
  readonly method?: string;
  /** Sent as it stands, not normalised. */
  readonly path: string;
  /** A list repeats the header. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object goes as JSON, a list of chunks without Content-Length. */
  readonly body?: unknown;
  /** The request does not end by itself: what is sent so far is all that comes. */
  readonly open?: boolean;
}

/** One request on a connection of its own. Rejects when request and answer are not as the OpenAPI document says. */
export function send(
  base: string,
  { method = 'GET', path, headers = {}, body, open = false }: RequestParts,
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  const payload = payloadOf(body);
  const all = { ...payload.headers, ...headers } as Record<string, string | string[]>;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (open) request.destroy();
        const received = answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks));
        try {
          const { status, headers: answered, bytes } = received;
          const sent = { method, path, requestHeaders: lowerCase(all), requestBytes: payload.whole };
          requireContract({ ...sent, status, headers: answered, bytes });
          resolve(received);
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on('error', reject);
    for (const chunk of payload.chunks) request.write(chunk);
    if (!open) request.end();
  });
}

function answer(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  return {
    status,
    headers,
    bytes,
    get text() {
      return Buffer.from(decoded(bytes, headers['content-encoding'])).toString('utf8');
    },
    get body() {
      return JSON.parse(this.text);
    },
  };
}

interface Payload {
  readonly headers: Record<string, string>;
  readonly chunks: readonly Uint8Array[];
  /** What was sent in all. */
  readonly whole: Uint8Array;
}

function lowerCase(headers: Readonly<Record<string, string | string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function payloadOf(body: unknown): Payload {
  if (body === undefined) return { headers: {}, chunks: [], whole: new Uint8Array() };
  if (Array.isArray(body) && body.every((item) => item instanceof Uint8Array)) {
    return { headers: {}, chunks: body, whole: Buffer.concat(body) };
  }
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  return { headers, chunks: [bytes], whole: bytes };
}
