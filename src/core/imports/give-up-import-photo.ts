import { ReaderFailure } from '../media/media-reader.js';
import { type ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { unprocessable } from './fail-item.js';
import type { ImportBatchers } from './import-batchers.js';

/** For a file that could not be inspected after all attempts. `last` is the error of the last attempt. */
export async function giveUpImportPhoto(
  uses: { importBatchers: ImportBatchers },
  customerId: Id,
  importId: Id,
  itemId: Id,
  last: unknown,
): Promise<void> {
  const error = last instanceof ReaderFailure ? undecodable : unprocessable;
  const item = await uses.importBatchers.readItem(customerId, importId, itemId);
  if (item !== null) await uses.importBatchers.applyResult({ item, error });
  await uses.importBatchers.publishIfCommitted(customerId, importId);
}

const undecodable: ItemError = {
  code: 'decode_failed',
  message: 'The image could not be decoded: every attempt failed.',
};
