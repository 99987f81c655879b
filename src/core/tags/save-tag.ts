import type { Transaction } from '../shared/transactional.js';
import { nameTaken } from './create-tag.js';
import { type Tag } from './tag.js';

export async function saveTag(
  transaction: Transaction<'tags' | 'outbox'>,
  tag: Tag,
  next: Tag,
  at: Date,
): Promise<Tag> {
  const same = next.name === tag.name && next.color === tag.color && next.description === tag.description;
  if (same) return tag;
  const edited = { ...next, updatedAt: at, version: tag.version + 1 };
  if (await transaction.tags.update(edited)) {
    await transaction.outbox.add('tag.updated', [tag.id], at);
    return edited;
  }
  throw nameTaken((await transaction.tags.findByNameKeys([edited.nameKey]))[0]);
}
