import { expireImports } from '../../src/core/imports/expire.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { purgeTrash, trashPhoto } from '../../src/core/photos/trash.js';
import { DAY, MINUTE } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { MemoryDirectUploads } from '../../testing/memory/blobs/memory-direct-uploads.js';
import {
  Account,
  announced,
  blobsUnder,
  everything,
  expectSound,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { present } from '../support/tenant.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

const trash = (owner: Account, id: Id) => trashPhoto(here, owner.caller, id);
const ids = async (owner: Account) => (await owner.photos()).map((photo) => photo.id);

describe('the purge of the trash', () => {
  test('deletes row and bytes once the time in the trash is over, and not before', async () => {
    const [kept, doomed] = [await acme.addPhoto(picture('a.jpg')), await acme.addPhoto(picture('b.jpg'))];
    await trash(acme, doomed.id);
    here.clock.pass(30 * DAY - 1);
    await purgeTrash(here);
    expect(await ids(acme)).toEqual([kept.id, doomed.id]);
    here.clock.pass(1);
    await purgeTrash(here);
    expect(await ids(acme)).toEqual([kept.id]);
    expect(await blobsUnder(here.blobs, 'originals/', 'renditions/')).toHaveLength(2);
    await expectSound(here, [doomed.id]);
  });

  test('skips photos that were restored', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await trash(acme, photo.id);
    await acme.bring([file]);
    expect((await acme.photo(photo.id)).trashedAt).toBeNull();
    here.clock.pass(40 * DAY);
    await purgeTrash(here);
    expect(await ids(acme)).toEqual([photo.id]);
  });

  test.each([
    { meanwhile: 'restored', isTrashedAgain: false },
    { meanwhile: 'restored and moved to the trash again', isTrashedAgain: true },
  ])('leaves a photo that is $meanwhile between the query and the deletion', async ({ isTrashedAgain }) => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await trash(acme, photo.id);
    here.clock.pass(31 * DAY);
    const store: World['store'] = Object.create(here.store);
    store.query = async (customerId, look) => {
      const seen = await here.store.query(customerId, look);
      await editPhoto(here, acme.caller, photo.id, { trashed: false });
      if (isTrashedAgain) await trash(acme, photo.id);
      return seen;
    };
    await purgeTrash({ ...here, store });
    const [left] = await acme.photos();
    expect(left?.trashedAt).toEqual(isTrashedAgain ? here.clock.now() : null);
    await expectSound(here);
  });

  test('leaves a photo that an import finds between the query and the deletion', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await trash(acme, photo.id);
    here.clock.pass(31 * DAY);
    const store: World['store'] = Object.create(here.store);
    store.query = async (customerId, look) => {
      const seen = await here.store.query(customerId, look);
      if ((await acme.photos()).length > 0) await acme.register((await acme.start()).id, announced(file));
      return seen;
    };
    await purgeTrash({ ...here, store });
    expect(await ids(acme)).toEqual([photo.id]);
    await expectSound(here);
  });

  test('leaves a photo that an open import is to restore, until that has ended', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await trash(acme, photo.id);
    here.clock.pass(29 * DAY);
    const { id } = await acme.start();
    expect(await acme.items(id, announced(file))).toMatchObject([{ status: 'duplicate', photoId: photo.id }]);
    here.clock.pass(2 * DAY);
    await purgeTrash(here);
    expect(await ids(acme)).toEqual([photo.id]);
    await acme.finalize(id, { action: 'discard' });
    await purgeTrash(here);
    expect(await ids(acme)).toEqual([]);
  });

  test('goes through the trash of every customer, more than a page of photos', async () => {
    const owners: Account[] = [];
    for (let number = 1; number <= 203; number += 1) {
      const owner = await Account.open(here);
      const subject = await owner.addPhoto(picture(`${number}.jpg`));
      if (number % 2 === 1) await trash(owner, subject.id);
      owners.push(owner);
    }
    here.clock.pass(31 * DAY);
    await purgeTrash(here);
    const left = await Promise.all(owners.map(async (owner) => (await ids(owner)).length));
    expect(left).toEqual(owners.map((_, at) => at % 2));
  });

  test('continues with the next customer when one has a fault, which it reports', async () => {
    const other = await Account.open(here);
    for (const owner of [acme, other]) await trash(owner, (await owner.addPhoto(picture('a.jpg'))).id);
    here.clock.pass(31 * DAY);
    const blobs = faulty(here.blobs, new Error('broken'), `renditions/${acme.id}/`);
    await expect(purgeTrash({ ...here, blobs })).rejects.toThrow('broken');
    expect([await ids(acme), await ids(other)]).toEqual([[], []]);
    expect(await blobsUnder(here.blobs, `originals/${other.id}/`)).toEqual([]);
  });

  test('stops at an outage, and does the rest the next time', async () => {
    const other = await Account.open(here);
    for (const owner of [acme, other]) await trash(owner, (await owner.addPhoto(picture('a.jpg'))).id);
    here.clock.pass(31 * DAY);
    const away = new DomainError('service_unavailable', 'The store is away.');
    const blobs = faulty(here.blobs, away, `renditions/${acme.id}/`);
    await expect(purgeTrash({ ...here, blobs })).rejects.toBe(away);
    expect(await ids(other)).toHaveLength(1);
    await purgeTrash(here);
    expect(await ids(other)).toEqual([]);
  });

  test('stops when it is asked to, and leaves the rest unchanged', async () => {
    await trash(acme, (await acme.addPhoto(picture('a.jpg'))).id);
    here.clock.pass(31 * DAY);
    const before = await everything(here);
    await purgeTrash(here, AbortSignal.abort());
    expect(await everything(here)).toEqual(before);
  });

  test('by two processes at once does no harm', async () => {
    const photos = [];
    for (let number = 1; number <= 10; number += 1) photos.push(await acme.addPhoto(picture('a.jpg')));
    for (const photo of photos) await trash(acme, photo.id);
    here.clock.pass(31 * DAY);
    await Promise.all([purgeTrash(here), purgeTrash(here), purgeTrash(here)]);
    expect(await ids(acme)).toEqual([]);
    expect(await blobsUnder(here.blobs, 'originals/', 'renditions/')).toEqual([]);
  });
});

