import { deleteKey } from '../../src/core/access/keys.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { Registration } from '../../src/core/imports/candidate.js';
import { removeAbandonedUploads } from '../../src/core/imports/expire.js';
import { type FetchOutcome, fetchSource } from '../../src/core/imports/fetch/fetch.js';
import { MAX_TRIES, retrySeconds } from '../../src/core/imports/fetch/source-fetch.js';
import { PART_BYTES } from '../../src/core/imports/receive/resumable.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import type { Ports } from '../../src/core/ports.js';
import { DAY, SECOND } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { FETCH_SLOTS, fetchPool } from '../../src/worker/pools.js';
import { busyIn, runWorker } from '../../src/worker/worker.js';
import { failure, type MemorySource } from '../../testing/memory/imports/memory-fetches.js';
import { PlainUploadSlots } from '../../testing/memory/imports/memory-uploads.js';
import { pictureBytes } from '../../testing/memory/memory-media-reader.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { claimFrom } from '../support/claim.js';
import {
  Account,
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
import { Gate, present } from '../support/tenant.js';
import { until } from '../support/until.js';

let ports: World;
let acme: Account;
let importId: number;
beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
  importId = (await acme.start()).id;
});

const never = new AbortController().signal;
const SECRET = 'signature=very-secret';
const urlOf = (file: ClientFile, host = 'media.example') => `https://${host}/${file.filename}?${SECRET}`;

/** Places the file on a server. Returns its registration. */
function placed(file: ClientFile, source: Partial<MemorySource> = {}, host?: string): Registration {
  const sourceUrl = urlOf(file, host);
  ports.sourceReader.sources.set(sourceUrl, { bytes: file.bytes, validator: '"1"', ...source });
  return { filename: file.filename, clientRef: file.filename, sourceUrl };
}

const add = async (registration: Registration, of = acme, into = importId) =>
  present((await of.items(into, registration))[0]);

/** Makes the next due try. */
async function fetchOnce(through: Ports = ports, stopping = never): Promise<FetchOutcome | null> {
  const job = await claimFrom(ports.jobs, 'fetches', 60);
  return job === null ? null : fetchSource(through, job, stopping);
}

const fetchJobs = () => ports.database.jobs.where(({ pool }) => pool === 'fetches');

/** Makes tries until none is left, however long the waits. */
async function fetchAll(through: Ports = ports): Promise<FetchOutcome[]> {
  const outcomes: FetchOutcome[] = [];
  while (ports.database.sourceFetches.all().length > 0) {
    const outcome = await fetchOnce(through);
    if (outcome === null) ports.clock.pass(60 * SECOND);
    else outcomes.push(outcome);
  }
  return outcomes;
}

const staged = () => blobsUnder(ports.blobs, 'staging/');
/** A picture larger than a part. */
const large = (filename: string) => {
  const { bytes } = picture(filename);
  const whole = new Uint8Array(2 * PART_BYTES + 1000);
  whole.set(bytes);
  return fileOf(filename, whole);
};

