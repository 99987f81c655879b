import type { Request } from 'express';
import { MAX_CLIENT_REF } from '../../../core/imports/import.js';
import { type FieldError, invalid } from '../../../core/shared/errors.js';
import { OneOf, Text } from '../../fields/fields.js';
import { type BodyClass, maxValuesOf, parseJson, readShape } from '../../requests/json-body.js';
import { readBody } from '../../server/request-body.js';

/** The request of the importer's script to begin an import. */
export class BeginBody {
  @Text({ required: true, max: MAX_CLIENT_REF })
  clientRef: string;
}

export class FinishBody {
  @OneOf({ reject: '', fail: '' })
  missingUploads?: 'reject' | 'fail';
}

/** The JSON body of a request from one of our scripts. Errors: `invalid_request`, `payload_too_large`. */
export async function readSent<T extends object>(request: Request, shape: BodyClass & (new () => T), maxBytes: number) {
  const { body, errors } = await readShape(
    parseJson(await readBody(request, maxBytes), 'body', maxValuesOf(maxBytes)),
    shape,
  );
  if (errors.length > 0) throw invalid(...(errors as FieldError[]));
  return body as T;
}
