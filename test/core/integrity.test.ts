import { originalKey, renditionKey, stagingKey, storedKey } from '../../src/core/blobs/blob-key.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import type { Finding } from '../../src/core/integrity/findings.js';
import { type Verification, verify } from '../../src/core/integrity/verify.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { downloadOriginal } from '../../src/core/photos/original.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { downloadRendition } from '../../src/core/photos/renditions/rendition.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import type { Ports } from '../../src/core/ports.js';
import { DAY } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { withInProcess } from '../../testing/memory-ports.js';
import {
  Account,
  bytesOf,
  type ClientFile,
  collected,
  everything,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { samplePhoto } from '../support/samples.js';
import { present } from '../support/tenant.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

async function look(how: Partial<Verification> = {}, uses: Ports = here) {
  const problems: Finding[] = [];
  const checked = await verify(uses, {
    repair: false,
    fast: false,
    graceSeconds: DAY / 1000,
    onFinding: (problem) => problems.push(problem),
    ...how,
  });
  return { checked, problems };
}
const told = async (how: Partial<Verification> = {}, uses: Ports = here) =>
  (await look(how, uses)).problems.map(({ invariant, photoId }) => [invariant, photoId]);

const damage = {
  missing: ({ blobKey }: Photo) => here.blobs.delete([storedKey(blobKey)]),
  flipped: async ({ blobKey }: Photo) => {
    const bytes = await collected(present(await here.blobs.get(storedKey(blobKey))).bytes);
    bytes[9] = (bytes[9] ?? 0) ^ 1;
    await here.blobs.put(storedKey(blobKey), bytesOf(bytes));
  },
  'cut short': async ({ blobKey, sizeBytes }: Photo) => {
    await here.blobs.put(storedKey(blobKey), bytesOf(new Uint8Array(sizeBytes - 1)));
  },
};
const kinds = Object.keys(damage) as (keyof typeof damage)[];

/** The store, but for one blob that cannot be read. */
function unreadable({ blobKey }: Photo): World {
  const blobs: Ports['blobs'] = Object.create(here.blobs);
  blobs.get = async (key, range) => {
    if (key === blobKey) throw new DomainError('service_unavailable', 'The storage cannot be used.');
    return here.blobs.get(key, range);
  };
  return withInProcess({ ...here, blobs });
}

describe('I1: originals', () => {
  test('are intact, in the trash too, and checking them changes nothing', async () => {
    await acme.addPhoto(picture('a.jpg'));
    await trashPhoto(here, acme.caller, (await acme.addPhoto(picture('b.jpg'))).id);
    const { id } = await acme.start();
    await acme.send(id, [picture('c.jpg')]);
    await runJobsUntilIdle(here);
    await acme.send(id, [picture('d.jpg')]);
    const before = await everything(here);
    expect(await look()).toMatchObject({ problems: [], checked: { customers: 1, photos: 2, items: 2, blobs: 7 } });
    expect(await told({ repair: true, graceSeconds: 0 })).toEqual([]);
    expect(await everything(here)).toEqual(before);
  });

  test.each(kinds)('that are %s are reported with their photo, and no other', async (kind) => {
    const photos = [];
    for (let number = 1; number <= 3; number += 1) photos.push(await acme.addPhoto(picture('a.jpg')));
    const hurt = present(photos[1]);
    await damage[kind](hurt);
    expect(await told()).toEqual([['I1', hurt.id]]);
    expect((await acme.photo(hurt.id)).originalLostAt).toBeNull();
  });

  test('are compared by size alone in a fast check', async () => {
    const [flipped, short] = [await acme.addPhoto(picture('a.jpg')), await acme.addPhoto(picture('b.jpg'))];
    await damage.flipped(flipped);
    await damage['cut short'](short);
    expect(await told({ fast: true })).toEqual([['I1', short.id]]);
  });

  test('of items are intact until they are published', async () => {
    const { id } = await acme.start();
    const [ready] = await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(here);
    const [processing] = await acme.send(id, [picture('b.jpg')]);
    await here.blobs.delete([originalKey(await acme.item(present(ready)))]);
    await here.blobs.delete([stagingKey(await acme.item(present(processing)))]);
    expect(await told()).toEqual([
      ['I1', present(ready).id],
      ['I1', present(processing).id],
    ]);
  });

  test('of photos that are purged during the check are not reported', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    const blobs: Ports['blobs'] = Object.create(here.blobs);
    blobs.head = async (key) => {
      if (key === photo.blobKey) await purgePhoto(here, acme.caller, photo.id).catch(() => undefined);
      return here.blobs.head(key);
    };
    expect(await told({ repair: true }, withInProcess({ ...here, blobs }))).toEqual([]);
  });

  test('of items that are published during the check are not reported', async () => {
    await acme.addPhoto(picture('a.jpg'));
    const { id } = await acme.start({ duplicatePolicy: 'skip' });
    const file = picture('b.jpg');
    const [item] = await acme.send(id, [file]);
    await runJobsUntilIdle(here);
    // Another import is first: the item becomes a duplicate, and its own bytes go.
    await acme.bring([file]);
    const key = originalKey(await acme.item(present(item)));
    const blobs: Ports['blobs'] = Object.create(here.blobs);
    blobs.head = async (asked) => {
      if (asked === key && (await acme.import(id)).status === 'open') {
        await acme.finalize(id);
        await runJobsUntilIdle(here);
      }
      return here.blobs.head(asked);
    };
    expect(await told({}, withInProcess({ ...here, blobs }))).toEqual([]);
    expect(await acme.item(present(item))).toMatchObject({ status: 'duplicate' });
  });
});

