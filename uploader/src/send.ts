import type { UploadTarget } from './backend.js';

/** Files from this size on continue where they were cut off; for smaller ones asking first takes longer than sending them again. */
const RESUMABLE_BYTES = 8 * 1024 ** 2;
const TUS = { 'Tus-Resumable': '1.0.0' };

/** The bytes were not taken. */
export class NotTaken extends Error {
  /** @param status 0: there was no response. */
  constructor(
    readonly status: number,
    readonly code: string | null = null,
    message = '',
  ) {
    super(message);
  }
}

/** Sends a file to its target, or what of it has not arrived. `onSent` is called with the bytes that are there. @throws NotTaken, AbortError */
export async function send(
  file: File,
  target: UploadTarget,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const offset = await arrived(file, target, signal);
  if (offset === null) {
    // Browsers count the bytes themselves, and do not let scripts say how many there are.
    const lowerCased = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { 'content-length': _, ...headers }: Record<string, string> = Object.fromEntries(lowerCased);
    await transmit('PUT', target.url, headers, file, onSent, signal);
    return;
  }
  onSent(offset);
  if (offset >= file.size) return;
  const headers = { ...TUS, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
  await transmit('PATCH', target.url, headers, file.slice(offset), (bytes) => onSent(offset + bytes), signal);
}

/** Returns how many bytes of a large file have arrived; null when it has to be sent as a whole. */
async function arrived(file: File, { url, protocols = [] }: UploadTarget, signal: AbortSignal): Promise<number | null> {
  if (file.size <= RESUMABLE_BYTES || !protocols.includes('tus')) return null;
  const answer = await fetch(url, { method: 'HEAD', headers: TUS, credentials: 'omit', signal }).catch(() => {
    signal.throwIfAborted();
    throw new NotTaken(0);
  });
  // Something on the way knows only the methods that everyone uses.
  if (answer.status === 405 || answer.status === 501) return null;
  if (!answer.ok) throw new NotTaken(answer.status);
  return Number(answer.headers.get('Upload-Offset'));
}

/** fetch cannot say how far it is, so this is an XMLHttpRequest. */
function transmit(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  bytes: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status < 300) return resolve();
      try {
        const { code, message } = JSON.parse(responseText).error;
        reject(new NotTaken(status, code, message));
      } catch {
        reject(new NotTaken(status));
      }
    });
    request.addEventListener('error', () => reject(new NotTaken(0)));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    signal.addEventListener('abort', stop);
    if (signal.aborted) reject(signal.reason);
    // Without a type of its own, which would be sent along: the address was signed without one.
    else request.send(bytes.slice());
  });
}
