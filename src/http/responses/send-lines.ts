import type { IncomingMessage, ServerResponse } from 'node:http';
import { dispositionOf, sendBytes, withFirstChunk } from './send-download.js';

/** Responds with a file of one JSON object per line, like `sendText`. */
export function sendLines(
  request: IncomingMessage,
  response: ServerResponse,
  filename: string,
  objects: AsyncIterable<object>,
): Promise<void> {
  return sendText(request, response, { filename, type: 'application/x-ndjson' }, linesOf(objects));
}

interface GeneratedFile {
  readonly filename: string;
  readonly type: string;
}

/** Responds with a text file, like `sendGenerated`. */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { filename, type }: GeneratedFile,
  texts: AsyncIterable<string>,
): Promise<void> {
  return sendGenerated(request, response, { filename, type: `${type}; charset=utf-8` }, encoded(texts));
}

/**
 * Responds with a file that is written while it is sent, no faster than the client reads: nothing is buffered. When something fails after the
 * first part the connection is closed: a partial response can never be taken for the whole.
 */
export async function sendGenerated(
  request: IncomingMessage,
  response: ServerResponse,
  { filename, type }: GeneratedFile,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const sent = request.method === 'HEAD' ? null : await withFirstChunk(bytes);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', dispositionOf(filename, 'attachment'));
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  response.setHeader('Cache-Control', 'no-store');
  if (sent === null) {
    response.end();
    return;
  }
  await sendBytes(response, sent);
}

async function* linesOf(objects: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const object of objects) yield `${JSON.stringify(object)}\n`;
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
