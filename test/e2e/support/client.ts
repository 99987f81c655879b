import { createHash } from 'node:crypto';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests, which say what they expect.
  readonly body: any;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** An API client as small as one can be. */
export class Client {
  constructor(
    private readonly base: string,
    private readonly token: string,
  ) {}

  get = (path: string, headers: Record<string, string> = {}) => this.send('GET', path, undefined, headers);
  post = (path: string, body?: unknown, headers: Record<string, string> = {}) => this.send('POST', path, body, headers);
  patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    this.send('PATCH', path, body, headers);
  put = (path: string, body: unknown) => this.send('PUT', path, body);
  delete = (path: string, headers: Record<string, string> = {}) => this.send('DELETE', path, undefined, headers);

  /** @throws an error with the `status` of an answer that is no download */
  async bytes(path: string): Promise<Uint8Array> {
    return (await this.download(path)).bytes;
  }

  async download(path: string): Promise<{ headers: Headers; bytes: Uint8Array }> {
    const response = await this.fetch('GET', path);
    if (response.status !== 200) {
      const error = new Error(`${path} answered ${response.status}: ${await response.text()}`);
      throw Object.assign(error, { status: response.status });
    }
    return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  }

  /** Sends files in one multipart request. */
  async inline(importId: number, files: readonly { name: string; bytes: Uint8Array }[]): Promise<Answer> {
    const form = new FormData();
    for (const { name, bytes } of files) form.append('file', new Blob([new Uint8Array(bytes)]), name);
    return answerOf(await this.fetch('POST', `/imports/${importId}/photos`, form));
  }

  /** PUTs bytes to a signed address, exactly as the answer of a registration says. */
  async upload(target: { url: string; headers: Record<string, string> }, bytes: Uint8Array): Promise<Answer> {
    const { 'content-length': _, ...headers } = target.headers;
    return answerOf(await fetch(target.url, { method: 'PUT', headers, body: new Uint8Array(bytes) }));
  }

  private async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
    return answerOf(await this.fetch(method, path, json, { ...type, ...headers }));
  }

  private fetch(
    method: string,
    path: string,
    body?: RequestInit['body'],
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const init: RequestInit = { method, headers: { Authorization: `Bearer ${this.token}`, ...headers } };
    return fetch(`${this.base}/api/v1${path}`, body === undefined ? init : { ...init, body });
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