describe('a file with a sourceUrl', () => {
  test('is fetched, inspected like any upload, and published', async () => {
    const file = picture('a.jpg');
    const item = await add(placed(file));
    expect(item).toMatchObject({ status: 'fetching', upload: null, sizeBytes: null, sha256: null, error: null });
    expect((await acme.import(importId)).counts).toMatchObject({ total: 1, fetching: 1, awaitingUpload: 0 });
    expect(await fetchAll()).toEqual(['received']);
    const { sizeBytes, sha256 } = file;
    expect(await acme.item(item)).toMatchObject({ status: 'processing', sizeBytes, sha256 });
    await runJobsUntilIdle(ports);
    await acme.finalize(importId);
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'imported', photoId: item.id });
    expect(Buffer.from(file.bytes).equals(await acme.original(item.id))).toBe(true);
    expect(ports.sourceReader.openCount).toBe(0);
    await expectSound(ports);
  });

  test('does not prevent its import from being finalized, which completes once it has arrived', async () => {
    const item = await add(placed(picture('a.jpg')));
    expect((await acme.finalize(importId)).status).toBe('processing');
    await runJobsUntilIdle(ports);
    expect(await acme.import(importId)).toMatchObject({ status: 'processing' });
    await fetchAll();
    await runJobsUntilIdle(ports);
    expect(await acme.import(importId)).toMatchObject({ status: 'completed' });
    expect(await acme.item(item)).toMatchObject({ status: 'imported' });
  });

  test('that fails completes a finalized import, too', async () => {
    const item = await add({ filename: 'a.jpg', sourceUrl: 'https://media.example/nothing' });
    await acme.finalize(importId);
    await runJobsUntilIdle(ports);
    expect(await fetchAll()).toEqual(['failed']);
    await runJobsUntilIdle(ports);
    expect(await acme.import(importId)).toMatchObject({ status: 'completed_with_errors' });
    expect(await acme.item(item)).toMatchObject({ status: 'failed', error: { code: 'source_not_found' } });
  });

  test('is not fetched when its declared bytes are in the library, or belong to an earlier item', async () => {
    const known = picture('known.jpg');
    await acme.addPhoto(known);
    const { sha256 } = known;
    expect(await add({ ...placed(known), sha256 })).toMatchObject({ status: 'duplicate' });
    const file = picture('b.jpg');
    const first = await add({ ...placed(file), sha256: file.sha256 });
    const second = await add({ ...placed(file), sha256: file.sha256, clientRef: 'again' });
    expect(second).toMatchObject({ status: 'duplicate', duplicateOfItemId: first.id });
    expect(await fetchAll()).toEqual(['received']);
  });

  test('has its secrets neither in the item, nor readable in the stored fetch', async () => {
    const item = await add(placed(picture('a.jpg')));
    const rows = [await acme.list(importId), await everything(ports), item];
    expect(JSON.stringify(rows)).not.toMatch(/secret|media\.example\//);
    expect(ports.database.sourceFetches.all()).toMatchObject([{ host: 'media.example', itemId: item.id }]);
    await fetchAll();
    expect(ports.sourceReader.requests).toMatchObject([{ url: expect.stringContaining(SECRET) }]);
  });

  test.each([
    ['http://media.example/a.jpg', /begin with https/],
    ['https://user:pass@media.example/a.jpg', /user name/],
    ['https://media.example/a.jpg#x', /fragment/],
    [`https://media.example/${'x'.repeat(2000)}`, /at most 2000/],
    ['a.jpg', /complete URL/],
  ])('is rejected with %s, and its message does not repeat it', async (sourceUrl, message) => {
    const { results } = await acme.register(importId, placed(picture('a.jpg')), { filename: 'b.jpg', sourceUrl });
    const error = { code: 'invalid_request', message: expect.stringMatching(message) };
    expect(results[1]).toMatchObject({ outcome: 'rejected', error });
    expect(results[1]?.error?.message).not.toContain(sourceUrl);
  });

  test('can have no size, while a file without a sourceUrl must have one', async () => {
    const one = placed(picture('a.jpg'));
    const { results } = await acme.register(importId, one, { filename: 'b.jpg' }, { filename: 'c.jpg', sourceUrl: '' });
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'rejected', 'rejected']);
    expect(results[1]?.error).toMatchObject({ code: 'invalid_request' });
  });

  test('is found again by its clientRef, and fetched once', async () => {
    const registration = placed(picture('a.jpg'));
    const item = await add(registration);
    const again = await acme.register(importId, registration);
    expect(again.results).toMatchObject([{ outcome: 'existing', photo: { id: item.id, status: 'fetching' } }]);
    await fetchAll();
    await acme.register(importId, registration);
    expect(ports.sourceReader.requests).toHaveLength(1);
  });

  test('that failed can be fetched again from another URL, or uploaded', async () => {
    const file = picture('a.jpg');
    const failed = await add({ filename: 'a.jpg', clientRef: 'a.jpg', sourceUrl: 'https://media.example/old' });
    await fetchAll();
    const again = await add(placed(file));
    expect(again).toMatchObject({ id: failed.id, status: 'fetching', error: null });
    expect(await fetchAll()).toEqual(['received']);
    const other = await add({ filename: 'b.jpg', clientRef: 'b', sourceUrl: 'https://media.example/old' });
    await fetchAll();
    const waiting = await acme.edit(other, { status: 'awaiting_upload' });
    expect(waiting).toMatchObject({ status: 'awaiting_upload', upload: expect.anything() });
  });

  test('accepts new details while it is fetched, and no upload', async () => {
    const item = await add(placed(picture('a.jpg')));
    expect(await acme.edit(item, { title: 'Paris' })).toMatchObject({
      title: 'Paris',
      status: 'fetching',
      sizeBytes: null,
    });
    for (const patch of [{ sizeBytes: 7 }, { status: 'awaiting_upload' as const }, { status: 'uploaded' as const }]) {
      await expect(acme.edit(item, patch)).rejects.toMatchObject({ code: 'import_photo_final' });
    }
    await fetchAll();
    expect(await acme.item(item)).toMatchObject({ title: 'Paris', status: 'processing' });
  });
});

