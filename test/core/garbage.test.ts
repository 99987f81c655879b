import { originalKey, readBlobKey, renditionKey, stagingKey } from '../../src/core/blobs/blob-key.js';
import { collectGarbage, type GarbageUses } from '../../src/core/integrity/collect-garbage.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import { HOUR } from '../../src/core/shared/clock.js';
import { runJob } from '../../src/worker/pools.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { claimJob } from '../support/claim.js';
import {
  Account,
  announced,
  blobsUnder,
  bytesOf,
  expectSound,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { Gate, present } from '../support/tenant.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

const collect = (uses: GarbageUses = here, graceSeconds = 0) => collectGarbage(uses, { graceSeconds });
const nothing = { staging: 0, originals: 0, renditions: 0, bytes: 0 };
const blobs = () => blobsUnder(here.blobs, 'staging/', 'originals/', 'renditions/');

/** Everything that is stored has an owner: a second collection finds nothing. */
async function expectAllOwned(): Promise<void> {
  await collect();
  expect(await collect()).toEqual(nothing);
  await expectSound(here);
}

describe('keys of blobs', () => {
  test('are parsed to the parts that they were made of', () => {
    const blobName = '0b6f5d4e-1c2d-4e3f-8a9b-0c1d2e3f4a5b';
    const read = [
      stagingKey({ customerId: 1, importId: 2, id: 3, uploadId: 2 ** 47 - 1 }),
      originalKey({ customerId: 1, blobName }),
      renditionKey({ customerId: 1, id: 3, rotation: 270 }, 'thumb', 'webp'),
      'renditions/1/3/v0-r90/large.jpeg',
      renditionKey({ customerId: 1, id: 3, rotation: 90 }, '0123456789abcdef'.repeat(2), 'avif'),
    ].map((key) => readBlobKey(key as Parameters<typeof readBlobKey>[0]));
    expect(read).toEqual([
      { kind: 'staging', customerId: 1, importId: 2, itemId: 3, uploadId: 2 ** 47 - 1 },
      { kind: 'originals', customerId: 1, blobName },
      { kind: 'renditions', customerId: 1, photoId: 3, rotation: 270, delivered: false },
      { kind: 'renditions', customerId: 1, photoId: 3, rotation: null, delivered: false },
      { kind: 'renditions', customerId: 1, photoId: 3, rotation: 90, delivered: true },
    ]);
  });

  test.each([
    'originals/1/readme',
    'originals/0/0b6f5d4e-1c2d-4e3f-8a9b-0c1d2e3f4a5b',
    'staging/1/2/3',
    'staging/1/2/3/4/5',
    'renditions/1/2/v1-r45/thumb.jpeg',
    'renditions/1/2/v1-r0/thumb.html',
    'elsewhere/1/2/3/4',
  ])('of the foreign form %s are not parsed, and such blobs stay', async (key) => {
    const foreign = key as Parameters<typeof readBlobKey>[0];
    expect(readBlobKey(foreign)).toBeNull();
    await here.blobs.put(foreign, bytesOf(new Uint8Array(1)));
    expect(await collect()).toEqual(nothing);
    expect(await here.blobs.head(foreign)).not.toBeNull();
  });
});

describe('the garbage collection', () => {
  test('removes nothing of a library, its trash, or imports in progress', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    await trashPhoto(here, acme.caller, (await acme.addPhoto(picture('b.jpg'))).id);
    const { id } = await acme.start();
    await acme.send(id, [picture('c.jpg')]);
    await runJobsUntilIdle(here);
    await acme.send(id, [picture('d.jpg')]);
    await acme.items(id, announced(picture('e.jpg')));
    await editPhoto(here, acme.caller, photo.id, { title: 'x' });
    const before = await blobs();
    expect(before.length).toBe(7);
    expect(await collect()).toEqual(nothing);
    expect(await blobs()).toEqual(before);
  });

  test('removes the blobs of a discarded import once they are old enough', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(here);
    await acme.send(id, [picture('b.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    here.clock.pass(HOUR - 10);
    expect(await collect(here, 3600)).toEqual(nothing);
    here.clock.pass(10);
    expect(await collect(here, 3600)).toMatchObject({ staging: 1, originals: 1, renditions: 1 });
    expect(await blobs()).toEqual([]);
  });

  test('removes the blob of a cancelled item of an open import, and not those of other items', async () => {
    const { id } = await acme.start();
    const [gone] = await acme.send(id, [picture('a.jpg'), picture('b.jpg')]);
    await runJobsUntilIdle(here);
    await acme.edit(present(gone), { status: 'cancelled' });
    expect(await collect()).toMatchObject({ originals: 1, renditions: 1 });
    await acme.finalize(id);
    await runJobsUntilIdle(here);
    expect(await acme.photos()).toHaveLength(1);
    await expectAllOwned();
  });

  test('removes renditions of another rotation or recipe, and of deleted photos', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    const rendition = (id: number, rotation: number) =>
      here.blobs.put(renditionKey({ customerId: acme.id, id, rotation }, 'small', 'jpeg'), bytesOf(new Uint8Array(3)));
    await editPhoto(here, acme.caller, photo.id, { rotation: 90 });
    for (const rotation of [0, 90, 180]) await rendition(photo.id, rotation);
    await rendition(photo.id + 1000, 0);
    await here.blobs.put(
      `renditions/${acme.id}/${photo.id}/v0-r90/thumb.jpeg` as Parameters<typeof readBlobKey>[0],
      bytesOf(new Uint8Array(3)),
    );
    expect(await collect()).toMatchObject({ originals: 0, renditions: 5 });
    expect(await blobsUnder(here.blobs, 'renditions/')).toEqual([
      `renditions/${acme.id}/${photo.id}/v1-r90/small.jpeg 3`,
    ]);
  });

  test('removes the blobs of a customer that does not exist', async () => {
    const customerId = 999;
    const name = { customerId, importId: 1, id: 1, uploadId: 1 };
    await here.blobs.put(stagingKey(name), bytesOf(new Uint8Array(3)));
    await here.blobs.put(renditionKey({ ...name, rotation: 0 }, 'thumb', 'jpeg'), bytesOf(new Uint8Array(3)));
    expect(await collect()).toEqual({ staging: 1, originals: 0, renditions: 1, bytes: 6 });
  });

  test('is run by the service itself, after a day', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    here.clock.pass(25 * HOUR);
    for (const task of upkeep(here, [])) await task.run(new AbortController().signal);
    expect(await blobs()).toEqual([]);
  });

  test('removes nothing more once it is told to stop', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    await collectGarbage(here, { graceSeconds: 0 }, AbortSignal.abort());
    expect(await blobs()).toHaveLength(1);
  });
});

