import { deleteKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { originalKey, stagingKey } from '../../src/core/blobs/blob-key.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { expireImports } from '../../src/core/imports/expire.js';
import type { ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import { collectGarbage, GRACE_SECONDS } from '../../src/core/integrity/collect-garbage.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import { DAY, HOUR, SECOND } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { runJob } from '../../src/worker/pools.js';
import { brokenPictureBytes } from '../../testing/memory/memory-media-reader.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { claimJob } from '../support/claim.js';
import {
  Account,
  announced,
  blobsUnder,
  bytesOf,
  type ClientFile,
  expectSound,
  fileOf,
  note,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { present } from '../support/tenant.js';

/**
 * What can be lost or go wrong during an import, case by case. Elsewhere are: a child that an image kills (adapters/media-faults), the
 * failover of a database (adapters/typeorm-faults), malicious metadata (adapters/media-formats), concurrent requests (http/import-races).
 */

const LEASE = 300;
const away = new DomainError('service_unavailable', 'The store is away.');
let ports: World;
let acme: Account;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});
afterEach(() => expectSound(ports));

/** The import is finalized, worked off, and has these many items of each state. */
async function ends(importId: number, counts: object): Promise<void> {
  await acme.finalize(importId);
  await runJobsUntilIdle(ports);
  expect((await acme.import(importId)).counts).toMatchObject(counts);
}

/** The ports as a process sees them that dies at a transaction: `after` so many of them have gone through. */
function dying(after: number): World {
  const store = Object.create(ports.store) as World['store'];
  let transactions = 0;
  store.transaction = (customerId, work) => {
    transactions += 1;
    if (transactions > after) throw new Error('the process died');
    return ports.store.transaction(customerId, work);
  };
  return withInProcess({ ...ports, store });
}

describe('a crash or loss at', () => {
  test('after POST /imports committed, response lost: the same clientRef is the same import; without, it expires', async () => {
    const first = await acme.start({ clientRef: 'card 1' });
    expect((await acme.start({ clientRef: 'card 1' })).id).toBe(first.id);
    const { id } = await acme.start();
    ports.clock.pass(7 * DAY + SECOND);
    await expireImports(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'expired', counts: { total: 0 } });
  });

  test('during registration tx: nothing; retry', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const torn = withInProcess({ ...ports, store: Object.create(ports.store) as World['store'] });
    torn.store.transaction = (customerId, work) =>
      ports.store.transaction(customerId, async (transaction) => {
        await work(transaction);
        throw away;
      });
    const other = acme.on(torn);
    await expect(other.register(id, announced(file))).rejects.toBe(away);
    expect((await acme.import(id)).counts.total).toBe(0);
    await acme.send(id, [file]);
    await ends(id, { total: 1, imported: 1 });
  });

  test.each<[string, (file: ClientFile, at: number) => object]>([
    ['by clientRef', (_, at) => ({ clientRef: `ref ${at}` })],
    ['by sha256 and filename', () => ({})],
  ])('registration committed, response lost: the batch again, %s, is existing with fresh targets', async (_, said) => {
    const { id } = await acme.start();
    const files = [picture('a.jpg'), picture('b.jpg')];
    const batch = files.map((file, at) => announced(file, said(file, at)));
    const items = await acme.items(id, ...batch);
    ports.clock.pass(7 * HOUR);
    const { results } = await acme.register(id, ...batch);
    expect(results.map(({ outcome, photo }) => [outcome, photo?.id])).toEqual(
      items.map((item) => ['existing', item.id]),
    );
    for (const [at, { photo }] of results.entries()) {
      expect(photo?.upload?.url).not.toBe(items[at]?.upload?.url);
      await acme.upload(present(photo), present(files[at]).bytes);
    }
    await ends(id, { total: 2, imported: 2 });
  });

  test('client dies before/between uploads: reading the import gives fresh targets, and the rest can be sent', async () => {
    const { id } = await acme.start();
    const files = [picture('a.jpg'), picture('b.jpg'), picture('c.jpg')];
    const [first] = await acme.items(id, ...files.map((file) => announced(file)));
    await acme.upload(present(first), present(files[0]).bytes);
    ports.clock.pass(2 * DAY);
    const waiting = (await acme.list(id)).filter(({ status }) => status === 'awaiting_upload');
    expect(waiting.map(({ filename }) => filename)).toEqual(['b.jpg', 'c.jpg']);
    for (const item of waiting) {
      await acme.upload(item, present(files.find(({ filename }) => filename === item.filename)).bytes);
    }
    await ends(id, { total: 3, imported: 3 });
  });

  test('PUT interrupted: no object; the same target accepts the bytes again', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    await expect(acme.upload(present(item), file.bytes.subarray(0, 20))).rejects.toMatchObject({
      code: 'size_mismatch',
    });
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
    await acme.upload(present(item), file.bytes);
    await ends(id, { imported: 1 });
  });

  test('PUT ok, client dies: announced bytes are inspected, and finalize later finds those that were not announced', async () => {
    const { id } = await acme.start();
    const [told, silent] = [picture('told.jpg'), picture('silent.jpg')];
    const items = await acme.items(id, announced(told), announced(silent));
    await acme.upload(present(items[0]), told.bytes);
    await ports.blobs.put(stagingKey(present(items[1])), bytesOf(silent.bytes));
    await runJobsUntilIdle(ports);
    expect((await acme.list(id)).map(({ status }) => status)).toEqual(['ready', 'awaiting_upload']);
    await ends(id, { imported: 2 });
  });

  test('PUT ok, client dies, and never returns: the import expires, and the bytes are swept', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    ports.clock.pass(7 * DAY + SECOND);
    await expireImports(ports);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'expired', counts: { cancelled: 1 } });
    ports.clock.pass(GRACE_SECONDS * SECOND);
    await collectGarbage(ports, { graceSeconds: GRACE_SECONDS });
    expect(await blobsUnder(ports.blobs, 'staging/', 'originals/', 'renditions/')).toEqual([]);
  });

  test.each<[string, (item: { id: number; importId: number }, file: ClientFile) => Promise<unknown>]>([
    ['GET with include=photos', async (item) => acme.item(item)],
    ['registering again', async (item, file) => (await acme.items(item.importId, announced(file)))[0]],
    ['PATCH awaiting_upload', async (item) => acme.edit(item, { status: 'awaiting_upload' })],
  ])('upload URL expired (6 h): %s gives one that works', async (_, fresh) => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    ports.clock.pass(6 * HOUR + SECOND);
    await expect(acme.upload(present(item), file.bytes)).rejects.toMatchObject({ code: 'upload_forbidden' });
    await acme.upload((await fresh(present(item), file)) as never, file.bytes);
    await ends(id, { imported: 1 });
  });

  test('API instance dies in finalize before commit: still open; retry finalize', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    const dead = acme.on(dying(0));
    await expect(dead.finalize(id)).rejects.toThrow('the process died');
    expect((await acme.import(id)).status).toBe('open');
    await ends(id, { imported: 1 });
  });

  test('after finalize commit, response lost: a retry answers the same import, and its end', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    const first = await acme.finalize(id);
    expect(await acme.finalize(id)).toEqual(first);
    await runJobsUntilIdle(ports);
    const ended = await acme.finalize(id);
    expect(ended).toMatchObject({ id, status: 'completed', finalizedAt: first.finalizedAt });
    expect(await acme.photos()).toHaveLength(1);
  });

  test('worker dies while verifying: the lease ends, another repeats', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    expect(present(await claimJob(ports.jobs, LEASE)).attempt).toBe(1);
    expect(await claimJob(ports.jobs, LEASE)).toBeNull();
    ports.clock.pass(LEASE * SECOND);
    const again = present(await claimJob(ports.jobs, LEASE));
    expect(again.attempt).toBe(2);
    await runJob(ports, again);
    await ports.jobs.complete(again);
    await ends(id, { imported: 1 });
  });

  test('worker dies after copying final object, before DB commit: the repeat writes the same key', async () => {
    const { id } = await acme.start();
    const [sent] = await acme.send(id, [picture('a.jpg')]);
    const job = present(await claimJob(ports.jobs, LEASE));
    await expect(runJob(dying(0), job)).rejects.toThrow('the process died');
    const item = present(ports.database.importPhotos.get(present(sent).id));
    const copied = await blobsUnder(ports.blobs, 'originals/');
    expect(copied).toEqual([`${originalKey(item)} ${item.sizeBytes}`]);
    ports.clock.pass(LEASE * SECOND);
    await ends(id, { imported: 1 });
    expect(await blobsUnder(ports.blobs, 'originals/')).toEqual(copied);
  });

  test('worker dies after copying final object, and the item is cancelled: the orphan is swept after a day', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')]);
    await expect(runJob(dying(0), present(await claimJob(ports.jobs, LEASE)))).rejects.toThrow('the process died');
    await acme.edit(present(item), { status: 'cancelled' });
    ports.clock.pass(LEASE * SECOND);
    await runJobsUntilIdle(ports);
    await collectGarbage(ports, { graceSeconds: GRACE_SECONDS });
    expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(1);
    ports.clock.pass(GRACE_SECONDS * SECOND);
    await collectGarbage(ports, { graceSeconds: GRACE_SECONDS });
    expect(await blobsUnder(ports.blobs, 'staging/', 'originals/', 'renditions/')).toEqual([]);
  });

  test('worker dies while publishing: what is left is published on resume; a photo is never half visible', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg'), picture('b.jpg'), picture('c.jpg')], { tagNames: ['shoot'] });
    await runJobsUntilIdle(ports);
    await acme.finalize(id);
    // Before any photo is there; then when all are, and the import has not ended.
    for (const [transactions, published] of [
      [0, 0],
      [1, 3],
    ] as const) {
      await expect(runJob(dying(transactions), present(await claimJob(ports.jobs, LEASE)))).rejects.toThrow(
        'the process died',
      );
      const photos = await acme.photos();
      expect(photos).toHaveLength(published);
      for (const photo of photos) expect(photo.tags.map(({ name }) => name)).toEqual(['shoot']);
      expect((await acme.tags())[0]?.photoCount).toBe(published);
      expect((await acme.import(id)).counts).toMatchObject({ imported: published, ready: 3 - published });
      ports.clock.pass(LEASE * SECOND);
    }
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 3 } });
  });

  test('store down: uploads fail at the client, finalize is refused where listing fails, and the import stays open', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    const { put, list } = ports.blobs;
    ports.blobs.put = () => Promise.reject(away);
    ports.blobs.list = () => {
      throw away;
    };
    await expect(acme.upload(present(item), file.bytes)).rejects.toBe(away);
    await expect(acme.finalize(id)).rejects.toBe(away);
    expect(await acme.import(id)).toMatchObject({ status: 'open', counts: { awaitingUpload: 1 } });
    Object.assign(ports.blobs, { put, list });
    await acme.upload(present(item), file.bytes);
    await ends(id, { imported: 1 });
  });

  test('key deleted mid-import: its targets stop, what arrived is processed, and another key continues', async () => {
    const { id } = await acme.start();
    const [here, late] = [picture('here.jpg'), picture('late.jpg')];
    const [first, second] = await acme.items(id, announced(here), announced(late));
    await acme.upload(present(first), here.bytes);
    await deleteKey(ports, operatorFor(acme.id), acme.keyId);
    await expect(acme.upload(present(second), late.bytes)).rejects.toMatchObject({ code: 'upload_forbidden' });
    await runJobsUntilIdle(ports);
    const other = await Account.open(ports, { customerId: acme.id });
    expect(await other.item(present(first))).toMatchObject({ status: 'ready' });
    await other.upload(await other.item(present(second)), late.bytes);
    await other.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await other.import(id)).toMatchObject({ status: 'completed', counts: { imported: 2 } });
  });
});

