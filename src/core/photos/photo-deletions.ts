import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/** The outcome for one photo. */
export interface PhotoDeletionResult {
  readonly id: Id;
  readonly outcome: 'deleted' | 'not_found';
}

/** Deletes photos one after another, in the order of the ids; a repeated id is processed and returned once. */
export async function deleteEach(
  ids: readonly Id[],
  remove: (id: Id) => Promise<void>,
): Promise<readonly PhotoDeletionResult[]> {
  const results: PhotoDeletionResult[] = [];
  for (const id of new Set(ids)) results.push({ id, outcome: await outcomeOf(remove(id)) });
  return results;
}

async function outcomeOf(removal: Promise<void>): Promise<PhotoDeletionResult['outcome']> {
  try {
    await removal;
    return 'deleted';
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return 'not_found';
    throw error;
  }
}
