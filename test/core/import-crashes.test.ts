import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import { backoffSeconds, MAX_ATTEMPTS, MAX_FAILURES, MAX_OUTAGES, outageSeconds } from '../../src/core/jobs/job.js';
import { type MediaReader, ReaderFailure } from '../../src/core/media/media-reader.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
import { HOUR, SECOND } from '../../src/core/shared/clock.js';
import { DomainError, isOutage } from '../../src/core/shared/errors.js';
import { runJob } from '../../src/worker/pools.js';
import { MemoryMediaReader } from '../../testing/memory/memory-media-reader.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { claimJob } from '../support/claim.js';
import {
  Account,
  announced,
  blobsUnder,
  type ClientFile,
  everything,
  expectSound,
  fileOf,
  note,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { present } from '../support/tenant.js';

const LEASE = 300;

/** Ends at one call: before it had its effect, or after, when only the answer is lost. */
interface Fault {
  readonly call: number;
  readonly moment: 'before' | 'after';
}

class Crash extends Error {}

/** The same world, whose calls to blobs, media and transactions are counted; the chosen one throws, and every one after it. */
function crashing(ports: World, { call, moment }: Fault): { ports: World; calls: string[] } {
  const calls: string[] = [];
  const counted = <T extends object>(name: string, port: T, methods: readonly (keyof T & string)[]): T => {
    const broken = Object.create(port) as T;
    for (const method of methods) {
      const act = (port[method] as (...given: unknown[]) => Promise<unknown>).bind(port);
      const counting = async (...given: unknown[]) => {
        calls.push(`${name}.${method}`);
        if (calls.length > call || (calls.length === call && moment === 'before')) throw new Crash();
        const answer = await act(...given);
        if (calls.length === call) throw new Crash();
        return answer;
      };
      Object.assign(broken, { [method]: counting });
    }
    return broken;
  };
  const blobs = counted('blobs', ports.blobs, ['put', 'get', 'head', 'copy', 'delete']);
  const store = counted('store', ports.store, ['transaction', 'query']);
  const media = counted('media', ports.media, ['inspect']);
  return { ports: withInProcess({ ...ports, blobs, store, media }), calls };
}

/** Does what is due until a job crashes; then its lease runs out, and a sound worker does the rest. Tells whether there was a crash. */
async function workUntilCrash(ports: World, fault: Fault): Promise<{ crashed: boolean; calls: string[] }> {
  const broken = crashing(ports, fault);
  for (let job = await claimJob(ports.jobs, LEASE); job !== null; job = await claimJob(ports.jobs, LEASE)) {
    try {
      await runJob(broken.ports, job);
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      return { crashed: true, calls: broken.calls };
    }
    await ports.jobs.complete(job);
  }
  return { crashed: false, calls: broken.calls };
}

async function recover(ports: World): Promise<void> {
  ports.clock.pass(LEASE * 1000);
  await runJobsUntilIdle(ports);
  await expectSound(ports);
}

/** A finalized import with a new photo, a copy of it, bytes that are in the trash, bytes that the library has, and a text. */
async function finalized(ports: World) {
  const acme = await Account.open(ports);
  const [inTrash, inLibrary, fresh] = [picture('trash.jpg'), picture('library.jpg'), picture('new.jpg')];
  const trashed = await acme.addPhoto(inTrash);
  await acme.addPhoto(inLibrary);
  await trashPhoto(ports, acme.caller, trashed.id);
  const { id } = await acme.start({ tagNames: ['shoot'] });
  await acme.send(id, [fresh, fileOf('copy.jpg', fresh.bytes), inTrash, note('text.jpg')]);
  await acme.send(id, [inLibrary, fileOf('unhashed.jpg', fresh.bytes)], { sha256: null });
  await acme.finalize(id);
  return { acme, id };
}

/** How it ended, by the bytes: which of several items with the same bytes becomes the photo is not promised. */
async function outcome({ acme, id }: { acme: Account; id: number }) {
  const { status, counts } = await acme.import(id);
  const photos = await acme.photos();
  const items = await acme.list(id);
  const byBytes = [...new Set(items.map(({ sha256 }) => sha256))].map((sha256) => {
    const same = items.filter((item) => item.sha256 === sha256);
    const kept = photos.filter((photo) => photo.sha256 === sha256);
    const ended = same.map((item) => {
      const hasPhoto = kept.some((photo) => photo.id === item.photoId);
      return [item.status, item.restored, item.error?.code, hasPhoto].join();
    });
    return { ended: ended.sort(), photos: kept.map(({ tags, trashedAt }) => ({ tags, trashedAt })) };
  });
  const tags = (await acme.tags()).map(({ name, photoCount }) => ({ name, photoCount }));
  return { status, counts, byBytes, photos: photos.length, tags };
}

describe('a worker that dies at any step of an import', () => {
  test.each(['before', 'after'] as const)(
    '%s its effect: the next one completes the import as if nothing had happened',
    async (moment) => {
      const calm = world();
      const undisturbed = await finalized(calm);
      await runJobsUntilIdle(calm);
      const expected = await outcome(undisturbed);
      expect(expected.counts).toMatchObject({ total: 6, imported: 1, duplicate: 4, failed: 1 });
      const steps = new Set<string>();
      for (let call = 1; ; call += 1) {
        const ports = world();
        const scene = await finalized(ports);
        const { crashed, calls } = await workUntilCrash(ports, { call, moment });
        steps.add(present(calls.at(-1)));
        await recover(ports);
        expect({ call, ...(await outcome(scene)) }).toEqual({ call, ...expected });
        if (!crashed) break;
      }
      const all = [
        'blobs.get',
        'blobs.copy',
        'blobs.put',
        'blobs.delete',
        'media.inspect',
        'store.transaction',
        'store.query',
      ];
      expect([...steps].sort()).toEqual(all.sort());
    },
  );
});

describe('an upload that dies at any step', () => {
  test.each(['before', 'after'] as const)(
    '%s its effect: the same bytes are accepted once more, and stored only once',
    async (moment) => {
      const steps = new Set<string>();
      for (let call = 1; ; call += 1) {
        const ports = world();
        const acme = await Account.open(ports);
        const file = picture('new.jpg');
        const { id } = await acme.start();
        const [item] = await acme.items(id, announced(file));
        const broken = crashing(ports, { call, moment });
        const died = await acme
          .over(broken.ports)
          .upload(present(item), file.bytes)
          .then(() => null)
          .catch((error: unknown) => error);
        if (died !== null) expect(died).toBeInstanceOf(Crash);
        steps.add(present(broken.calls.at(-1)));
        await acme.upload(present(item), file.bytes);
        await acme.finalize(id);
        await runJobsUntilIdle(ports);
        await expectSound(ports);
        expect({ call, ...(await acme.import(id)).counts }).toMatchObject({ call, total: 1, imported: 1 });
        await collectGarbage(ports, { graceSeconds: 0 });
        expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
        expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(1);
        await expectSound(ports);
        if (died === null) break;
      }
      expect([...steps].sort()).toEqual(['blobs.delete', 'blobs.put', 'store.query', 'store.transaction']);
    },
  );
});

describe('a slow worker that another one takes for dead', () => {
  let ports: World;
  let acme: Account;
  let file: ClientFile;
  let importId: number;

  beforeEach(async () => {
    ports = world();
    acme = await Account.open(ports);
    file = picture('a.jpg');
    importId = (await acme.start()).id;
    await acme.send(importId, [file]);
  });

  /** Runs the job with a blob store at one of whose steps another worker does the whole job. */
  async function overtaken(method: 'get' | 'copy' | 'put' | 'delete', when: 'before' | 'after'): Promise<void> {
    const job = present(await claimJob(ports.jobs, LEASE));
    expect(job.work.kind).toBe('inspect');
    const blobs = Object.create(ports.blobs) as BlobStore;
    let overtaking = false;
    const step = async (...given: unknown[]) => {
      const act = () => (ports.blobs[method] as (...args: unknown[]) => Promise<unknown>)(...given);
      if (overtaking) return act();
      overtaking = true;
      const done = when === 'after' ? await act() : undefined;
      await runJob(ports, { ...job, attempt: 2 });
      return when === 'after' ? done : act();
    };
    Object.assign(blobs, { [method]: step });
    await runJob(withInProcess({ ...ports, blobs }), job).catch((error) => {
      expect(error).toMatchObject({ code: 'service_unavailable' });
    });
    await ports.jobs.complete(job);
    expect(overtaking).toBe(true);
  }

  const steps = (['get', 'copy', 'put', 'delete'] as const).flatMap((method) =>
    (['before', 'after'] as const).map((when) => [when, method] as const),
  );

  test.each(steps)('does no harm when it is overtaken %s its %s', async (when, method) => {
    await overtaken(method, when);
    expect((await acme.list(importId))[0]).toMatchObject({ status: 'ready' });
    await acme.finalize(importId);
    await runJobsUntilIdle(ports);
    const [item] = await acme.list(importId);
    expect(item).toMatchObject({ status: 'imported' });
    expect(await acme.original(present(item).id)).toEqual(Buffer.from(file.bytes));
    await expectSound(ports);
  });

  test.each(steps)('does no harm in a finalized import when it is overtaken %s its %s', async (when, method) => {
    await acme.finalize(importId);
    await overtaken(method, when);
    await runJobsUntilIdle(ports);
    expect(await acme.import(importId)).toMatchObject({ status: 'completed', counts: { imported: 1 } });
    const [photo] = await acme.photos();
    expect(await acme.original(present(photo).id)).toEqual(Buffer.from(file.bytes));
    await expectSound(ports);
  });
});

describe('an item that is changed during its inspection', () => {
  /** A world in which something happens at the moment when the bytes were looked at and nothing is written yet. */
  function meanwhile(happen: () => Promise<unknown>): World {
    const media = Object.create(new MemoryMediaReader()) as MediaReader;
    let happened = false;
    media.inspect = async (bytes, bounds) => {
      const inspection = await new MemoryMediaReader().inspect(bytes, bounds);
      if (!happened) {
        happened = true;
        await happen();
      }
      return inspection;
    };
    return world({ media });
  }

  test('stays cancelled if it is cancelled', async () => {
    const ports = meanwhile(async () => acme.edit(present((await acme.list(1))[0]), { status: 'cancelled' }));
    const acme = await Account.open(ports);
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(ports);
    expect(await acme.list(id)).toMatchObject([{ status: 'cancelled' }]);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { cancelled: 1 } });
    expect(await acme.photos()).toEqual([]);
  });

  test('publishes nothing if its import is discarded', async () => {
    const ports = meanwhile(() => acme.finalize(1, { action: 'discard' }));
    const acme = await Account.open(ports);
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'cancelled', counts: { cancelled: 1 } });
    expect(await acme.photos()).toEqual([]);
  });

  test('is published if its import is finalized', async () => {
    const ports = meanwhile(() => acme.finalize(1));
    const acme = await Account.open(ports);
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 1 } });
    await expectSound(ports);
  });

  test('has its new title if it is edited', async () => {
    const ports = meanwhile(async () => acme.edit(present((await acme.list(1))[0]), { title: 'new' }));
    const acme = await Account.open(ports);
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')], { title: 'old' });
    await runJobsUntilIdle(ports);
    expect(await acme.list(id)).toMatchObject([{ status: 'ready', title: 'new' }]);
  });
});

