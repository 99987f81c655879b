import type { Request } from 'express';
import { DomainError } from '../../core/shared/errors.js';
import { hasBody, readBody } from '../request-body.js';

const FORM_BYTES = 256 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** What the fields of a form say. */
export class FormFields {
  constructor(private readonly fields: URLSearchParams) {}

  /** Empty when the field was not sent. */
  text(name: string): string {
    return this.fields.get(name) ?? '';
  }

  /** What was chosen of a group of checkboxes. */
  all(name: string): readonly string[] {
    return this.fields.getAll(name);
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }
}

/** The fields that a form sends; none of a body of another type, which is left for the handler. Errors: `payload_too_large`. */
export async function readForm(request: Request): Promise<FormFields> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE || !hasBody(request)) return new FormFields(new URLSearchParams());
  if (request.headers['content-encoding'] !== undefined) {
    throw new DomainError('unsupported_media_type', 'Send the form without Content-Encoding.');
  }
  const bytes = await readBody(request, FORM_BYTES);
  return new FormFields(new URLSearchParams(bytes.toString('utf8')));
}
