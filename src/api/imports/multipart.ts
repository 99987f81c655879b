import type { IncomingMessage } from 'node:http';
import type { InlineFile, InlineInput, InlineUpload } from '../../core/imports/register/inline.js';
import { invalid, requireValid } from '../../core/shared/errors.js';
import { maxValuesOf, parseJson, REGISTRATION_BODY_BYTES, readShape } from '../../http/requests/json-body.js';
import { bytesOfPart, type Part, partsOf } from '../../http/requests/multipart.js';
import type { StreamedBody } from '../../http/requests/read-request.js';
import { collect, headerOf } from '../../http/server/request.js';
import { InlineInputBody } from './import.dto.js';

/** `files` throws the problems with the body when it reaches them. */
export type InlineRequest = StreamedBody & InlineUpload;

/**
 * Reads a multipart/form-data body as a stream: an optional first part `photos`, then parts `file`. Only the current part is in memory.
 * Errors: `invalid_request`, `payload_too_large`; `ClientGone` when the body ends early.
 */
export async function openMultipart(request: IncomingMessage, maxBytes: number): Promise<InlineRequest> {
  const parts = partsOf(request, maxBytes, REGISTRATION_BODY_BYTES);
  const first = await parts.next();
  const length = headerOf(request, 'content-length');
  const announcedBytes = length === undefined ? null : Number(length);
  const leave = async () => void (await parts.return(undefined));
  if (!first.done && first.value.name === 'photos') {
    return { inputs: await readInputs(first.value), files: filesOf(parts, null), announcedBytes, leave };
  }
  return { inputs: null, files: filesOf(parts, first.done ? null : first.value), announcedBytes, leave };
}

async function* filesOf(parts: AsyncGenerator<Part>, first: Part | null): AsyncGenerator<InlineFile> {
  try {
    if (first) yield fileOf(first);
    for await (const part of parts) yield fileOf(part);
  } finally {
    await parts.return(undefined);
  }
}

function fileOf(part: Part): InlineFile {
  if (part.name === 'photos')
    throw invalid({
      field: 'photos',
      code: 'conflict',
      message: 'The part photos must appear once, before all files.',
    });
  if (part.name === '')
    throw invalid({ field: 'body', code: 'invalid_format', message: 'Each part must have a name: photos or file.' });
  if (part.name !== 'file')
    throw invalid({
      field: part.name,
      code: 'unknown_field',
      message: `Unknown part ${part.name}: send photos and file.`,
    });
  if (part.kind === 'field')
    throw invalid({ field: 'file', code: 'invalid_type', message: 'Each part named file must have a file name.' });
  return { filename: part.filename, bytes: bytesOfPart(part.stream) };
}

/** The `photos` part has the limit of a JSON body of the endpoint. */
async function readInputs(part: Part): Promise<readonly InlineInput[]> {
  const bytes =
    part.kind === 'field'
      ? new TextEncoder().encode(part.text)
      : await collect(bytesOfPart(part.stream), REGISTRATION_BODY_BYTES);
  const photos = parseJson(bytes, 'photos', maxValuesOf(REGISTRATION_BODY_BYTES));
  const { body, errors } = await readShape({ photos }, InlineInputBody);
  requireValid(errors);
  return (body as InlineInputBody).photos;
}