describe('a file that crashes its decoder', () => {
  let acme: Account;
  let ports: World;
  let trouble: Error;
  /** Whether each look was to be alone. */
  let reads: unknown[];

  beforeEach(async () => {
    trouble = new ReaderFailure('the reader ended');
    reads = [];
    const media = Object.create(new MemoryMediaReader()) as MediaReader;
    media.inspect = async (bytes, bounds) => {
      const inspection = await new MemoryMediaReader().inspect(bytes, bounds);
      if (inspection.outcome === 'picture' && inspection.facts.title === 'poison') {
        reads.push(bounds.alone);
        throw trouble;
      }
      return inspection;
    };
    ports = world({ media });
    acme = await Account.open(ports);
  });

  const poison = () => picture('poison.jpg', { title: 'poison' });

  /** As a worker does: what throws is tried again. */
  async function work(): Promise<void> {
    for (let job = await claimJob(ports.jobs, LEASE); job !== null; job = await claimJob(ports.jobs, LEASE)) {
      try {
        await runJob(ports, job);
        await ports.jobs.complete(job);
      } catch {
        await ports.jobs.release(job, 'trouble', 0);
      }
    }
  }

  test(`is tried ${MAX_FAILURES} times, the last time beside no other, then fails while the others continue`, async () => {
    const { id } = await acme.start();
    await acme.send(id, [poison(), picture('sound.jpg')]);
    await acme.finalize(id);
    await work();
    expect(reads).toEqual([false, false, true]);
    expect(await acme.import(id)).toMatchObject({
      status: 'completed_with_errors',
      counts: { imported: 1, failed: 1 },
    });
    expect((await acme.list(id))[0]).toMatchObject({ status: 'failed', error: { code: 'decode_failed' } });
    await expectSound(ports);
  });

  test('is tried no less often because of earlier ends of the service, whatever caused them', async () => {
    const { id } = await acme.start();
    await acme.send(id, [poison()]);
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await claimJob(ports.jobs, LEASE);
      ports.clock.pass(LEASE * 1000);
    }
    const job = present(await claimJob(ports.jobs, LEASE));
    await expect(runJob(ports, job)).rejects.toBe(trouble);
    expect(reads).toEqual([true]);
    expect((await acme.list(id))[0]).toMatchObject({ status: 'processing' });
  });

  test('is not tried again when it ends the whole service', async () => {
    const { id } = await acme.start();
    await acme.send(id, [poison()]);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect((await claimJob(ports.jobs, LEASE))?.attempt).toBe(attempt);
      ports.clock.pass(LEASE * 1000);
    }
    await work();
    expect(reads).toEqual([]);
    expect((await acme.list(id))[0]).toMatchObject({ status: 'failed', error: { code: 'decode_failed' } });
  });

  test('is not reported as undecodable when something else failed', async () => {
    trouble = new Error('a fault of ours');
    const { id } = await acme.start();
    await acme.send(id, [poison()]);
    await work();
    expect(reads).toHaveLength(MAX_FAILURES);
    expect((await acme.list(id))[0]).toMatchObject({ status: 'failed', error: { code: 'processing_failed' } });
  });

  test('is not blamed when another part was unavailable', async () => {
    trouble = new DomainError('service_unavailable', 'The store is away.');
    const { id } = await acme.start();
    await acme.send(id, [poison()]);
    const job = present(await claimJob(ports.jobs, LEASE));
    await expect(runJob(ports, { ...job, failures: MAX_FAILURES - 1 })).rejects.toBe(trouble);
    expect((await acme.list(id))[0]).toMatchObject({ status: 'processing', error: null });
  });
});