describe('a fetched file is checked', () => {
  test('against the declared hash and size', async () => {
    const file = picture('a.jpg');
    const other = picture('b.jpg');
    await add({ ...placed(file), sha256: other.sha256 });
    await add({ ...placed(other), sizeBytes: other.sizeBytes + 1 });
    await add({ ...placed(picture('c.jpg'), { statesSize: false }), sizeBytes: 3 });
    expect(await fetchAll()).toEqual(['failed', 'failed', 'failed']);
    const codes = (await acme.list(importId)).map(({ error }) => error?.code);
    expect(codes).toEqual(['checksum_mismatch', 'size_mismatch', 'size_mismatch']);
    expect(await staged()).toEqual([]);
  });

  test('also when it arrives in parts', async () => {
    const file = large('a.jpg');
    await add({ ...placed(file), sha256: 'ab'.repeat(32) });
    expect(await fetchAll()).toEqual(['failed']);
    expect((await acme.list(importId))[0]?.error?.code).toBe('checksum_mismatch');
    expect(await staged()).toEqual([]);
  });

  test('for its content, like any upload', async () => {
    const item = await add(placed(note('a.txt')));
    await fetchAll();
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'failed', error: { code: 'not_an_image' } });
  });

  test('for its size: an empty one and one over the limit fail', async () => {
    ports = world({ limits: { maxFileBytes: 1000 } });
    acme = await Account.open(ports);
    importId = (await acme.start()).id;
    const big = (name: string) => fileOf(name, new Uint8Array(1001));
    await add(placed(fileOf('none', new Uint8Array(0))));
    await add(placed(fileOf('none2', new Uint8Array(0)), { statesSize: false }));
    await add(placed(big('big')));
    await add(placed(big('big2'), { statesSize: false }));
    expect(await fetchAll()).toEqual(['failed', 'failed', 'failed', 'failed']);
    const codes = (await acme.list(importId)).map(({ error }) => error?.code);
    expect(codes).toEqual(['file_empty', 'file_empty', 'file_too_large', 'file_too_large']);
    expect(await staged()).toEqual([]);
  });
});