/** Something that runs just before the call with this number of a port's methods; tells how many there were. */
class Interruption {
  calls = 0;

  constructor(
    private readonly before: number,
    private readonly act: () => Promise<unknown>,
  ) {}

  async step(): Promise<void> {
    this.calls += 1;
    if (this.calls === this.before) await this.act();
  }

  get happened(): boolean {
    return this.calls >= this.before;
  }

  /** The same ports, where every call is a step, and so is every blob of a listing. */
  on(uses: World): World {
    return withInProcess({ ...uses, store: this.stepping(uses.store), blobs: this.stepping(uses.blobs) });
  }

  private stepping<T extends object>(port: T): T {
    const step = () => this.step();
    return new Proxy(port, {
      get(target, name) {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (name !== 'list') {
          return async (...given: unknown[]) => {
            await step();
            return method.apply(target, given);
          };
        }
        return async function* (...given: unknown[]) {
          await step();
          for await (const each of method.apply(target, given)) {
            await step();
            yield each;
          }
        };
      },
    });
  }
}

/** Does every job once, and the garbage may be collected in the middle of one. */
async function doJobs(uses: World): Promise<void> {
  for (let job = await claimJob(uses.jobs, 300); job !== null; job = await claimJob(uses.jobs, 300)) {
    await runJob(uses, job);
    await uses.jobs.complete(job);
  }
}

/** One thing after another that clients, workers and upkeep do; each relies on what the ones before have left. */
function story(uses: () => World) {
  const files = [picture('a.jpg'), picture('b.jpg'), picture('c.jpg'), picture('d.jpg')];
  const [a, b, c, d] = files.map((file) => present(file)) as [(typeof files)[0], ...typeof files] as typeof files;
  const customer = () => acme.on(uses());
  let importId = 0;
  let items: Awaited<ReturnType<Account['items']>> = [];
  const upload = async (at: number) => {
    const bytes = present(files[at]).bytes;
    const send = async () => customer().upload(await acme.item(present(items[at])), bytes);
    // What a client does after a 503.
    await send().catch(send);
  };
  return [
    async () => {
      importId = (await customer().start()).id;
      items = await acme.items(importId, announced(present(a)), announced(present(b)), announced(present(c)));
    },
    () => upload(0),
    () => upload(1),
    () => doJobs(uses()),
    () => upload(2),
    async () => {
      const send = async () => customer().inline(importId, [present(d)]);
      await send().catch(send);
    },
    async () => customer().edit(present(items[1]), { status: 'cancelled' }),
    () => doJobs(uses()),
    async () => customer().finalize(importId),
    () => doJobs(uses()),
    async () => purgePhoto(uses(), acme.caller, present(items[0]).id),
  ];
}

