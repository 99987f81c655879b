import type { UploadTarget } from '../resources.js';
import type { ImportSource, UploadAnswer } from './source.js';

/** Files from this size on continue where they were cut off; for smaller ones asking first takes longer than sending them again. */
const RESUMABLE_BYTES = 8 * 1024 ** 2;
const TUS = { 'Tus-Resumable': '1.0.0' };

export function isResumable({ sizeBytes }: ImportSource, { protocols }: Partial<UploadTarget>): boolean {
  return sizeBytes > RESUMABLE_BYTES && (protocols ?? []).includes('tus');
}

/** Returns how much of the content has arrived; or the response, where it does not say. */
async function askOffset(url: string, signal: AbortSignal): Promise<number | UploadAnswer> {
  const { status, headers } = await fetch(url, { method: 'HEAD', headers: TUS, signal });
  const offset = Number(headers.get('Upload-Offset') ?? Number.NaN);
  const isKnown = status >= 200 && status < 300 && Number.isSafeInteger(offset) && offset >= 0;
  return isKnown ? offset : { status, code: null, message: null };
}

/**
 * Sends the part of the content that has not arrived, by tus 1.0. `onOffset` is called with what has. Resolves with the response, and rejects
 * as `ImportSource.send` does.
 */
export async function continueUpload(
  source: ImportSource,
  { url }: UploadTarget,
  { onOffset, onBytes }: { onOffset: (offset: number) => void; onBytes: (count: number) => void },
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const start = await askOffset(url, signal);
  if (typeof start !== 'number') return start;
  onOffset(start);
  if (start >= source.sizeBytes) return { status: 204, code: null, message: null };
  const headers = { ...TUS, 'Upload-Offset': String(start), 'Content-Type': 'application/offset+octet-stream' };
  return source.send({ url, method: 'PATCH', headers, start }, onBytes, signal);
}
