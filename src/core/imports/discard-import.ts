import type { Transaction } from '../shared/transactional.js';
import { cancel, type Import } from './import.js';

export async function discardImport(
  transaction: Transaction<'imports' | 'importPhotos' | 'outbox'>,
  subject: Import,
  at: Date,
): Promise<void> {
  await transaction.importPhotos.cancelAll(subject.id, at);
  await transaction.imports.update(cancel(subject, at));
  await transaction.outbox.add('import.cancelled', [subject.id], at);
}
