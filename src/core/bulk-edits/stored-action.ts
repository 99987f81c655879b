import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { resolveTags } from '../tags/resolve-tags.js';
import { nameKeyOf } from '../tags/tag.js';
import type { TagReads } from '../tags/tag-repository.js';
import { nameErrors } from '../tags/tag-request.js';
import type { BulkAction, BulkActionInput } from './bulk-action.js';

/**
 * The action with the tags that it names: those that are to be added are created if necessary, those that are to be removed must exist. The
 * customer must be locked. Errors: `invalid_request` (`unknown_tag`), `scope_required`, `limit_reached`.
 */
export async function storedAction(
  transaction: Transaction<'tags' | 'customer' | 'outbox'>,
  caller: Caller,
  input: BulkActionInput,
  options: { limits: Limits; at: Date },
): Promise<BulkAction> {
  if (!('tagNames' in input)) return input;
  const { kind, tagNames } = input;
  const errors = nameErrors({ tagNames });
  if (errors.length > 0) throw invalid(...errors);
  const { tags } = transaction;
  const ids =
    kind === 'add_tags' ? await resolveTags(transaction, caller, { tagNames }, options) : await idsOf(tags, tagNames);
  return { kind, tags: (await tags.getMany(ids)).map(({ id, name }) => ({ id, name })) };
}

async function idsOf(tags: TagReads, names: readonly string[]): Promise<readonly Id[]> {
  const keys = names.map((name) => nameKeyOf(name) ?? '');
  const known = await tags.findByNameKeys([...new Set(keys)]);
  const unknown = names.filter((_, at) => !known.some(({ nameKey }) => nameKey === keys[at]));
  const errors = unknown.map((name): FieldError => {
    return { field: 'tagNames', code: 'unknown_tag', message: `There is no tag “${name}”.` };
  });
  if (errors.length > 0) throw invalid(...errors);
  return known.map(({ id }) => id);
}