describe('an outage', () => {
  const away = new DomainError('service_unavailable', 'The store is away.');

  /** As a worker does, over the time that it would take: what meets an outage waits longer each time. Ends when no job is left. */
  async function work(ports: World, broken: World, runs: () => boolean = () => true): Promise<number> {
    let count = 0;
    while (runs()) {
      const job = await claimJob(ports.jobs, LEASE);
      if (job === null) {
        if (ports.database.jobs.where(({ deadReason }) => deadReason === null).length === 0) return count;
        ports.clock.pass(30 * SECOND);
        continue;
      }
      count += 1;
      try {
        await runJob(broken, job);
        await ports.jobs.complete(job);
      } catch (error) {
        if (isOutage(error)) await ports.jobs.postpone(job, String(error), outageSeconds(job.outages + 1));
        else await ports.jobs.release(job, String(error), backoffSeconds(job.attempt));
      }
    }
    return count;
  }

  test('of the bytes of one file that does not end fails that file after a day, and delays no other', async () => {
    const ports = world();
    const acme = await Account.open(ports);
    const { id } = await acme.start();
    const [lost, sound] = await acme.send(id, [picture('lost.jpg'), picture('sound.jpg')]);
    await acme.finalize(id);
    const broken = withInProcess({ ...ports, blobs: Object.create(ports.blobs) as BlobStore });
    const { uploadId } = present(
      await ports.store.query(acme.id, (reader) => reader.importPhotos.get(id, present(lost).id)),
    );
    broken.blobs.get = async (key, range) => {
      if (key.endsWith(`-${uploadId}`)) throw away;
      return ports.blobs.get(key, range);
    };
    const began = ports.clock.now().getTime();
    let whole = 0;
    const runs = await work(ports, broken, () => {
      const hours = (ports.clock.now().getTime() - began) / HOUR;
      if (hours < 23.5) expect(ports.database.importPhotos.get(present(lost).id)?.status).toBe('processing');
      if (hours > 1 && whole === 0) {
        whole = hours;
        expect(ports.database.importPhotos.get(present(sound).id)?.status).toBe('imported');
      }
      return true;
    });
    expect(ports.clock.now().getTime() - began).toBeGreaterThanOrEqual(24 * HOUR);
    // The file's own runs, that of the other file, and publishing a few times.
    expect(runs).toBeLessThan(MAX_OUTAGES + 10);
    expect(await acme.item(present(lost))).toMatchObject({ status: 'failed', error: { code: 'processing_failed' } });
    expect(await acme.import(id)).toMatchObject({
      status: 'completed_with_errors',
      counts: { imported: 1, failed: 1 },
    });
    // Nothing can be done about bytes that are out of reach; without an owner they are swept some day.
    expect(await blobsUnder(ports.blobs, 'staging/')).toHaveLength(1);
    await expectSound(ports);
  });

  test('of the database during publishing fails no photo, however long it lasts and whichever try it hits', async () => {
    const ports = world();
    const acme = await Account.open(ports);
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg'), picture('b.jpg'), picture('c.jpg')]);
    await runJobsUntilIdle(ports);
    await acme.finalize(id);
    // Three processes died at it: from now on every try is the last.
    for (let tries = 1; tries <= MAX_FAILURES; tries += 1) {
      expect(present(await claimJob(ports.jobs, LEASE)).attempt).toBe(tries);
      ports.clock.pass(LEASE * SECOND);
    }
    const broken = withInProcess({ ...ports, store: Object.create(ports.store) as World['store'] });
    let transactions = 0;
    broken.store.transaction = async (customerId, step) => {
      transactions += 1;
      // One goes through, and then only its answer is lost.
      if (transactions === 1) await ports.store.transaction(customerId, step);
      throw away;
    };
    await work(ports, broken, () => transactions < MAX_OUTAGES + 20);
    expect(await acme.import(id)).toMatchObject({ status: 'processing', counts: { imported: 3, ready: 0, failed: 0 } });
    await work(ports, ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 3 } });
    await expectSound(ports);
  });

  test('of the store during publishing delays nothing, because photos do not need it any longer', async () => {
    const ports = world();
    const acme = await Account.open(ports);
    const file = picture('a.jpg');
    const ids: number[] = [];
    for (const _ of [1, 2]) {
      const { id } = await acme.start();
      await acme.send(id, [file, picture('other.jpg')], { sha256: null });
      ids.push(id);
    }
    await runJobsUntilIdle(ports);
    for (const id of ids) await acme.finalize(id);
    const broken = withInProcess({ ...ports, blobs: Object.create(ports.blobs) as BlobStore });
    broken.blobs.list = () => {
      throw away;
    };
    broken.blobs.delete = async () => {
      throw away;
    };
    expect(await work(ports, broken)).toBe(2);
    const ended = await Promise.all(ids.map((id) => acme.import(id)));
    expect(ended.map(({ status, counts }) => [status, counts.imported, counts.duplicate])).toEqual([
      ['completed', 2, 0],
      ['completed', 1, 1],
    ]);
    await expectSound(ports);
  });

  test('is recognized as one even when the duplicate photo is purged at that moment', async () => {
    const ports = world();
    const acme = await Account.open(ports);
    const file = picture('a.jpg');
    const { id } = await acme.start();
    await acme.send(id, [file], { sha256: null });
    await runJobsUntilIdle(ports);
    await acme.finalize(id);
    const job = present(await claimJob(ports.jobs, LEASE));
    const purging = withInProcess({ ...ports, store: Object.create(ports.store) as World['store'] });
    purging.store.transaction = (customerId, step) =>
      ports.store.transaction(customerId, (transaction) => {
        const photos = Object.create(transaction.photos) as typeof transaction.photos;
        // Another import's photo came between the look for one and this, and went again.
        photos.insert = async () => false;
        photos.insertMany = async () => [];
        return step({ ...transaction, photos });
      });
    await expect(runJob(purging, { ...job, failures: MAX_FAILURES - 1 })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect((await acme.list(id))[0]).toMatchObject({ status: 'ready' });
  });
});

