import { type Gazetteer, placeAt } from '../photos/gazetteer.js';
import type { NewPhoto } from '../photos/photo-repository.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import type { Import } from './import.js';
import { type ImportPhoto, markImported } from './import-photo.js';
import { locationOf, newPhoto } from './new-photo.js';

type PublishUses = {
  store: Transactional<'photos' | 'imports' | 'importPhotos' | 'customer' | 'outbox'>;
  clock: Clock;
  gazetteer: Gazetteer;
};

/** Publishes the ready items whose bytes the library does not have. Returns the others, which have to be handled one by one. */
export function publishMany(
  { store, clock, gazetteer }: PublishUses,
  subject: Import,
  seen: readonly ImportPhoto[],
): Promise<readonly ImportPhoto[]> {
  return store.transaction(subject.customerId, async (transaction) => {
    // Read again and locked for sharing: a merge of tags either precedes these photos and has changed them, or follows and finds them.
    const { tagIds: ofAll } = requireFound(await transaction.imports.share(subject.id), 'import');
    const ids = seen.map(({ id }) => id);
    const items = (await transaction.importPhotos.lockMany(subject.id, ids)).filter(({ status }) => status === 'ready');
    const mayBeSecond = subject.duplicatePolicy === 'allow';
    const hashes = items.flatMap(({ sha256 }) => sha256 ?? []);
    const known = new Set(
      (mayBeSecond ? [] : await transaction.photos.findBySha256(hashes)).map(({ sha256 }) => sha256),
    );
    const customer = await transaction.customer.read();
    const at = clock.now();
    const additions: NewPhoto[] = [];
    for (const item of items) {
      if (item.facts === null || known.has(item.sha256 ?? '')) continue;
      const dupSeq = mayBeSecond ? await transaction.photos.nextDupSeq() : 0;
      const place = await placeAt(gazetteer, locationOf(item, item.facts));
      const photo = newPhoto(item, item.facts, subject, customer, { place, dupSeq, at });
      additions.push({ photo, tagIds: [...new Set([...ofAll, ...item.tagIds])], exif: item.facts.exif });
    }
    const stored = new Set(await transaction.photos.insertMany(additions));
    const imported = items.filter(({ id }) => stored.has(id));
    await transaction.importPhotos.update(...imported.map((item) => markImported(item, at)));
    await transaction.outbox.add(
      'photo.created',
      imported.map(({ id }) => id),
      at,
    );
    return items.filter(({ id }) => !stored.has(id));
  });
}
