import type { FieldError } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { textErrors } from '../shared/text-errors.js';
import { MAX_TAG_DESCRIPTION, tagNameError } from './tag.js';

/** The input for a tag. An absent field was not sent. */
export interface TagInput {
  readonly name?: string | undefined;
  readonly color?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** All problems with the values. */
export function tagErrors({ name, color, description }: TagInput): FieldError[] {
  const errors = textErrors('description', description, MAX_TAG_DESCRIPTION);
  const nameError = name === undefined ? null : tagNameError(name, 'name');
  if (nameError !== null) errors.push(nameError);
  if (typeof color === 'string' && !/^#[0-9a-f]{6}$/i.test(color)) {
    errors.push({ field: 'color', code: 'invalid_format', message: 'color must look like #3366ff.' });
  }
  return errors;
}

export function cleanDescription(description: string | null | undefined): string | null {
  return typeof description === 'string' ? cleanText(description) : null;
}