test('publishing that was given up after a fault starts again when the import is finalized again', async () => {
  const ports = world();
  const acme = await Account.open(ports);
  const { id } = await acme.start();
  await acme.send(id, [picture('a.jpg')]);
  await runJobsUntilIdle(ports);
  await acme.finalize(id);
  await ports.jobs.release(present(await claimJob(ports.jobs, LEASE)), 'a fault of ours', null);
  expect(await claimJob(ports.jobs, LEASE)).toBeNull();
  expect(await acme.finalize(id)).toMatchObject({ status: 'processing' });
  await runJobsUntilIdle(ports);
  expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 1 } });
});

test('a finalize request that fails half way leaves the import open and unchanged', async () => {
  const ports = world();
  const acme = await Account.open(ports);
  const { id } = await acme.start();
  await acme.send(id, [picture('a.jpg')]);
  await acme.items(id, { filename: 'b.jpg', sizeBytes: 1 });
  const before = await everything(ports);
  const list = ports.blobs.list.bind(ports.blobs);
  const away = new DomainError('service_unavailable', 'The store is away.');
  ports.blobs.list = () => {
    throw away;
  };
  await expect(acme.finalize(id, { missingUploads: 'fail' })).rejects.toBe(away);
  ports.blobs.list = list;
  expect(await everything(ports)).toEqual(before);
  await acme.finalize(id, { missingUploads: 'fail' });
  await runJobsUntilIdle(ports);
  expect(await acme.import(id)).toMatchObject({ counts: { imported: 1, failed: 1 } });
  expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
});
