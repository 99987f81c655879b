import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

/** An answer, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
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
}

/** One request on a connection of its own. */
export function send(base: string, { method = 'GET', path, headers = {}, body }: RequestParts): Promise<Answer> {
  const { hostname, port } = new URL(base);
  const payload = payloadOf(body);
  const all = { ...payload.headers, ...headers } as Record<string, string | string[]>;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))));
    });
    request.on('error', reject);
    for (const chunk of payload.chunks) request.write(chunk);
    request.end();
  });
}

function answer(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  return {
    status,
    headers,
    bytes,
    get text() {
      return bytes.toString('utf8');
    },
    get body() {
      return JSON.parse(bytes.toString('utf8'));
    },
  };
}

function payloadOf(body: unknown): { headers: Record<string, string>; chunks: readonly Uint8Array[] } {
  if (body === undefined) return { headers: {}, chunks: [] };
  if (Array.isArray(body) && body.every((item) => item instanceof Uint8Array)) return { headers: {}, chunks: body };
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) }, chunks: [bytes] };
}
