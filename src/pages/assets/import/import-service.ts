// What the service is asked for an import. Its answers are those of the API.

import { publicPath } from '../public-path.js';

export interface UploadTarget {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface ImportItem {
  readonly id: number;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly upload: UploadTarget | null;
}

export interface Announcement {
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly tagNames: readonly string[];
}

export interface Registered {
  readonly outcome: string;
  readonly photo: ImportItem | null;
  readonly error: { readonly message: string } | null;
  /** The item that records that the file was refused. */
  readonly refused: { readonly id: number } | null;
}

export interface ImportState {
  readonly id: number;
  readonly status: string;
  readonly counts: { readonly imported: number; readonly duplicate: number };
  /** From 0 to 1. */
  readonly progress: number;
  readonly failed: readonly { readonly id: number; readonly filename: string; readonly reason: string }[];
}

/** An answer that is an error: `code` and what it says to people. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string = 'unreachable',
    message = 'The service does not answer.',
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(status === 401 ? 'You are signed out. Sign in again in another tab, then continue here.' : message);
  }

  /** Whether the same may go well a little later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 401 || this.status === 429 || this.status >= 500;
  }
}

export const service = {
  begin: (clientRef: string) => ask<{ id: number }>('/settings/import/begin', { clientRef }),
  /** Announces files; `throughService` asks for addresses here, where those of the store cannot be reached. */
  register: (importId: number, photos: readonly Announcement[], throughService: boolean) =>
    ask<{ data: readonly Registered[] }>(
      `/settings/import/${importId}/photos${throughService ? '?through=service' : ''}`,
      { photos },
    ),
  /** The store has the bytes: they may be looked at. */
  arrived: (importId: number, itemId: number) => ask(`/settings/import/${importId}/photos/${itemId}/arrived`, {}),
  finish: (importId: number, missingUploads: 'reject' | 'fail') =>
    ask(`/settings/import/${importId}/finish`, { missingUploads }),
  state: (importId: number) => ask<ImportState>(`/settings/imports/${importId}/state`),
};

async function ask<T>(path: string, body?: object): Promise<T> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
  const headers = { Accept: 'application/json', 'X-CSRF-Token': token };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(publicPath(path), {
    ...sent,
    headers: { ...headers, 'Content-Type': 'application/json' },
  }).catch(() => null);
  if (answer === null) throw new Refused(0);
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, content.error?.code, content.error?.message, content.error?.details);
  return content;
}

// What to do when the service does not answer: try again, after waits that grow, and say when.
/** Attempts at one request, before the person is told. */
export const ATTEMPTS = 5;

const WAIT_SECONDS = [5, 10, 20, 40, 60];

export class Retries {
  /** Until the next one; null: none is planned. */
  seconds: number | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setInterval> | null = null;

  /** @param counted Called each second until then. */
  constructor(
    private readonly retry: () => void,
    private readonly counted: () => void,
  ) {}

  plan(): void {
    this.cancel();
    this.seconds = WAIT_SECONDS[Math.min(this.failures, WAIT_SECONDS.length - 1)] ?? 0;
    this.failures += 1;
    this.timer = setInterval(() => this.count(), 1000);
  }

  cancel(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.seconds = null;
  }

  /** It answers again: the next wait is a short one. */
  succeeded(): void {
    this.failures = 0;
  }

  private count(): void {
    this.seconds = (this.seconds ?? 1) - 1;
    if (this.seconds > 0) this.counted();
    else {
      this.cancel();
      this.retry();
    }
  }
}

/** Goes on asking while the answer may be another one soon. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused) || !error.mayPass || error.status === 401 || attempt === ATTEMPTS) throw error;
      await pauseAfter(attempt);
    }
  }
}

/** 0.3 to 5 seconds. */
export function pauseAfter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, attempt ** 2 * 300));
}