describe('tries of a fetch (docs/reliability.md F31)', () => {
  test('are repeated, five in all, with growing waits', async () => {
    const item = await add({ filename: 'a.jpg', sourceUrl: 'https://media.example/a' });
    ports.sourceReader.sources.set('https://media.example/a', failure('source_unreachable', false));
    const began = ports.clock.now().getTime();
    expect(await fetchAll()).toEqual(['retried', 'retried', 'retried', 'retried', 'failed']);
    expect(ports.sourceReader.requests).toHaveLength(MAX_TRIES);
    expect(ports.clock.now().getTime() - began).toBeGreaterThan(700 * SECOND);
    expect(await acme.item(item)).toMatchObject({ status: 'failed', error: { code: 'source_unreachable' } });
  });

  test.each(['source_forbidden', 'source_not_found', 'source_unreachable'] as const)(
    'are not repeated after a final %s',
    async (code) => {
      const item = await add({ filename: 'a.jpg', sourceUrl: 'https://media.example/a' });
      ports.sourceReader.sources.set('https://media.example/a', failure(code, true));
      expect(await fetchAll()).toEqual(['failed']);
      expect(await acme.item(item)).toMatchObject({ status: 'failed', error: { code } });
    },
  );

  test('wait as long as the source asks, up to an hour', () => {
    expect([1, 2, 3, 4, 5].map((failures) => retrySeconds(failures, null, 0))).toEqual([5, 30, 120, 600, 600]);
    expect([retrySeconds(1, 60, 0), retrySeconds(1, 1, 0), retrySeconds(1, 1e9, 0)]).toEqual([60, 5, 3600]);
    expect(retrySeconds(4, null, 0.999)).toBeLessThanOrEqual(750);
  });

  test('continue where the connection broke, and the whole file is hashed', async () => {
    const file = large('a.jpg');
    const item = await add(placed(file, { breaksAfter: PART_BYTES + 500 }));
    expect(await fetchAll()).toEqual(['retried', 'received']);
    expect(ports.sourceReader.requests).toMatchObject([
      { from: null },
      { from: { offset: PART_BYTES + 500, validator: '"1"' } },
    ]);
    expect(await acme.item(item)).toMatchObject({ status: 'processing', sha256: file.sha256 });
    expect(await staged()).toHaveLength(1);
  });

  test('start again when the file has changed, and nothing of the old one remains', async () => {
    const [file, changed] = [large('a.jpg'), large('a.jpg')];
    changed.bytes.fill(7, PART_BYTES);
    const after = fileOf('a.jpg', changed.bytes);
    const item = await add(placed(file, { breaksAfter: PART_BYTES + 500 }));
    expect(await fetchOnce()).toBe('retried');
    placed(after, { validator: '"2"' });
    expect(await fetchAll()).toEqual(['received']);
    expect(await acme.item(item)).toMatchObject({ sha256: after.sha256, sizeBytes: after.sizeBytes });
    expect(await staged()).toHaveLength(1);
  });

  test('start again where a source cannot continue', async () => {
    const file = large('a.jpg');
    const item = await add(placed(file, { validator: null, breaksAfter: PART_BYTES + 500 }));
    expect(await fetchOnce()).toBe('retried');
    expect(await staged()).toEqual([]);
    placed(file, { validator: null });
    expect(await fetchAll()).toEqual(['received']);
    expect(ports.sourceReader.requests.map(({ from }) => from)).toEqual([null, null]);
    expect(await acme.item(item)).toMatchObject({ sha256: file.sha256 });
  });

  test('that were given up leave no bytes stored', async () => {
    const file = large('a.jpg');
    await add(placed(file, { breaksAfter: 1000 }));
    expect(await fetchAll()).toHaveLength(MAX_TRIES);
    await removeAbandonedUploads(ports);
    expect(await staged()).toEqual([]);
  });

  test('do not count when the fault is ours', async () => {
    const item = await add(placed(picture('a.jpg')));
    const down = { ...ports.sourceReader, open: () => Promise.reject(new DomainError('storage_full', 'Full.')) };
    const full = { ...ports, sourceReader: { ...down, problem: () => null } };
    for (let times = 0; times < 7; times += 1) {
      await expect(fetchOnce(full)).rejects.toMatchObject({ code: 'storage_full' });
      ports.clock.pass(60 * SECOND);
    }
    expect(fetchJobs()).toMatchObject([{ failures: 0 }]);
    expect(await fetchAll()).toEqual(['received']);
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
  });

  test('do not count when the service stops, and are due again at once', async () => {
    const file = large('a.jpg');
    const stopping = new AbortController();
    let chunks = 0;
    const pace = async () => {
      chunks += 1;
      if (chunks === 12) stopping.abort();
    };
    const item = await add(placed(file, { pace }));
    expect(await fetchOnce(ports, stopping.signal)).toBe('stopped');
    expect(fetchJobs()).toMatchObject([{ failures: 0, lease: null }]);
    expect(await fetchOnce()).toBe('received');
    expect(present(ports.sourceReader.requests[1]?.from).offset).toBeGreaterThanOrEqual(PART_BYTES);
    expect(await acme.item(item)).toMatchObject({ status: 'processing', sha256: file.sha256 });
  });

  test('of a process that died are made by another, which continues, and the first one changes nothing afterwards', async () => {
    const file = large('a.jpg');
    const [reached, hold] = [new Gate(), new Gate()];
    let chunks = 0;
    const pace = async () => {
      chunks += 1;
      if (chunks !== 12) return;
      reached.open();
      await hold.opened;
    };
    const item = await add(placed(file, { pace }));
    const first = fetchOnce();
    await reached.opened;
    ports.clock.pass(61 * SECOND);
    const elsewhere = withInProcess({ ...ports, uploads: new PlainUploadSlots() });
    placed(file);
    expect(await fetchOnce(elsewhere)).toBe('received');
    const before = await acme.item(item);
    hold.open();
    await first;
    expect(await acme.item(item)).toEqual(before);
    expect(before).toMatchObject({ status: 'processing', sha256: file.sha256 });
    expect(await staged()).toHaveLength(1);
  });
});

