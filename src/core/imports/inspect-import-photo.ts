import type { Id } from '../shared/ids.js';
import type { ImportPhoto } from './import-photo.js';
import { type InspectUses, inspectAndApply } from './inspect-and-apply.js';

/**
 * Inspects the bytes of a `processing` item: hash, type, full decode. A valid picture is copied to where no client can write, and the item
 * becomes `ready`, or `duplicate` when the library has the bytes; an invalid one fails only its own item. May run twice.
 * @param alone Whether no other inspection may run at the same time.
 */
export async function inspectImportPhoto(
  uses: InspectUses,
  customerId: Id,
  importId: Id,
  itemId: Id,
  { alone }: { readonly alone: boolean },
): Promise<void> {
  const item = await uses.importBatchers.readItem(customerId, importId, itemId);
  if (item?.status === 'processing') await inspectItem(uses, item, alone);
  await uses.importBatchers.publishIfCommitted(customerId, importId);
}

async function inspectItem(uses: InspectUses, item: ImportPhoto, alone: boolean): Promise<void> {
  // Others may wait for it, so that results are applied together.
  const slot = uses.importBatchers.openResultSlot(item);
  try {
    await inspectAndApply(uses, item, alone, slot.enqueue);
  } finally {
    slot.cancel();
  }
}
