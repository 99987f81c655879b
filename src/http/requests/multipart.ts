import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { DomainError, invalid } from '../../core/shared/errors.js';
import { bodyOf, bodyTooLarge, ClientGone, headerOf } from '../server/request.js';

/** Far more than any body has that is accepted: parts that were not read yet are held in memory, even if they are empty. */
const MAX_PARTS = 200;

export type Part =
  | { readonly kind: 'file'; readonly name: string; readonly filename: string; readonly stream: BusboyFileStream }
  | { readonly kind: 'field'; readonly name: string; readonly text: string };

/** Ending early keeps the stream open: the parser needs its end to continue. */
export async function* bytesOfPart(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw asRefusal(error);
  }
}

/**
 * The parts in their order. Each file's bytes must be read, or skipped, before the next part is requested.
 * @param maxFieldBytes Of all fields together: unlike files, they are held in memory.
 */
export async function* partsOf(
  request: IncomingMessage,
  maxBytes: number,
  maxFieldBytes: number,
): AsyncGenerator<Part> {
  const waiting: Part[] = [];
  let wake = () => {};
  let over: { error: unknown } | { error: null } | null = null;
  const parser = openParser(headerOf(request, 'content-type'), maxFieldBytes);
  let fieldBytes = 0;
  const push = (part: Part) => {
    if (over === null) waiting.push(part);
    wake();
  };
  /** After the parts that are waiting: what is wrong with one of them is reported first. */
  const refuse = (error: DomainError) => {
    over ??= { error };
    parser.destroy(error);
    wake();
  };
  parser.on('file', (name, stream, filename) => {
    // The reader of the stream gets its error; if unread, it must not end the process.
    stream.on('error', () => undefined);
    push({ kind: 'file', name: String(name ?? ''), filename: String(filename ?? ''), stream });
  });
  parser.on('field', (name, text, _, isTruncated) => {
    fieldBytes += Buffer.byteLength(text);
    if (isTruncated || fieldBytes > maxFieldBytes) refuse(bodyTooLarge(maxFieldBytes));
    else push({ kind: 'field', name: String(name ?? ''), text });
  });
  parser.on('partsLimit', () =>
    refuse(invalid({ field: 'body', code: 'too_many', message: `The body can have at most ${MAX_PARTS} parts.` })),
  );
  const stopping = new AbortController();
  let open: BusboyFileStream | null = null;
  void pipeline(Readable.from(bounded(request, maxBytes)), parser, { signal: stopping.signal }).then(
    () => {
      over = { error: null };
      wake();
    },
    (error: unknown) => {
      const cause = asRefusal(error);
      over ??= { error: cause };
      for (const part of waiting) if (part.kind === 'file') part.stream.destroy(cause);
      open?.destroy(cause);
      wake();
    },
  );
  try {
    for (;;) {
      const part = waiting.shift();
      if (part) {
        if (part.kind === 'file') open = part.stream;
        yield part;
        if (part.kind === 'file') part.stream.resume();
        open = null;
      } else if (over) {
        const { error } = over as { error: unknown };
        if (error !== null) throw error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stopping.abort();
  }
}

function openParser(contentType: string | undefined, fieldSize: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType } as BusboyHeaders,
      limits: { fieldNameSize: 100, fieldSize, parts: MAX_PARTS, headerPairs: 50, headerSize: 16 * 1024 },
    });
  } catch {
    throw invalid({
      field: 'body',
      code: 'invalid_format',
      message: 'The Content-Type of a multipart body must contain its boundary.',
    });
  }
}

async function* bounded(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bodyOf(request)) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    yield chunk;
  }
}

/** Errors that the parser reports are the client's; our own errors are passed on. */
function asRefusal(error: unknown): Error {
  if (error instanceof DomainError || error instanceof ClientGone) return error;
  return invalid({ field: 'body', code: 'invalid_format', message: 'The multipart body is malformed or incomplete.' });
}