describe('a fetch ends', () => {
  test('when the item or the import is cancelled', async () => {
    const [one, two] = [await add(placed(picture('a.jpg'))), await add(placed(picture('b.jpg')))];
    expect(await acme.edit(one, { status: 'cancelled' })).toMatchObject({ status: 'cancelled' });
    expect(await fetchOnce()).toBe('received');
    await acme.finalize(importId, { action: 'discard' });
    expect(await fetchOnce()).toBe('received');
    expect(ports.sourceReader.requests).toEqual([]);
    expect(ports.database.sourceFetches.all()).toEqual([]);
    expect(await acme.item(two)).toMatchObject({ status: 'cancelled' });
  });

  test('even in the middle of a file, of which nothing remains', async () => {
    const file = large('a.jpg');
    const item = await add(placed(file, { pace: async () => cancelOnce() }));
    let isCancelled = false;
    const cancelOnce = async () => {
      if (!isCancelled) {
        isCancelled = true;
        await acme.edit(item, { status: 'cancelled' });
      }
    };
    await fetchAll();
    expect(await acme.item(item)).toMatchObject({ status: 'cancelled' });
    await removeAbandonedUploads(ports);
    ports.clock.pass(2 * DAY);
    await collectGarbage(ports, { graceSeconds: 3600 });
    expect(await staged()).toEqual([]);
  });

  test('when the key that registered it is deleted', async () => {
    const item = await add(placed(picture('a.jpg')));
    await deleteKey(ports, operatorFor(acme.id), acme.keyId);
    expect(await fetchAll()).toEqual(['failed']);
    expect(ports.sourceReader.requests).toEqual([]);
    const [{ status, error } = item] = ports.database.importPhotos.all();
    expect([status, error?.code]).toEqual(['failed', 'source_forbidden']);
  });

  test('while the account is suspended, and continues when it is resumed', async () => {
    await add(placed(picture('a.jpg')));
    await ports.store.change(acme.id, { status: 'suspended' });
    expect(await fetchOnce()).toBeNull();
    await ports.store.change(acme.id, { status: 'active' });
    expect(await fetchOnce()).toBe('received');
  });

  test('when the secret of the installation has changed', async () => {
    const item = await add(placed(picture('a.jpg')));
    const changed = { ...ports, secrets: ['another secret that is long enough, too'] as const };
    expect(await fetchAll(changed)).toEqual(['failed']);
    expect(await acme.item(item)).toMatchObject({ error: { code: 'source_unreachable' } });
  });
});

