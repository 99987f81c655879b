import type { IncomingMessage, ServerResponse } from 'node:http';
import { begun, sendBytes } from './send-bytes.js';
import { dispositionOf } from './send-download.js';

/**
 * Answers with a file that has one JSON object in each line, as fast as the client reads and no faster: nothing is gathered. When
 * something breaks after the first line the connection is cut: what arrived can never be taken for the whole.
 */
export async function sendLines(
  request: IncomingMessage,
  response: ServerResponse,
  filename: string,
  objects: AsyncIterable<object>,
): Promise<void> {
  const lines = request.method === 'HEAD' ? null : await begun(linesOf(objects));
  response.setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
  response.setHeader('Content-Disposition', dispositionOf(filename, 'attachment'));
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  response.setHeader('Cache-Control', 'no-store');
  if (lines === null) {
    response.end();
    return;
  }
  await sendBytes(response, lines);
}

async function* linesOf(objects: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  for await (const object of objects) yield Buffer.from(`${JSON.stringify(object)}\n`);
}
