import { DomainError, type FieldError, invalid, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { PageWindow, Position } from '../shared/pagination.js';
import {
  CONTROL_CHARACTERS,
  cleanText,
  codePoints,
  compareText,
  foldKey,
  normalized,
  textErrors,
} from '../shared/text.js';

export interface Tag {
  readonly id: Id;
  readonly customerId: Id;
  readonly name: string;
  /** Unique per customer: `foldKey` of the name. Also the sort key of names. */
  readonly nameKey: string;
  /** `#rrggbb`, lower case. */
  readonly color: string | null;
  readonly description: string | null;
  /** Photos outside the trash that have it; updated in the transaction that changes it. */
  readonly photoCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export interface TagName {
  readonly id: Id;
  readonly name: string;
}

export type NewTag = Pick<Tag, 'name' | 'nameKey' | 'color' | 'description' | 'createdAt'>;

export const MAX_TAG_NAME = 100;
export const MAX_TAG_DESCRIPTION = 1000;

/** NFC, trimmed, inner white space collapsed; 1 to 100 code points of valid Unicode, no control characters. Errors: `invalid_request`. */
export function parseTagName(name: string, field: string): string {
  const error = tagNameError(name, field);
  if (error !== null) throw invalid(error);
  return cleanName(name);
}

/** Why `parseTagName` refuses a name, or null. */
export function tagNameError(name: string, field: string): FieldError | null {
  if (hasForbiddenCharacters(name)) {
    const message = `${field} must be valid Unicode text without control characters.`;
    return { field, code: 'invalid_format', message };
  }
  const length = codePoints(cleanName(name));
  if (length >= 1 && length <= MAX_TAG_NAME) return null;
  const message = `${field} must have 1 to ${MAX_TAG_NAME} characters.`;
  return { field, code: length === 0 ? 'too_short' : 'too_long', message, min: 1, max: MAX_TAG_NAME };
}

/** The key of what `parseTagName` would return; null if it would refuse characters of the name. */
export function nameKeyOf(name: string): string | null {
  return hasForbiddenCharacters(name) ? null : foldKey(cleanName(name));
}

function hasForbiddenCharacters(name: string): boolean {
  return CONTROL_CHARACTERS.test(name) || !name.isWellFormed();
}

function cleanName(name: string): string {
  return normalized(name, 'NFC').trim().replace(/\s+/gu, ' ');
}

/** By name key, then id: the order of tags wherever they are listed. */
export function byName(a: TagName, b: TagName): number {
  return compareText(foldKey(a.name), foldKey(b.name)) || a.id - b.id;
}

/** The input for a tag. An absent field was not sent. */
interface TagInput {
  readonly name?: string | undefined;
  readonly color?: string | null | undefined;
  readonly description?: string | null | undefined;
}

export interface TagCreation extends TagInput {
  readonly name: string;
}

/** Returns the tag as it is stored. Errors: `invalid_request`. */
export function newTag(input: TagCreation, createdAt: Date): NewTag {
  requireValid(tagErrors(input));
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

export function tagErrors({ name, color, description }: TagInput): FieldError[] {
  const errors = textErrors('description', description, MAX_TAG_DESCRIPTION);
  const nameError = name === undefined ? null : tagNameError(name, 'name');
  if (nameError !== null) errors.push(nameError);
  if (typeof color === 'string' && !/^#[0-9a-f]{6}$/i.test(color)) {
    errors.push({ field: 'color', code: 'invalid_format', message: 'color must look like #3366ff.' });
  }
  return errors;
}

function cleanColor(color: string | null | undefined): string | null {
  return color?.toLowerCase() ?? null;
}

function cleanDescription(description: string | null | undefined): string | null {
  return typeof description === 'string' ? cleanText(description) : null;
}

/** Errors of a request that names tags which do not exist. */
export function unknownTags(field: string, ids: readonly Id[]): FieldError[] {
  return ids.map((id) => ({ field, code: 'unknown_tag', message: `Tag ${id} does not exist.` }));
}

export interface TagPatch extends TagInput, TagTools {}

export function patchedTag(tag: Tag, patch: TagPatch, name: string): Tag {
  return {
    ...tag,
    name,
    nameKey: foldKey(name),
    color: patch.color === undefined ? tag.color : cleanColor(patch.color),
    description: patch.description === undefined ? tag.description : cleanDescription(patch.description),
  };
}

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

export const tagSorts = ['name', '-name', 'id', '-id'] as const;
export type TagSort = (typeof tagSorts)[number];

/** Filters of a list of tags, ANDed. */
export interface TagFilters {
  readonly ids?: readonly Id[];
  /** `foldKey` of the whole name. */
  readonly nameKey?: string;
  /** Substring of the name, folded and without accents like `searchText`. */
  readonly q?: string;
  /** Each must occur in the name's `foldKey`: searched characters that are not words, for example `+` or an emoji. */
  readonly signs?: readonly string[];
  readonly unused?: boolean;
}

export interface TagQuery {
  readonly filters: TagFilters;
  readonly sort: TagSort;
  readonly window: PageWindow;
}

export function tagPosition(tag: Tag, sort: TagSort): Position {
  return { value: sort.endsWith('name') ? tag.nameKey : tag.id, id: tag.id };
}

/** The bulk tools of one tag. An id named twice counts once. If absent, not used. */
export interface TagTools {
  /** Photos that get the tag. */
  readonly addPhotoIds?: readonly Id[] | undefined;
  /** Photos that lose it, even if a merge would add it. */
  readonly removePhotoIds?: readonly Id[] | undefined;
  /** Tags whose photos, including the trash and unpublished items, move to this one; they are deleted. */
  readonly mergeTagIds?: readonly Id[] | undefined;
}

/** The result of the tools. Counts are of photos outside the trash, each counted once: those in the trash are moved too, but not counted. */
export interface TagChanges {
  readonly added: number;
  readonly removed: number;
  /** Had the tag already, or not at all. */
  readonly unchanged: number;
  /** Named photos that do not exist or are in the trash, ascending. */
  readonly notFound: readonly Id[];
  /** Photos that have the maximum number of tags, and so did not get this one, ascending. */
  readonly full: readonly Id[];
  /** Ascending. */
  readonly mergedTagIds: readonly Id[];
}

/** Problems with a patch of this tag that do not depend on other tags or photos. */
export function tagPatchErrors(id: Id, patch: TagPatch): FieldError[] {
  const { addPhotoIds = [], removePhotoIds = [], mergeTagIds = [] } = patch;
  const errors = tagErrors(patch);
  const removed = new Set(removePhotoIds);
  const both = addPhotoIds.find((photoId) => removed.has(photoId));
  if (both !== undefined) {
    const message = `Photo ${both} cannot be in both addPhotoIds and removePhotoIds.`;
    errors.push({ field: 'removePhotoIds', code: 'conflict', message });
  }
  if (mergeTagIds.includes(id)) {
    errors.push({ field: 'mergeTagIds', code: 'conflict', message: 'A tag cannot be merged into itself.' });
  }
  return errors;
}

export function nameTaken(tag: Tag | undefined): DomainError {
  const message = 'A tag with this name exists (case is ignored). Use that tag, or merge the two with mergeTagIds.';
  return new DomainError('tag_name_taken', message, { tagId: tag?.id ?? null });
}
