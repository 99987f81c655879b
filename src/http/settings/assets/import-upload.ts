// Sends the bytes of one file to the address that it was given.

import type { UploadTarget } from './import-service.js';

/** Files from this size on continue where they were cut off. For smaller ones asking first takes longer than sending them again. */
const RESUMABLE_BYTES = 8 * 1024 ** 2;
const TUS = { 'Tus-Resumable': '1.0.0' };
/** Bytes of a request of such a file: as many as arrive in a few seconds, for its progress is only known between requests. */
const PIECES = { least: 1024 ** 2, most: 16 * 1024 ** 2, fastMs: 2000, slowMs: 6000 };

/** The upload was not taken. Status 0: nobody answered. */
export class NotTaken extends Error {
  readonly status: number;

  constructor(status: number, message = '') {
    super(message || 'The connection was lost.');
    this.status = status;
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
  let offset = offsetIn(await ask(upload, 'HEAD', {}, signal));
  for (let size = PIECES.least; ; ) {
    onArrived(offset);
    onProgress(offset);
    if (offset >= file.size) return;
    const began = performance.now();
    const headers = { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
    offset = offsetIn(await ask(upload, 'PATCH', { headers, body: file.slice(offset, offset + size) }, signal));
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
async function ask(
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
      // Browsers count the bytes themselves, and let nobody else say it.
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
