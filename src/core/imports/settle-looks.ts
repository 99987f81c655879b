import type { Measure } from '../blobs/measured.js';
import type { CustomerTransaction } from '../customers/customer-store.js';
import type { PictureFacts } from '../media/media-reader.js';
import type { Uses } from '../ports.js';
import { Batcher, type BatchSlot } from '../shared/batcher.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { failDependants } from './fail-item.js';
import { duplicateOf, failed, type ImportPhoto, move } from './import-photo.js';
import { inLibrary } from './in-library.js';
import { sharedPerStore } from './shared-per-store.js';

type SettleUses = Uses<'store' | 'clock'>;

/** What a look at the bytes of an item that is `processing` has found. */
export type Look = Sound | { readonly item: ImportPhoto; readonly error: ItemError };

interface Sound {
  readonly item: ImportPhoto;
  readonly error: null;
  readonly facts: PictureFacts;
  readonly measure: Measure;
}

/** Whether the item relies on the copied bytes; `decided`: it is not any more the one that was looked at, and nothing of the look was stored. */
export type Settled = 'used' | 'unused' | 'decided';

/** Looks of one import that are settled in one transaction at most. */
const MOST = 50;
/** Milliseconds that one which is over waits for others that are under way. */
const PATIENCE = 100;

const settlings = sharedPerStore((uses: SettleUses) => {
  const options = { maxBatchSize: MOST, maxWait: () => uses.clock.pause(PATIENCE) };
  return new Batcher<string, Look, Settled>((_, looks) => settleAll(uses, looks), options);
});

/** Says that this item is being looked at; looks that are over wait a moment for it, to be settled together. */
export function announceLook(uses: SettleUses, { customerId, importId }: ImportPhoto): BatchSlot<Look, Settled> {
  return settlings(uses).openSlot(`${customerId}/${importId}`);
}

/** Stores what was found, if the item is still the one that was looked at. */
export function settle(uses: SettleUses, look: Look): Promise<Settled> {
  return announceLook(uses, look.item).enqueue(look);
}

/** Of one import. */
function settleAll({ store, clock }: SettleUses, looks: readonly Look[]): Promise<readonly Settled[]> {
  const [{ item: any }] = looks as [Look];
  return store.transaction(any.customerId, async (transaction) => {
    const ids = looks.map(({ item }) => item.id);
    const held = new Map((await transaction.importPhotos.lockMany(any.importId, ids)).map((item) => [item.id, item]));
    const open = looks.flatMap((look, index) => {
      const item = held.get(look.item.id);
      if (item?.status !== 'processing' || item.attempt !== look.item.attempt) return [];
      // A second run that looked at the same bytes finds that the first has decided.
      held.delete(item.id);
      return [{ index, look: { ...look, item } as Look }];
    });
    const known = await knownPhotos(
      transaction,
      any.importId,
      open.map(({ look }) => look),
    );
    const at = clock.now();
    const settled = open.map(({ index, look }) => ({ index, look, item: after(look, known, at) }));
    await transaction.importPhotos.update(...settled.map(({ item }) => item));
    for (const { look, item } of settled)
      if (item.status === 'failed') await failDependants(transaction, look.item, at);
    const outcomes = new Map<number, Settled>(
      settled.map(({ index, item }) => [index, item.status === 'ready' ? 'used' : 'unused']),
    );
    return looks.map((_, index) => outcomes.get(index) ?? 'decided');
  });
}

/** Photos of the library that have the same bytes, by hash, where they are in the way. */
async function knownPhotos(
  transaction: CustomerTransaction,
  importId: Id,
  looks: readonly Look[],
): Promise<ReadonlyMap<string | null, Id>> {
  const hashes = looks.flatMap((look) => (look.error === null ? (look.measure.sha256 ?? []) : []));
  if (hashes.length === 0) return new Map();
  const subject = await transaction.imports.find(importId);
  const photos = subject?.duplicatePolicy === 'skip' ? await inLibrary(transaction, hashes) : [];
  return new Map(photos.map(({ sha256, id }) => [sha256, id]));
}

/** The item that was looked at: failed, ready, or the duplicate of what the library has. */
function after(look: Look, known: ReadonlyMap<string | null, Id>, at: Date): ImportPhoto {
  if (look.error !== null) return failed(look.item, look.error, at);
  const { sizeBytes, sha256 } = look.measure;
  const { contentType, width, height } = look.facts;
  const seen = { ...look.item, sizeBytes, sha256, contentType, width, height };
  const photoId = known.get(sha256);
  return photoId === undefined ? { ...move(seen, 'ready', at), facts: look.facts } : duplicateOf(seen, photoId, at);
}