describe('the expiry of imports', () => {
  test('ends an open import after a week without use: items cancelled, nothing in the library', async () => {
    const { id } = await acme.start();
    const file = picture('b.jpg');
    await acme.items(id, announced(picture('a.jpg')));
    await acme.send(id, [file]);
    await runJobsUntilIdle(here);
    const used = here.clock.now();
    here.clock.set(new Date(used.getTime() + 7 * DAY - MINUTE));
    await expireImports(here);
    expect(await acme.import(id)).toMatchObject({ status: 'open' });
    here.clock.pass(2 * MINUTE);
    await expireImports(here);
    expect(await acme.import(id)).toMatchObject({
      status: 'expired',
      expiresAt: null,
      completedAt: here.clock.now(),
      counts: { total: 2, cancelled: 2 },
    });
    expect(await acme.photos()).toEqual([]);
    await expect(acme.register(id, announced(file))).rejects.toMatchObject({ code: 'import_not_open' });
    await runJobsUntilIdle(here);
    await expectSound(here);
  });

  test('counts bytes that arrive as use', async () => {
    const { id } = await acme.start();
    const files = [picture('a.jpg'), picture('b.jpg')];
    const items = await acme.items(id, ...files.map((file) => announced(file)));
    here.clock.pass(6 * DAY);
    const fresh = await acme.item(present(items[0]));
    await acme.upload(fresh, present(files[0]).bytes);
    const uploaded = here.clock.now();
    here.clock.pass(2 * DAY);
    await expireImports(here);
    expect(await acme.import(id)).toMatchObject({
      status: 'open',
      expiresAt: new Date(uploaded.getTime() + 7 * DAY),
    });
    here.clock.pass(5 * DAY - 1);
    await expireImports(here);
    expect(await acme.import(id)).toMatchObject({ status: 'open' });
    here.clock.pass(1);
    await expireImports(here);
    expect(await acme.import(id)).toMatchObject({ status: 'expired', counts: { total: 2, cancelled: 2 } });
  });

  test('leaves an import alone that was finalized, however long its files take', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id);
    here.clock.pass(30 * DAY);
    await expireImports(here);
    await runJobsUntilIdle(here);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 1 } });
  });

  test('makes its clientRef and its place among the open imports available', async () => {
    here = world({ limits: { openImports: 1 } });
    acme = await Account.open(here);
    const { id } = await acme.start({ clientRef: 'nightly' });
    here.clock.pass(8 * DAY);
    await expireImports(here);
    const next = await acme.start({ clientRef: 'nightly' });
    expect(next.id).not.toBe(id);
  });

  test('goes through all imports of all customers', async () => {
    const others = [acme, await Account.open(here), await Account.open(here)];
    const opened: [Account, Id][] = [];
    for (const owner of others) {
      for (let number = 1; number <= 100; number += 1) opened.push([owner, (await owner.start()).id]);
    }
    here.clock.pass(8 * DAY);
    const late = await acme.start().catch((error: unknown) => error);
    expect(late).toMatchObject({ code: 'limit_reached' });
    await expireImports(here);
    for (const [owner, id] of opened) expect((await owner.import(id)).status).toBe('expired');
  });
});

test('purge, expiry and cleanup are all done by the tasks of the worker', async () => {
  await trash(acme, (await acme.addPhoto(picture('a.jpg'))).id);
  const { id } = await acme.start();
  await here.rateWindows.hit({ name: 'read:1', limit: 3 });
  here.clock.pass(31 * DAY);
  for (const task of upkeep(here, [])) await task.run(new AbortController().signal);
  expect(await acme.photos()).toEqual([]);
  expect(await acme.import(id)).toMatchObject({ status: 'expired' });
  expect(await here.rateWindows.sweep()).toBe(0);
});

test('no two worker tasks have one name, by which logs and metrics know them', () => {
  const names = upkeep({ ...here, directUploads: new MemoryDirectUploads(here.blobs, here.clock) }, []).map(
    ({ name }) => name,
  );
  expect(names.length).toBe(19);
  expect(new Set(names).size).toBe(names.length);
});

/** The blobs, but that those under one prefix cannot be listed. */
function faulty(blobs: World['blobs'], fault: Error, prefix: string): World['blobs'] {
  return {
    put: (key, bytes) => blobs.put(key, bytes),
    get: (key, range) => blobs.get(key, range),
    head: (key) => blobs.head(key),
    file: (key) => blobs.file(key),
    diskSpace: () => blobs.diskSpace(),
    copy: (from, to, ifMatch) => blobs.copy(from, to, ifMatch),
    delete: (keys) => blobs.delete(keys),
    sweep: (until) => blobs.sweep(until),
    list(under) {
      if (under.startsWith(prefix)) throw fault;
      return blobs.list(under);
    },
  };
}
