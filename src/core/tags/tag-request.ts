import type { FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { foldKey } from '../shared/text.js';
import { nameKeyOf, parseTagName, tagNameError } from './tag.js';

/** Tags as requests name them: by id, by name, or both. */
export interface TagRequest {
  readonly tagIds?: readonly Id[] | undefined;
  /** Names that do not exist yet are created, which needs the scope `tags:write`. */
  readonly tagNames?: readonly string[] | undefined;
}

/** Problems with the names that do not depend on existing tags: each once. */
export function nameErrors({ tagNames = [] }: TagRequest): FieldError[] {
  const errors = tagNames.flatMap((name) => tagNameError(name, 'tagNames') ?? []);
  return [...new Map(errors.map((error) => [error.code, error])).values()];
}

/** The cleaned names by their keys. Errors: `invalid_request`. */
export function namesIn({ tagNames = [] }: TagRequest, field: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of tagNames) {
    const clean = parseTagName(name, field);
    if (!names.has(foldKey(clean))) names.set(foldKey(clean), clean);
  }
  return names;
}

export function nameKeysIn(requests: readonly TagRequest[]): string[] {
  return [...new Set(requests.flatMap(({ tagNames = [] }) => tagNames.flatMap((name) => nameKeyOf(name) ?? [])))];
}
