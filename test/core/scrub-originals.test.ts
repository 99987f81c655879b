import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { storedKey } from '../../src/core/blobs/blob-key.js';
import { type Scrubbing, scrubOriginals } from '../../src/core/integrity/scrub.js';
import { DAY } from '../../src/core/shared/clock.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryScrubPosition } from '../../testing/memory/memory-integrity.js';
import { Account, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

/** Cannot be read while it is `out`. */
class FailingStore extends MemoryBlobStore {
  isOut = false;

  override async head(key: Parameters<MemoryBlobStore['head']>[0]) {
    if (this.isOut) throw new Error('the disk does not answer');
    return super.head(key);
  }
}

describe('docs/reliability.md F14: the scrub of originals', () => {
  let blobs: FailingStore;
  let here: World;
  let owners: Account[];
  let position: MemoryScrubPosition;
  let checked: [number, string | null][];
  let restedBytes: number;
  const stop = new AbortController().signal;

  beforeEach(async () => {
    blobs = new FailingStore();
    here = world({ blobs });
    owners = [await Account.open(here), await Account.open(here)];
    for (const owner of owners) {
      for (let at = 0; at < 15; at += 1) await owner.addPhoto(picture(`${owner.id}-${at}.jpg`));
    }
    await runJobsUntilIdle(here);
    position = new MemoryScrubPosition();
    checked = [];
    restedBytes = 0;
  });

  const scrubbing: Scrubbing = {
    days: 30,
    onChecked: ({ id }, fault) => checked.push([id, fault?.kind ?? null]),
    rest: async (bytes) => {
      restedBytes += bytes;
    },
  };
  const run = (signal = stop) => scrubOriginals({ ...here, scrubPosition: position }, scrubbing, signal);
  const allIds = async () => {
    const photos = await Promise.all(owners.map((owner) => owner.photos()));
    return photos.flat().map(({ id }) => id);
  };

  test('reads each original once in thirty days, and again in the next thirty', async () => {
    for (let day = 0; day <= 30; day += 1) {
      await run();
      expect(checked.length).toBe(day);
      here.clock.pass(DAY);
    }
    const ids = await allIds();
    expect(checked.map(([id]) => id)).toEqual(ids);
    expect(restedBytes).toBeGreaterThan(0);
    await run();
    for (let day = 0; day < 31; day += 1) {
      here.clock.pass(DAY);
      await run();
    }
    expect(checked.map(([id]) => id)).toEqual([...ids, ...ids]);
  });

  test('makes up for the time in which nothing ran', async () => {
    await run();
    here.clock.pass(20 * DAY);
    await run();
    expect(checked).toHaveLength(20);
    here.clock.pass(100 * DAY);
    await run();
    expect(checked).toHaveLength(30);
  });

  test('marks and reports what is missing or differs as lost, and only reports what cannot be read', async () => {
    const [gone, changed] = await present(owners[0]).photos();
    await blobs.delete([storedKey(present(gone).blobKey)]);
    await blobs.put(storedKey(present(changed).blobKey), inOneChunk(new Uint8Array(present(changed).sizeBytes)));
    await run();
    here.clock.pass(10 * DAY);
    await run();
    expect(checked.filter(([, fault]) => fault !== null)).toEqual([
      [present(gone).id, 'missing'],
      [present(changed).id, 'damaged'],
    ]);
    const [one, other, third] = await present(owners[0]).photos();
    expect([one, other, third].map((photo) => present(photo).originalLostAt !== null)).toEqual([true, true, false]);
    blobs.isOut = true;
    here.clock.pass(10 * DAY);
    await run();
    expect(checked.slice(10).map(([, fault]) => fault)).toEqual(Array(10).fill('unreadable'));
    const lost = (await Promise.all(owners.map((owner) => owner.photos()))).flat();
    expect(lost.filter(({ originalLostAt }) => originalLostAt !== null)).toHaveLength(2);
  });

  test('continues, after it was stopped, where the last whole batch ended', async () => {
    await run();
    here.clock.pass(30 * DAY);
    const stopping = new AbortController();
    const stopAfter = { ...scrubbing, rest: async () => (checked.length === 17 ? stopping.abort() : undefined) };
    await scrubOriginals({ ...here, scrubPosition: position }, stopAfter, stopping.signal);
    expect(checked).toHaveLength(17);
    await run();
    const ids = await allIds();
    expect(new Set(checked.map(([id]) => id))).toEqual(new Set(ids));
    expect(checked.length).toBeLessThan(2 * ids.length);
    expect(await position.read()).toMatchObject({ isComplete: true });
  });
});