describe('bad input', () => {
  const rows: readonly (readonly [string, () => ClientFile, ImportPhotoStatus, string | null])[] = [
    ['wrong extension', () => picture('a.pdf'), 'ready', null],
    ['not an image', () => note('a.jpg'), 'failed', 'not_an_image'],
    [
      'image type we do not accept',
      () => picture('a.jpg', { contentType: 'image/jp2' }),
      'failed',
      'unsupported_format',
    ],
    ['HEIC without its codec', () => picture('a.jpg', { contentType: 'image/heic' }), 'failed', 'unsupported_format'],
    ['corrupt, decodes with errors tolerated', () => picture('a.jpg', { damaged: true }), 'ready', null],
    ['corrupt', () => fileOf('a.jpg', brokenPictureBytes()), 'failed', 'decode_failed'],
    ['0 bytes', () => fileOf('a.jpg', new Uint8Array()), 'failed', 'file_empty'],
    [
      'too large',
      () => fileOf('a.jpg', Buffer.concat([picture('a').bytes, Buffer.alloc(5000, ' ')])),
      'failed',
      'file_too_large',
    ],
    ['over the pixel limit', () => picture('a.jpg', { width: 50_000, height: 4201 }), 'failed', 'too_many_pixels'],
    ['a side > 65,500 px', () => picture('a.jpg', { width: 2, height: 65_501 }), 'failed', 'too_many_pixels'],
  ];
  const bounds = { maxFileBytes: 4000 };

  /** Items, or rejected: what a client reads. */
  const told = (status: string | undefined, code: string | undefined) => [status ?? 'failed', code ?? null];

  test.each(rows)('%s, in the request itself', async (_, make, status, code) => {
    ports = world({ limits: bounds });
    acme = await Account.open(ports);
    const { id } = await acme.start();
    const [result] = await acme.inline(id, [make(), picture('sound.jpg')]).then(({ results }) => results);
    await runJobsUntilIdle(ports);
    const item = result?.photo ? await acme.item(result.photo) : null;
    expect(told(item?.status, item?.error?.code ?? result?.error?.code)).toEqual([status, code]);
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
    // What the first bytes show is told at once, and is no item.
    const atOnce = ['not_an_image', 'unsupported_format', 'file_empty', 'file_too_large'];
    expect(result?.outcome).toBe(atOnce.includes(code ?? '') ? 'rejected' : 'created');
    await ends(id, { imported: status === 'ready' ? 2 : 1 });
    const [photo] = await acme.photos();
    expect(photo?.damaged).toBe(_.includes('tolerated'));
  });

  test.each(rows)('%s, through a target', async (_, make, status, code) => {
    ports = world({ limits: bounds });
    acme = await Account.open(ports);
    const { id } = await acme.start();
    const file = make();
    const { results } = await acme.register(id, announced(file), announced(picture('other.jpg')));
    const [item] = results.map(({ photo }) => photo);
    if (item) {
      await acme.upload(item, file.bytes);
      await runJobsUntilIdle(ports);
      const seen = await acme.item(item);
      expect(told(seen.status, seen.error?.code)).toEqual([status, code]);
    } else expect(results[0]).toMatchObject({ outcome: 'rejected', error: { code } });
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
    expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(status === 'ready' ? 1 : 0);
  });

  test('too large, for a limit that was lowered after the bytes came: the item says so', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')]);
    const lowered = { ...ports, limits: { ...ports.limits, maxFileBytes: 10 } };
    const job = present(await claimJob(ports.jobs, LEASE));
    await runJob(lowered, job);
    await ports.jobs.complete(job);
    expect(await acme.item(present(item))).toMatchObject({ status: 'failed', error: { code: 'file_too_large' } });
    expect(await blobsUnder(ports.blobs, 'staging/', 'originals/')).toEqual([]);
  });

  test.each([
    ['declared size ≠ actual', 'size_mismatch', (file: ClientFile) => file.bytes.subarray(1)],
    [
      'checksum mismatch',
      'checksum_mismatch',
      (file: ClientFile) => file.bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
    ],
  ])('%s: the store refuses, the item still waits, and accepts the right bytes', async (_, code, spoil) => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    await expect(acme.upload(present(item), spoil(file))).rejects.toMatchObject({ code });
    expect(await acme.item(present(item))).toMatchObject({ status: 'awaiting_upload', error: null });
    await acme.upload(present(item), file.bytes);
    await ends(id, { imported: 1 });
  });

  test('checksum mismatch, found by the worker: the same clientRef with the new hash is a new attempt', async () => {
    const { id } = await acme.start();
    const [old, changed] = [picture('a.jpg'), picture('a.jpg')];
    const [item] = await acme.items(id, announced(old, { clientRef: 'a', sizeBytes: changed.sizeBytes }));
    await ports.blobs.put(stagingKey(present(item)), bytesOf(changed.bytes));
    await acme.edit(present(item), { status: 'uploaded' });
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'failed', error: { code: 'checksum_mismatch' } });
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
    const { results } = await acme.register(id, announced(changed, { clientRef: 'a' }));
    expect(results).toMatchObject([{ outcome: 'existing', photo: { id: item?.id, status: 'awaiting_upload' } }]);
    expect(results[0]?.photo?.uploadId).not.toBe(item?.uploadId);
    await acme.upload(present(results[0]?.photo), changed.bytes);
    await ends(id, { imported: 1 });
  });

  test('no sha256 declared: the server computes, and finds the duplicate after the upload', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    const { id } = await acme.start();
    const [item] = await acme.items(id, announced(file, { sha256: null }));
    expect(item).toMatchObject({ status: 'awaiting_upload', sha256: null });
    await acme.upload(present(item), file.bytes);
    await ends(id, { duplicate: 1 });
    expect(await acme.item(present(item))).toMatchObject({ photoId: photo.id, sha256: file.sha256 });
  });

  test('overwriting staging after verification: harmless', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.send(id, [file]);
    const key = stagingKey(present(ports.database.importPhotos.get(present(item).id)));
    await runJobsUntilIdle(ports);
    await ports.blobs.put(key, bytesOf(picture('other.jpg').bytes));
    await ends(id, { imported: 1 });
    expect(await acme.original(present(item).id)).toEqual(Buffer.from(file.bytes));
  });

  test('overwriting staging while it is verified: inspected again, and never other bytes under the hash', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.send(id, [file]);
    const key = stagingKey(present(ports.database.importPhotos.get(present(item).id)));
    const media = Object.create(ports.media) as World['media'];
    media.inspect = async (bytes, bound) => {
      const inspection = await ports.media.inspect(bytes, bound);
      await ports.blobs.put(key, bytesOf(picture('other.jpg').bytes));
      return inspection;
    };
    const job = present(await claimJob(ports.jobs, LEASE));
    await expect(runJob(withInProcess({ ...ports, media }), job)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(await blobsUnder(ports.blobs, 'originals/')).toEqual([]);
    await ports.jobs.postpone(job, 'changed', 0);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({
      status: 'failed',
      error: { code: expect.stringMatching(/_mismatch$/) },
    });
  });

  test.each(['cancelled', 'expired'] as const)(
    'uploads for %s items: refused, and bytes that are there already are swept',
    async (how) => {
      const { id } = await acme.start();
      const file = picture('a.jpg');
      const [item] = await acme.items(id, announced(file));
      const key = stagingKey(present(ports.database.importPhotos.get(present(item).id)));
      ports.clock.pass(how === 'expired' ? 7 * DAY + SECOND : 0);
      if (how === 'expired') await expireImports(ports);
      else await acme.edit(present(item), { status: 'cancelled' });
      // A direct target's bytes come without asking anyone.
      await ports.blobs.put(key, bytesOf(file.bytes));
      const code = how === 'expired' ? 'upload_forbidden' : 'import_photo_final';
      await expect(acme.upload(present(item), file.bytes)).rejects.toMatchObject({ code });
      expect(await blobsUnder(ports.blobs, 'staging/')).toHaveLength(1);
      ports.clock.pass(GRACE_SECONDS * SECOND);
      await collectGarbage(ports, { graceSeconds: GRACE_SECONDS });
      expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
      expect(await acme.item(present(item))).toMatchObject({ status: 'cancelled' });
    },
  );

  test('quota would be exceeded: per item, and what is reserved is free again when the item ends', async () => {
    const file = picture('a.jpg');
    const customer = { name: 'Small', storageBytesLimit: Math.floor(file.sizeBytes * 1.5), photosLimit: null };
    const small = await Account.open(ports, { customerId: (await createCustomer(ports, commandLine, customer)).id });
    const { id } = await small.start();
    const [a, b] = [announced(file, { clientRef: 'a' }), announced(picture('b.jpg'), { clientRef: 'b' })];
    const { results } = await small.register(id, a, b);
    expect(results.map(({ outcome, error }) => error?.code ?? outcome)).toEqual(['created', 'quota_exceeded']);
    await small.edit(present(results[0]?.photo), { status: 'cancelled' });
    expect((await small.register(id, b)).results).toMatchObject([{ outcome: 'created' }]);
  });

  test('client_ref_conflict: other bytes under a clientRef that is taken are rejected; its item is unchanged', async () => {
    const { id } = await acme.start();
    const [item] = await acme.items(id, announced(picture('a.jpg'), { clientRef: 'a' }));
    const { results } = await acme.register(
      id,
      announced(picture('b.jpg'), { clientRef: 'a' }),
      announced(picture('c.jpg')),
    );
    expect(results).toMatchObject([
      { outcome: 'rejected', error: { code: 'client_ref_conflict' } },
      { outcome: 'created' },
    ]);
    expect(await acme.item(present(item))).toMatchObject({ sha256: item?.sha256, status: 'awaiting_upload' });
  });
});