// Sends the bytes of one file to the address that it was given.
/** Files from this size on continue where they were cut off. For smaller ones asking first takes longer than sending them again. */
const RESUMABLE_BYTES = 8 * 1024 ** 2;
const TUS = { 'Tus-Resumable': '1.0.0' };
/** Bytes of a request of such a file: as many as arrive in a few seconds, for its progress is only known between requests. */
const PIECES = { least: 1024 ** 2, most: 16 * 1024 ** 2, fastMs: 2000, slowMs: 6000 };

/** The upload was not taken. Status 0: there was no answer. */
export class NotTaken extends Error {
  constructor(
    readonly status: number,
    message = '',
  ) {
    super(message || 'The connection was lost.');
  }
}

interface Sending {
  /** Called with the bytes that had arrived before, of a file that continues. */
  readonly onArrived: (bytes: number) => void;
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Resolves once the bytes are safe. Rejects with NotTaken, or with an AbortError.
 */
export async function send(
  file: File,
  upload: UploadTarget,
  { onArrived, onProgress, signal }: Sending,
): Promise<void> {
  if (!isResumable(file, upload)) return transmit(file, upload, { onProgress, signal });
  let offset = offsetIn(await askStore(upload, 'HEAD', {}, signal));
  for (let size = PIECES.least; ; ) {
    onArrived(offset);
    onProgress(offset);
    if (offset >= file.size) return;
    const began = performance.now();
    const headers = { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
    offset = offsetIn(await askStore(upload, 'PATCH', { headers, body: file.slice(offset, offset + size) }, signal));
    const took = performance.now() - began;
    if (took < PIECES.fastMs) size = Math.min(2 * size, PIECES.most);
    if (took > PIECES.slowMs) size = Math.max(size / 2, PIECES.least);
  }
}

/** Whether what has arrived stays, by tus 1.0. */
export function isResumable(file: File, { protocols }: UploadTarget): boolean {
  return file.size > RESUMABLE_BYTES && protocols.includes('tus');
}

/** Bytes that go straight to a store do not pass this service. */
export function isOfStore({ url }: UploadTarget): boolean {
  return !/\/uploads\/[^/]+$/.test(new URL(url).pathname);
}

/**
 * Without cookies, and so on a connection that nothing else has used: browsers send what breaks on a used one again by themselves, from a
 * byte that is no longer the next.
 */
async function askStore(
  { url }: UploadTarget,
  method: 'HEAD' | 'PATCH',
  { headers = {}, body = null }: { headers?: Record<string, string>; body?: Blob | null },
  signal: AbortSignal,
): Promise<Response> {
  const request: RequestInit = { method, headers: { ...TUS, ...headers }, body, credentials: 'omit', signal };
  const answer = await fetch(url, request).catch((error) => {
    throw error.name === 'AbortError' ? error : new NotTaken(0);
  });
  if (!answer.ok) throw new NotTaken(answer.status, messageIn(await answer.text()));
  return answer;
}

function offsetIn({ headers }: Response): number {
  return Number(headers.get('Upload-Offset'));
}

/** fetch cannot tell how far it is, so this is an XMLHttpRequest. */
function transmit(
  bytes: File,
  { url, headers }: UploadTarget,
  { onProgress, signal }: Omit<Sending, 'onArrived'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) {
      // Browsers count the bytes themselves, and do not let scripts say it.
      if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, value);
    }
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => {
      if (request.status < 300) resolve();
      else reject(new NotTaken(request.status, messageIn(request.responseText)));
    });
    request.addEventListener('error', () => reject(new NotTaken(0)));
    request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    signal.addEventListener('abort', stop);
    if (signal.aborted) reject(new DOMException('stopped', 'AbortError'));
    // A slice has no type that would be sent along: the address was signed without one.
    else request.send(bytes.slice());
  });
}

function messageIn(text: string): string {
  try {
    return JSON.parse(text).error.message;
  } catch {
    return '';
  }
}