async function expectStoryTold(): Promise<void> {
  const photos = await acme.photos();
  expect(photos.map(({ filename }) => filename)).toEqual(['c.jpg', 'd.jpg']);
  await collect();
  expect(await collect()).toEqual(nothing);
  expect(await blobs()).toHaveLength(4);
  for (const { id } of photos) await acme.original(id);
}

describe('the garbage collection beside other work', () => {
  test('before any step of clients and workers takes nothing that they need', async () => {
    for (let at = 1; ; at += 1) {
      here = world();
      acme = await Account.open(here);
      const quiet = here;
      const interruption = new Interruption(at, () => collect(quiet));
      const stepping: World = interruption.on(here);
      for (const act of story(() => stepping)) await act();
      await expectStoryTold();
      if (!interruption.happened) {
        expect(at).toBeGreaterThan(40);
        break;
      }
    }
  });

  test('leaves what clients and workers need, whatever they do before any of its steps', async () => {
    const chapters = story(() => here).length;
    for (let chapter = 1; chapter < chapters; chapter += 1) {
      for (let at = 1; ; at += 1) {
        here = world();
        acme = await Account.open(here);
        const acts = story(() => here);
        for (const act of acts.slice(0, chapter)) await act();
        const interruption = new Interruption(at, () => present(acts[chapter])());
        await collect(interruption.on(here));
        if (!interruption.happened) break;
        for (const act of acts.slice(chapter + 1)) await act();
        await expectStoryTold();
      }
    }
  });

  test.each(['by upload', 'in the request'])(
    'leaves bytes that came %s and were claimed after the scan',
    async (how) => {
      const { id } = await acme.start();
      const file = picture('a.jpg');
      const [item] = how === 'by upload' ? await acme.items(id, announced(file)) : [];
      const [staged, scanned] = [new Gate(), new Gate()];
      const late = acme.on(withInProcess({ ...here, store: holdingClaims(staged, scanned) }));
      const arrival = item ? late.upload(item, file.bytes) : late.inline(id, [file]);
      await staged.opened;
      const store: World['store'] = Object.create(here.store);
      store.transaction = async (customerId, work) => {
        // What was read by the scan is old by now.
        scanned.open();
        await arrival;
        return here.store.transaction(customerId, work);
      };
      expect(await collect({ ...here, store })).toEqual(nothing);
      await runJobsUntilIdle(here);
      await acme.finalize(id);
      await runJobsUntilIdle(here);
      expect(await acme.photos()).toHaveLength(1);
      await expectAllOwned();
    },
  );

  /** Once bytes are staged, the transaction that claims them waits. */
  function holdingClaims(staged: Gate, go: Gate): World['store'] {
    const store: World['store'] = Object.create(here.store);
    store.transaction = async (customerId, work) => {
      if ((await blobsUnder(here.blobs, 'staging/')).length > 0) {
        staged.open();
        await go.opened;
      }
      return here.store.transaction(customerId, work);
    };
    return store;
  }

  test('requests bytes once more that were given up before their sender could announce them', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    const collected: unknown[] = [];
    const store: World['store'] = Object.create(here.store);
    store.transaction = async (customerId, work) => {
      if (collected.length === 0) collected.push(await collect());
      return here.store.transaction(customerId, work);
    };
    const late = acme.on(withInProcess({ ...here, store }));
    await expect(late.upload(present(item), file.bytes)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(collected).toMatchObject([{ staging: 1 }]);
    expect(await acme.item(present(item))).toMatchObject({ status: 'awaiting_upload' });
    await acme.upload(await acme.item(present(item)), file.bytes);
    await acme.finalize(id);
    await runJobsUntilIdle(here);
    expect(await acme.photos()).toHaveLength(1);
    await expectAllOwned();
  });

  test('does no harm when it runs twice at once', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg'), picture('b.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    const kept = await acme.addPhoto(picture('c.jpg'));
    await Promise.all([collect(), collect(), collect()]);
    expect(await blobsUnder(here.blobs, 'staging/')).toEqual([]);
    await acme.original(kept.id);
  });
});

test('goes through thousands of blobs in batches', async () => {
  const store = new MemoryBlobStore(here.clock);
  for (let number = 1; number <= 1203; number += 1) {
    const key = stagingKey({ customerId: (number % 3) + 1, importId: 1, id: number, uploadId: number });
    await store.put(key, bytesOf(new Uint8Array(1)));
  }
  expect(await collect({ ...here, blobs: store })).toEqual({ ...nothing, staging: 1203, bytes: 1203 });
  expect(await blobsUnder(store, 'staging/')).toEqual([]);
});