describe('a repair', () => {
  test.each(kinds)('marks an original that is %s once, and it is not sent', async (kind) => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    await damage[kind](photo);
    await expect(acme.original(photo.id)).rejects.toMatchObject({ code: 'service_unavailable' });
    const at = here.clock.now();
    expect((await look({ repair: true })).problems).toMatchObject([{ photoId: photo.id, repaired: false }]);
    const marked = await acme.photo(photo.id);
    expect(marked).toMatchObject({ originalLostAt: at, updatedAt: at, version: photo.version + 1 });
    here.clock.pass(1000);
    await look({ repair: true });
    expect(await acme.photo(photo.id)).toEqual(marked);
    await expect(downloadOriginal(here, acme.caller, photo.id)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('reports an unreadable original, and does not take it for lost', async () => {
    const [photo] = [await acme.addPhoto(picture('a.jpg')), await acme.addPhoto(picture('b.jpg'))];
    const { problems } = await look({ repair: true }, unreadable(photo));
    expect(problems).toMatchObject([{ invariant: 'I1', photoId: photo.id }]);
    expect((await acme.photo(photo.id)).originalLostAt).toBeNull();
  });

  test('removes the mark when the original is put back', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await damage.flipped(photo);
    await look({ repair: true });
    await here.blobs.put(storedKey(photo.blobKey), bytesOf(file.bytes));
    expect((await look()).problems).toMatchObject([{ photoId: photo.id, repaired: false }]);
    expect((await look({ repair: true })).problems).toMatchObject([{ photoId: photo.id, repaired: true }]);
    expect((await acme.photo(photo.id)).originalLostAt).toBeNull();
    expect(await acme.original(photo.id)).toEqual(Buffer.from(file.bytes));
    expect(await told({ repair: true })).toEqual([]);
  });

  const ways: Record<string, (file: ClientFile) => Promise<unknown>> = {
    announced: (file) => acme.bring([file]),
    'sent without a hash': (file) => acme.bring([file], {}, { sha256: undefined }),
  };
  test.each(Object.entries(ways))(
    'is not needed when the same file, %s, restores a lost original',
    async (_, bring) => {
      const file = picture('a.jpg');
      const photo = await acme.addPhoto(file, { title: 'kept' });
      await damage.flipped(photo);
      await look({ repair: true });
      await trashPhoto(here, acme.caller, photo.id);
      await bring(file);
      const [back] = await acme.photos();
      expect(back).toMatchObject({ id: photo.id, title: 'kept', originalLostAt: null, trashedAt: null });
      expect(await acme.original(photo.id)).toEqual(Buffer.from(file.bytes));
      expect(await acme.photos()).toHaveLength(1);
      // The damaged one, and the thumb of the item that did not become a photo.
      expect(await collectGarbage(here, { graceSeconds: 0 })).toMatchObject({
        staging: 0,
        originals: 1,
        renditions: 1,
      });
      expect(await told({ graceSeconds: 0 })).toEqual([]);
    },
  );

  test('is not needed when two imports restore a lost original, which happens once', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await damage.missing(photo);
    await look({ repair: true });
    const imports = [(await acme.start()).id, (await acme.start()).id];
    for (const id of imports) await acme.send(id, [file]);
    await runJobsUntilIdle(here);
    for (const id of imports) await acme.finalize(id);
    await runJobsUntilIdle(here);
    await collectGarbage(here, { graceSeconds: 0 });
    expect(await told({ graceSeconds: 0 })).toEqual([]);
    expect(await acme.photos()).toHaveLength(1);
    expect(await acme.original(photo.id)).toEqual(Buffer.from(file.bytes));
  });

  test('makes no renditions from bytes that are not the right ones', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    await damage.flipped(photo);
    const bytesOf = async (name: 'small' | 'thumb') =>
      (await (await downloadRendition(here, acme.caller, photo.id, { name })).info()).sizeBytes;
    const small = () => bytesOf('small');
    await expect(small()).rejects.toMatchObject({ code: 'service_unavailable' });
    await look({ repair: true });
    await expect(small()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await bytesOf('thumb')).toBeGreaterThan(0);
  });

  test('keeps all renditions of a lost original', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    await editPhoto(here, acme.caller, photo.id, { rotation: 90 });
    await damage.missing(photo);
    await look({ repair: true });
    expect(await collectGarbage(here, { graceSeconds: 0 })).toMatchObject({ renditions: 0 });
    expect(await here.blobs.head(renditionKey(photo, 'thumb', 'jpeg'))).not.toBeNull();
  });

  test('makes missing thumbs, which are not reported before', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    const thumb = renditionKey(photo, 'thumb', 'jpeg');
    await here.blobs.delete([thumb]);
    expect(await look()).toMatchObject({ problems: [], checked: { missingThumbs: 1, remadeThumbs: 0 } });
    expect(await here.blobs.head(thumb)).toBeNull();
    expect(await look({ repair: true })).toMatchObject({ problems: [], checked: { remadeThumbs: 1 } });
    expect(await here.blobs.head(thumb)).not.toBeNull();
  });
});

