import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendBytes, withFirstChunk } from './send-bytes.js';
import { dispositionOf } from './send-download.js';

/** Responds with a file of one JSON object per line, like `sendText`. */
export function sendLines(
  request: IncomingMessage,
  response: ServerResponse,
  filename: string,
  objects: AsyncIterable<object>,
): Promise<void> {
  return sendText(request, response, { filename, type: 'application/x-ndjson' }, linesOf(objects));
}

/**
 * Responds with a text file, no faster than the client reads: nothing is buffered. When something fails after the first part the connection
 * is closed: a partial response can never be taken for the whole.
 */
export async function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { filename, type }: { readonly filename: string; readonly type: string },
  texts: AsyncIterable<string>,
): Promise<void> {
  const lines = request.method === 'HEAD' ? null : await withFirstChunk(encoded(texts));
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Disposition', dispositionOf(filename, 'attachment'));
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  response.setHeader('Cache-Control', 'no-store');
  if (lines === null) {
    response.end();
    return;
  }
  await sendBytes(response, lines);
}

async function* linesOf(objects: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const object of objects) yield `${JSON.stringify(object)}\n`;
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