describe('the quota', () => {
  const bytes = pictureBytes({ width: 400, height: 300, exif: { Text: 'x'.repeat(900) } });
  const files = Array.from({ length: 50 }, (_, at) => {
    const own = new Uint8Array(bytes.length + 4);
    own.set(bytes);
    own.set([at], bytes.length);
    return fileOf(`${at}.jpg`, own);
  });
  const size = present(files[0]).sizeBytes;

  test.each([true, false])(
    'is not exceeded by 50 files at once whose sizes are not declared (stated: %s)',
    async (statesSize) => {
      const fits = 7;
      const storageBytes = statesSize ? size * fits : size * fits + 8 * 1024 ** 2;
      acme = await Account.open(ports, { storageBytes });
      importId = (await acme.start()).id;
      const gate = new Gate();
      const pace = () => gate.opened;
      await acme.items(importId, ...files.map((file) => placed(file, { statesSize, pace })));
      const tries: Promise<FetchOutcome | null>[] = [];
      for (let count = 0; count < files.length; count += 1) tries.push(fetchOnce());
      gate.open();
      await Promise.all(tries);
      await fetchAll();
      const { counts } = await acme.import(importId);
      const codes = new Set((await acme.list(importId)).flatMap(({ error }) => error?.code ?? []));
      expect([...codes]).toEqual(['quota_exceeded']);
      const stored = ports.database.importPhotos.where(({ status }) => status === 'processing');
      const total = stored.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
      expect(total).toBeLessThanOrEqual(storageBytes);
      expect(counts.processing).toBeGreaterThan(0);
      if (statesSize) expect(counts.processing).toBe(fits);
      // What failed reserves nothing.
      const use = await ports.store.query(acme.id, (reader) => reader.usage.quotaUse());
      expect(use).toEqual({ photos: counts.processing, storageBytes: total });
    },
  );

  test('of photos counts those that are being fetched', async () => {
    await ports.store.change(acme.id, { photosLimit: 1 });
    const { results } = await acme.register(importId, placed(present(files[0])), placed(present(files[1])));
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'rejected']);
  });

  test('counts a declared size from the registration on', async () => {
    await ports.store.change(acme.id, { storageBytesLimit: size });
    const declared = files.slice(0, 2).map((file) => ({ ...placed(file), sizeBytes: file.sizeBytes }));
    const { results } = await acme.register(importId, ...declared);
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'rejected']);
    expect(await fetchAll()).toEqual(['received']);
  });
});

describe('the fetcher', () => {
  const start = () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const pool = fetchPool(ports, (job, stopping) => fetchSource(ports, job, stopping), { onError });
    const running = runWorker(ports, [pool]);
    return { errors, running };
  };

  test('fetches waiting files and those that come later', async () => {
    await add(placed(picture('a.jpg')));
    const { running, errors } = start();
    await until(async () => (await acme.import(importId)).counts.processing === 1);
    await add(placed(picture('b.jpg')));
    await until(async () => (await acme.import(importId)).counts.processing === 2);
    await running.stop();
    expect(errors).toEqual([]);
  });

  test('does not let a slow source of one customer delay others, nor other hosts of the same customer', async () => {
    const gate = new Gate();
    const slow = Array.from({ length: 30 }, (_, at) =>
      placed(picture(`slow${at}.jpg`), { pace: () => gate.opened }, 'slow.example'),
    );
    await acme.items(importId, ...slow);
    await acme.items(importId, placed(picture('quick.jpg'), {}, 'quick.example'));
    const other = await Account.open(ports);
    const theirs = (await other.start()).id;
    await other.items(theirs, placed(picture('c.jpg'), {}, 'slow.example'));
    const { running } = start();
    await until(async () => (await other.import(theirs)).counts.processing === 1);
    await until(async () => (await acme.import(importId)).counts.processing === 1);
    expect(ports.sourceReader.openCount).toBe(FETCH_SLOTS.lane);
    gate.open();
    await until(async () => (await acme.import(importId)).counts.processing === 31);
    await running.stop();
    expect(ports.sourceReader.openCount).toBe(0);
  });

  test('stops in the middle of a file', async () => {
    const file = large('a.jpg');
    let isReading = false;
    const pace = async () => {
      isReading = true;
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await add(placed(file, { pace, chunkBytes: 1024 }));
    const { running, errors } = start();
    await until(() => isReading);
    await running.stop();
    expect(errors).toEqual([]);
    expect(fetchJobs()).toMatchObject([{ failures: 0, lease: null }]);
  });

  test('counts slots by customer, and by host of one', () => {
    const of = (customerId: number, host: string, count: number) =>
      Array.from({ length: count }, () => {
        return { customerId, work: { kind: 'fetch', importId: 1, itemId: 1, uploadId: 1, host } as const };
      });
    expect(busyIn(of(1, 'a', FETCH_SLOTS.lane - 1), FETCH_SLOTS)).toEqual({ customerIds: [], lanes: [] });
    const inProgress = [...of(1, 'a:8/b', FETCH_SLOTS.lane), ...of(2, 'a', 1), ...of(1, 'b', FETCH_SLOTS.lane)];
    const lanes = ['a:8/b', 'b'].map((lane) => ({ customerId: 1, lane }));
    expect(busyIn(inProgress, FETCH_SLOTS)).toEqual({ customerIds: [1], lanes });
  });
});