describe('I2: a blob without an owner', () => {
  test('is reported once it is old, and left where it is', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    expect(await told()).toEqual([]);
    here.clock.pass(DAY);
    const { problems } = await look({ repair: true });
    expect(problems).toMatchObject([
      { invariant: 'I2', customerId: acme.id, importId: id, photoId: present(item).id, repaired: false },
    ]);
    await collectGarbage(here, { graceSeconds: 0 });
    expect(await told()).toEqual([]);
  });

  test('is not reported if it is removed during the check', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    const blobs: Ports['blobs'] = Object.create(here.blobs);
    blobs.head = async (key) => {
      await collectGarbage(here, { graceSeconds: 0 });
      return here.blobs.head(key);
    };
    expect(await told({ graceSeconds: 0 }, { ...here, blobs })).toEqual([]);
  });
});

test('I8 and I9: rows that refer to those of another customer, or to deleted ones, are reported', async () => {
  const [stray, gone] = [await acme.addPhoto(picture('a.jpg')), await acme.addPhoto(picture('b.jpg'))];
  const other = await Account.open(here);
  const { id: importId } = await other.start();
  const { photos } = here.database;
  await here.database.transaction(async () => {
    photos.set(stray.id, { ...present(photos.get(stray.id)), importId });
    photos.delete(gone.id);
  });
  expect(await told()).toEqual([
    ['I9', stray.id],
    ['I8', gone.id],
  ]);
});

test('I12: wrong counts of tags are reported and corrected', async () => {
  const photo = await acme.addPhoto(picture('a.jpg'), { tagNames: ['x'] });
  const [tag] = await acme.tags();
  const setCount = (photoCount: number) =>
    here.database.transaction(async () => here.database.tags.set(present(tag).id, { ...present(tag), photoCount }));
  await setCount(5);
  expect((await look()).problems).toMatchObject([{ invariant: 'I12', tagId: present(tag).id, repaired: false }]);
  expect((await look({ repair: true })).problems).toMatchObject([{ invariant: 'I12', repaired: true }]);
  expect(await acme.tags()).toMatchObject([{ photoCount: 1 }]);
  expect(await told()).toEqual([]);
  expect(photo.tags).toHaveLength(1);
});

test('the integrity check covers all customers, and more rows than fit in a batch', async () => {
  await acme.addPhoto(picture('a.jpg'));
  const other = await Account.open(here);
  const items = await other.send(
    (await other.start()).id,
    Array.from({ length: 203 }, () => picture('b.jpg')),
  );
  const ids = await here.store.transaction(other.id, async ({ photos, importPhotos }) => {
    const added = await importPhotos.allocateIds(205);
    for (const id of added) await photos.insert(samplePhoto(other.id, id), [], {});
    return added;
  });
  const { checked, problems } = await look();
  expect(checked).toMatchObject({ customers: 2, photos: 206, items: items.length });
  expect(problems.map(({ photoId }) => photoId)).toEqual(ids);
});

test('the integrity check reports its progress', async () => {
  await acme.addPhoto(picture('a.jpg'));
  const seen: number[] = [];
  await look({ onProgress: ({ photos, blobs }) => seen.push(photos + blobs) });
  expect(seen.at(-1)).toBe(3);
});