describe('a conflict at different moments', () => {
  test('finalize vs in-flight PUT: missing is refused with reject; with fail the late bytes are refused, and swept', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    await expect(acme.finalize(id)).rejects.toMatchObject({ code: 'uploads_incomplete', details: { missing: 1 } });
    expect((await acme.import(id)).status).toBe('open');
    const key = stagingKey(present(ports.database.importPhotos.get(present(item).id)));
    await acme.finalize(id, { missingUploads: 'fail' });
    await expect(acme.upload(present(item), file.bytes)).rejects.toMatchObject({ code: 'import_photo_final' });
    await ports.blobs.put(key, bytesOf(file.bytes));
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'failed', error: { code: 'upload_missing' } });
    ports.clock.pass(GRACE_SECONDS * SECOND);
    await collectGarbage(ports, { graceSeconds: GRACE_SECONDS });
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
  });

  test('same SHA-256 twice in one import: one upload; the second gets its photo', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [first, second] = await acme.items(id, announced(file), announced(file, { filename: 'b.jpg' }));
    expect(second).toMatchObject({ status: 'duplicate', photoId: null, upload: null });
    await acme.upload(present(first), file.bytes);
    await ends(id, { imported: 1, duplicate: 1 });
    expect(await acme.item(present(second))).toMatchObject({ photoId: first?.id });
  });

  test.each(['fails', 'is cancelled'])(
    'same SHA-256 twice, the first %s: duplicate_of_failed, and the second can be registered again',
    async (how) => {
      const { id } = await acme.start();
      const file = how === 'fails' ? note('a.jpg') : picture('a.jpg');
      const [first, second] = await acme.items(
        id,
        announced(file, { clientRef: '1' }),
        announced(file, { clientRef: '2' }),
      );
      if (how === 'fails') await acme.upload(present(first), file.bytes);
      else await acme.edit(present(first), { status: 'cancelled' });
      await runJobsUntilIdle(ports);
      expect(await acme.item(present(second))).toMatchObject({
        status: 'failed',
        error: { code: 'duplicate_of_failed' },
      });
      const [again] = await acme.items(id, announced(file, { clientRef: '2' }));
      expect(again).toMatchObject({ id: second?.id, status: 'awaiting_upload', error: null });
    },
  );

  test('existing photo deleted between registration and publish: restored', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    const { id } = await acme.start();
    const [item] = await acme.items(id, announced(file));
    await acme.finalize(id);
    await trashPhoto(ports, acme.caller, photo.id);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'duplicate', photoId: photo.id, restored: true });
    expect((await acme.photo(photo.id)).trashedAt).toBeNull();
  });

  test('existing photo permanently deleted anyway: duplicate_source_gone; importing again uploads it', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    const first = await acme.start();
    const [item] = await acme.items(first.id, announced(file));
    await purgePhoto(ports, acme.caller, photo.id);
    ports.database.imports.delete(photo.importId ?? 0);
    await ends(first.id, { failed: 1 });
    expect(await acme.item(present(item))).toMatchObject({ error: { code: 'duplicate_source_gone' } });
    const { items } = await acme.bring([file]);
    expect(items).toMatchObject([{ status: 'imported' }]);
  });
});
