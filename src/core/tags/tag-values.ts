import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, foldKey } from '../shared/text.js';
import { textErrors } from '../shared/value-errors.js';
import { MAX_TAG_DESCRIPTION, type NewTag, parseTagName, tagNameError } from './tag.js';

/** The input for a tag. An absent field was not sent. */
export interface TagInput {
  readonly name?: string | undefined;
  readonly color?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** The input for a new tag. */
export interface TagCreation extends TagInput {
  readonly name: string;
}

/** As it is stored. Errors: `invalid_request`. */
export function newTag(input: TagCreation, createdAt: Date): NewTag {
  const errors = tagErrors(input);
  if (errors.length > 0) throw invalid(...errors);
  const name = parseTagName(input.name, 'name');
  const { color, description } = input;
  return {
    name,
    nameKey: foldKey(name),
    color: cleanColor(color),
    description: cleanDescription(description),
    createdAt,
  };
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

export function cleanColor(color: string | null | undefined): string | null {
  return color?.toLowerCase() ?? null;
}

export function cleanDescription(description: string | null | undefined): string | null {
  return typeof description === 'string' ? cleanText(description) : null;
}

/** Errors of a request that names tags which do not exist. */
export function unknownTags(field: string, ids: readonly Id[]): FieldError[] {
  return ids.map((id) => ({ field, code: 'unknown_tag', message: `Tag ${id} does not exist.` }));
}
