import { expireImports, forgetImports } from '../../src/core/imports/expire.js';
import { progress } from '../../src/core/imports/import.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { after, DAY, MINUTE } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { upkeep } from '../../src/worker/upkeep.js';
import {
  Account,
  announced,
  everything,
  expectSound,
  note,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { sampleItem } from '../support/samples.js';
import { present } from '../support/tenant.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

const isThere = async (owner: Account, id: Id) => {
  const answer = await owner.import(id).catch((error: unknown) => error);
  if (answer instanceof Error) expect(answer).toMatchObject({ code: 'not_found' });
  return !(answer instanceof Error);
};

/** An ended import of two photos, of which one was there before, and a text. */
async function mixed(owner: Account) {
  const [old, fresh] = [picture('old.jpg'), picture('fresh.jpg')];
  await owner.addPhoto(old);
  const { import: subject, items } = await owner.bring([old, fresh, note('c.txt')]);
  expect(subject).toMatchObject({ status: 'completed_with_errors', counts: { imported: 1, duplicate: 1, failed: 1 } });
  const photoId = present(items.find(({ status }) => status === 'imported')).id;
  return { subject, items, photoId, bytes: old.sizeBytes + fresh.sizeBytes };
}

/** An ended import of this owner with so many items, made in one go. */
async function large(owner: Account, count: number): Promise<Id> {
  const { id } = await owner.start();
  await here.store.transaction(owner.id, async (transaction) => {
    await transaction.imports.lock(id);
    const ids = await transaction.importPhotos.allocateIds(count);
    await transaction.importPhotos.insert(ids.map((itemId) => sampleItem({ id, customerId: owner.id }, itemId)));
  });
  await owner.finalize(id, { action: 'discard' });
  return id;
}

test('"items 90 days after end": not after 89, and the import still shows its summary', async () => {
  const { subject, items, bytes } = await mixed(acme);
  const end = present(subject.completedAt);
  here.clock.set(after(end, 89 * DAY));
  await forgetImports(here);
  expect(await acme.list(subject.id)).toEqual(items);
  here.clock.set(after(end, 90 * DAY - 1));
  await forgetImports(here);
  expect(await acme.list(subject.id)).toEqual(items);
  here.clock.set(after(end, 90 * DAY));
  await forgetImports(here);
  expect(await acme.list(subject.id)).toEqual([]);
  expect(await acme.import(subject.id)).toEqual(subject);
  expect(subject.totalBytes).toBeGreaterThan(bytes);
  expect(progress(await acme.import(subject.id))).toBe(1);
  await expectSound(here);
});

test('a deleted item is not found, and requests that refer to its import are answered as before', async () => {
  const { subject, items } = await mixed(acme);
  const failed = present(items.find(({ status }) => status === 'failed'));
  await expect(acme.edit(failed, { status: 'cancelled' })).rejects.toMatchObject({ code: 'import_not_open' });
  here.clock.pass(90 * DAY);
  await forgetImports(here);
  await expect(acme.edit(failed, { status: 'cancelled' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(acme.register(subject.id, announced(picture('d.jpg')))).rejects.toMatchObject({
    code: 'import_not_open',
  });
  expect(await acme.finalize(subject.id)).toEqual(subject);
});

test('"import records kept 1 year": then not found, while its photos stay and still name it', async () => {
  const { subject, photoId } = await mixed(acme);
  const before = await acme.photo(photoId);
  expect(before.importId).toBe(subject.id);
  const end = present(subject.completedAt);
  here.clock.set(after(end, 90 * DAY));
  await forgetImports(here);
  here.clock.set(after(end, 365 * DAY - 1));
  await forgetImports(here);
  expect(await acme.import(subject.id)).toEqual(subject);
  here.clock.set(after(end, 365 * DAY));
  await forgetImports(here);
  await expect(acme.import(subject.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(acme.list(subject.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(acme.finalize(subject.id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await acme.photo(photoId)).toEqual(before);
  await editPhoto(here, acme.caller, photoId, { title: 'still mine' });
  expect(await acme.photo(photoId)).toMatchObject({ title: 'still mine', importId: subject.id });
  // The bytes are still known, and the number is not given to another import.
  const again = await acme.bring([picture('fresh.jpg')]);
  expect(again.import.id).not.toBe(subject.id);
  await expectSound(here);
});

test('an import that ended a year ago is deleted at once when no run came meanwhile', async () => {
  const { subject } = await mixed(acme);
  here.clock.pass(400 * DAY);
  await forgetImports(here);
  expect(await isThere(acme, subject.id)).toBe(false);
  const rows = here.database;
  expect([rows.imports.all(), rows.importPhotos.all(), rows.forgottenItems.all()]).toEqual([[], [], []]);
});

test('imports that were discarded or expired are deleted like others, counted from their end', async () => {
  const [discarded, expired] = [await acme.start(), await acme.start()];
  for (const { id } of [discarded, expired]) await acme.items(id, announced(picture('a.jpg')));
  await acme.finalize(discarded.id, { action: 'discard' });
  here.clock.pass(7 * DAY);
  await expireImports(here);
  here.clock.pass(83 * DAY);
  await forgetImports(here);
  expect([await acme.list(discarded.id), (await acme.list(expired.id)).length]).toEqual([[], 1]);
  expect(await acme.import(discarded.id)).toMatchObject({ status: 'cancelled', counts: { total: 1, cancelled: 1 } });
  here.clock.pass(275 * DAY);
  await forgetImports(here);
  expect([await isThere(acme, discarded.id), await isThere(acme, expired.id)]).toEqual([false, true]);
  expect(await acme.import(expired.id)).toMatchObject({ status: 'expired', counts: { total: 1, cancelled: 1 } });
  here.clock.pass(7 * DAY);
  await forgetImports(here);
  expect(await isThere(acme, expired.id)).toBe(false);
  expect(here.database.forgottenImports.all()).toEqual([]);
});

test('an import that is open or processing stays complete, however old it is', async () => {
  const [open, processing] = [await acme.start(), await acme.start()];
  await acme.items(open.id, announced(picture('a.jpg')));
  await acme.send(processing.id, [picture('b.jpg')]);
  await acme.finalize(processing.id);
  here.clock.pass(1000 * DAY);
  const before = await everything(here);
  await forgetImports(here);
  expect(await everything(here)).toEqual(before);
  await runJobsUntilIdle(here);
  expect(await acme.import(processing.id)).toMatchObject({ status: 'completed', counts: { imported: 1 } });
});

test('the deletion of old items takes at most 500 in one transaction, and a crash in between changes no count', async () => {
  const id = await large(acme, 1_100);
  const before = await acme.import(id);
  here.clock.pass(90 * DAY);
  const left: number[] = [];
  const store: World['store'] = Object.create(here.store);
  store.transaction = async (customerId, work) => {
    const answer = await here.store.transaction(customerId, work);
    left.push(await here.store.query(customerId, (reader) => reader.importPhotos.count(id)));
    expect(await acme.import(id)).toEqual(before);
    if (left.length === 1) throw new Error('cut off');
    return answer;
  };
  await expect(forgetImports({ ...here, store })).rejects.toThrow('cut off');
  await forgetImports({ ...here, store });
  expect(left).toEqual([600, 100, 0]);
  expect(await acme.import(id)).toEqual(before);
});

test('the deletion of old items stops when it is asked to, also between transactions, and continues the next time', async () => {
  const id = await large(acme, 700);
  here.clock.pass(400 * DAY);
  const untouched = await everything(here);
  await forgetImports(here, AbortSignal.abort());
  expect(await everything(here)).toEqual(untouched);
  const stopping = new AbortController();
  const store: World['store'] = Object.create(here.store);
  store.transaction = async (customerId, work) => {
    const answer = await here.store.transaction(customerId, work);
    stopping.abort();
    return answer;
  };
  await forgetImports({ ...here, store }, stopping.signal);
  expect(await acme.import(id)).toMatchObject({ counts: { total: 700, cancelled: 700 } });
  expect(await here.store.query(acme.id, (reader) => reader.importPhotos.count(id))).toBe(200);
  await forgetImports(here);
  expect(await isThere(acme, id)).toBe(false);
});

test('the deletion of old items by several processes at once counts everything once', async () => {
  const id = await large(acme, 1_200);
  const before = await acme.import(id);
  here.clock.pass(90 * DAY);
  await Promise.all([forgetImports(here), forgetImports(here), forgetImports(here)]);
  expect(await acme.import(id)).toEqual(before);
  expect(await acme.list(id)).toEqual([]);
  here.clock.pass(275 * DAY);
  await Promise.all([forgetImports(here), forgetImports(here), forgetImports(here)]);
  expect(await isThere(acme, id)).toBe(false);
});

test('the deletion of old imports visits all customers, and continues after a failing import, which it reports', async () => {
  const owners = [acme, await Account.open(here), await Account.open(here)];
  const opened: [Account, Id][] = [];
  for (const owner of owners) {
    for (let number = 1; number <= 101; number += 1) {
      const { id } = await owner.start();
      await owner.finalize(id, { action: 'discard' });
      opened.push([owner, id]);
    }
  }
  here.clock.pass(365 * DAY);
  const store: World['store'] = Object.create(here.store);
  store.query = (customerId, look) =>
    customerId === acme.id ? Promise.reject(new Error('broken')) : here.store.query(customerId, look);
  await expect(forgetImports({ ...here, store })).rejects.toThrow('broken');
  for (const [owner, id] of opened) expect(await isThere(owner, id)).toBe(owner === acme);
  await forgetImports(here);
  for (const [owner, id] of opened) expect(await isThere(owner, id)).toBe(false);
});

test('the deletion of old imports is one of the tasks of the worker', async () => {
  const { import: subject } = await acme.bring([picture('a.jpg')]);
  here.clock.pass(365 * DAY + MINUTE);
  for (const task of upkeep(here, [])) await task.run(new AbortController().signal);
  expect(await isThere(acme, subject.id)).toBe(false);
  expect(await acme.photos()).toHaveLength(1);
});
