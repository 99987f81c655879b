import { commandLine } from '../../src/core/audit/audit-entry.js';
import type { BlobKey } from '../../src/core/blobs/blob-key.js';
import { closeCustomer } from '../../src/core/customers/edit-customer.js';
import { removeAbandonedUploads } from '../../src/core/imports/expire.js';
import { type ItemDetails } from '../../src/core/imports/read.js';
import { PartReader } from '../../src/core/imports/receive/part-reader.js';
import { continueUpload, readUploadProgress } from '../../src/core/imports/receive/resumable.js';
import { MAX_PARTS } from '../../src/core/imports/receive/resumable-upload.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import type { Ports } from '../../src/core/ports.js';
import { HOUR, SECOND } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { PlainUploadSlots } from '../../testing/memory/imports/memory-uploads.js';
import { withInProcess } from '../../testing/memory-ports.js';
import {
  Account,
  announced,
  blobsUnder,
  bytesOf,
  type ClientFile,
  collected,
  everything,
  expectSound,
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
let file: ClientFile;
let item: ItemDetails;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
  importId = (await acme.start()).id;
  file = picture('a.jpg');
  item = present((await acme.items(importId, announced(file)))[0]);
});

const cut = new Error('connection reset');

async function* breaking(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
  throw cut;
}

const addressed = (of: ItemDetails) => ({
  token: present(of.upload?.url.split('/uploads/')[1]),
  address: '203.0.113.9',
});

function send(offset: number, bytes: AsyncIterable<Uint8Array> | Uint8Array, of = item, through: Ports = ports) {
  const stream = bytes instanceof Uint8Array ? bytesOf(bytes) : bytes;
  return continueUpload(through, { ...addressed(of), offset, bytes: stream, declaredBytes: null });
}

/** Brings these bytes of the file; then the connection breaks. */
async function sendPart(start: number, end: number, through: Ports = ports): Promise<void> {
  await expect(send(start, breaking(file.bytes.subarray(start, end)), item, through)).rejects.toBe(cut);
}

const offset = async (of = item, through: Ports = ports) => (await readUploadProgress(through, addressed(of))).offset;
const staged = () => blobsUnder(ports.blobs, 'staging/');
const size = () => file.sizeBytes;
/** Another process of the same installation. */
const elsewhere = () => withInProcess({ ...ports, uploads: new PlainUploadSlots() });

describe('an upload in several requests', () => {
  test('continues where the one before was interrupted, and the last byte completes the item', async () => {
    expect(await offset()).toBe(0);
    await sendPart(0, 10);
    expect(await offset()).toBe(10);
    expect(await acme.item(item)).toMatchObject({ status: 'awaiting_upload' });
    expect(await send(10, file.bytes.subarray(10, 20))).toMatchObject({ offset: 20, sizeBytes: size() });
    expect(await send(20, file.bytes.subarray(20))).toMatchObject({ offset: size() });
    expect(await acme.item(item)).toMatchObject({ status: 'processing', sha256: file.sha256, upload: null });
    expect(await staged()).toHaveLength(1);
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'ready' });
    await acme.finalize(importId);
    await runJobsUntilIdle(ports);
    expect(await acme.original(item.id)).toEqual(file.bytes);
    expect(ports.database.resumableUploads.all()).toEqual([]);
    await expectSound(ports);
  });

  test('can be one request', async () => {
    expect(await send(0, file.bytes)).toMatchObject({ offset: size() });
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
    expect(await staged()).toHaveLength(1);
  });

  test('is complete when the connection breaks after the last byte', async () => {
    expect(await send(0, breaking(file.bytes))).toMatchObject({ offset: size() });
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
  });

  test('continues at a fresh target of the item that was made for another person', async () => {
    await sendPart(0, 10);
    const other = await Account.open(ports, { customerId: acme.id });
    const fresh = await other.item(item);
    expect(fresh.upload?.url).not.toBe(item.upload?.url);
    expect(await offset(fresh)).toBe(10);
    await send(10, file.bytes.subarray(10), fresh);
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
  });

  test('reports that all bytes are there once they are, and accepts no more', async () => {
    await send(0, file.bytes);
    await runJobsUntilIdle(ports);
    expect(await offset()).toBe(size());
    expect(await send(size(), new Uint8Array(0))).toMatchObject({ offset: size() });
    await expect(send(0, file.bytes)).rejects.toMatchObject({
      code: 'upload_offset_mismatch',
      details: { offset: size() },
    });
  });

  test('adds nothing to a cancelled item', async () => {
    await sendPart(0, 10);
    await acme.edit(item, { status: 'cancelled' });
    await expect(offset()).rejects.toMatchObject({ code: 'import_photo_final' });
    await expect(send(10, file.bytes.subarray(10))).rejects.toMatchObject({ code: 'import_photo_final' });
    await removeAbandonedUploads(ports);
    expect(await staged()).toEqual([]);
  });

  test.each([0, 9, 11])('begins nowhere but at the end of the stored bytes, so not at %i', async (start) => {
    await sendPart(0, 10);
    const before = await everything(ports);
    await expect(send(start, file.bytes.subarray(start))).rejects.toMatchObject({
      code: 'upload_offset_mismatch',
      details: { offset: 10 },
    });
    expect(await everything(ports)).toEqual(before);
  });

  test('accepts no byte more than declared', async () => {
    const announcedAs = (declaredBytes: number | null) =>
      continueUpload(ports, {
        ...addressed(item),
        offset: 0,
        declaredBytes,
        bytes: bytesOf(file.bytes, new Uint8Array(1)),
      });
    await expect(announcedAs(size() + 1)).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(announcedAs(null)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(await acme.item(item)).toMatchObject({ status: 'awaiting_upload' });
    expect(await offset()).toBe(0);
    expect(await staged()).toEqual([]);
  });

  test('of other bytes than declared starts again', async () => {
    const wrong = file.bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte));
    await send(0, wrong.subarray(0, 10));
    await expect(send(10, wrong.subarray(10))).rejects.toMatchObject({ code: 'checksum_mismatch' });
    expect(await offset()).toBe(0);
    expect(await staged()).toEqual([]);
    await send(0, file.bytes);
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
  });

  test('ends when a whole upload of the same item comes first', async () => {
    await sendPart(0, 10);
    await acme.upload(item, file.bytes);
    expect(await offset()).toBe(size());
    await removeAbandonedUploads(ports);
    expect(await staged()).toHaveLength(1);
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'ready' });
  });

  test('of an item that gets another file starts again', async () => {
    await sendPart(0, 10);
    const other = picture('b.jpg');
    const edited = await acme.edit(item, { sizeBytes: other.sizeBytes, sha256: other.sha256 });
    expect(await offset(edited)).toBe(0);
    await send(0, other.bytes, edited);
    expect(await acme.item(item)).toMatchObject({ status: 'processing', sha256: other.sha256 });
    await collectGarbage(ports, { graceSeconds: 0 });
    expect(await staged()).toHaveLength(1);
  });

  test('is forbidden wherever an upload is', async () => {
    await sendPart(0, 10);
    ports.clock.pass(6 * HOUR);
    await expect(offset()).rejects.toMatchObject({ code: 'upload_forbidden' });
    await expect(send(10, file.bytes.subarray(10))).rejects.toMatchObject({ code: 'upload_forbidden' });
    const fresh = await acme.item(item);
    expect(await offset(fresh)).toBe(10);
    await closeCustomer(ports, commandLine, acme.id);
    await expect(offset(fresh)).rejects.toMatchObject({ code: 'upload_forbidden' });
  });

  test(`becomes one part again when connections broke ${MAX_PARTS} times`, async () => {
    file = note('long.jpg', 'x'.repeat(MAX_PARTS + 10));
    item = present((await acme.items(importId, announced(file)))[0]);
    for (let at = 0; at < MAX_PARTS; at += 1) await sendPart(at, at + 1);
    expect(await staged()).toHaveLength(MAX_PARTS);
    await sendPart(MAX_PARTS, MAX_PARTS + 1);
    expect(await staged()).toHaveLength(2);
    expect(await offset()).toBe(MAX_PARTS + 1);
    await send(MAX_PARTS + 1, file.bytes.subarray(MAX_PARTS + 1));
    expect(await acme.item(item)).toMatchObject({ status: 'processing', sha256: file.sha256 });
  });
});

describe('the received bytes of an unfinished upload', () => {
  test('belong to the upload, also for the garbage collection', async () => {
    await sendPart(0, 10);
    await collectGarbage(ports, { graceSeconds: 0 });
    await expectSound(ports);
    expect(await offset()).toBe(10);
    await send(10, file.bytes.subarray(10));
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
  });

  test('are stored for 24 hours after the last byte', async () => {
    await sendPart(0, 10);
    ports.clock.pass(23 * HOUR);
    await removeAbandonedUploads(ports);
    item = await acme.item(item);
    await sendPart(10, 20);
    ports.clock.pass(24 * HOUR - SECOND);
    await removeAbandonedUploads(ports);
    item = await acme.item(item);
    expect(await offset()).toBe(20);
    ports.clock.pass(SECOND);
    expect(await offset()).toBe(0);
    await removeAbandonedUploads(ports);
    expect(ports.database.resumableUploads.all()).toEqual([]);
    expect(await staged()).toEqual([]);
  });

  test('are kept when the upload starts again between the query for abandoned ones and their removal', async () => {
    await sendPart(0, 10);
    ports.clock.pass(24 * HOUR);
    item = await acme.item(item);
    const store: World['store'] = Object.create(ports.store);
    store.query = async (customerId, look) => {
      const seen = await ports.store.query(customerId, look);
      await sendPart(0, 20);
      return seen;
    };
    await removeAbandonedUploads({ ...ports, store });
    expect(await offset()).toBe(20);
  });

  test('are requested again if the store has lost them', async () => {
    await sendPart(0, 10);
    await ports.blobs.delete((await staged()).map((each) => each.split(' ')[0] as BlobKey));
    await expect(send(10, file.bytes.subarray(10))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await offset()).toBe(0);
    expect(await staged()).toEqual([]);
  });

  test('count against the disk while they arrive', async () => {
    const gate = new Gate();
    async function* slow() {
      yield file.bytes.subarray(0, 10);
      await gate.opened;
    }
    const sending = send(0, slow());
    await until(() => ports.uploads.pendingBytes === size() - 10);
    gate.open();
    await sending;
    expect(ports.uploads.pendingBytes).toBe(0);
  });
});

describe('two senders of one upload', () => {
  /** Sends some bytes, and then nothing until the gate is opened. */
  function stuck(gate: Gate) {
    return (async function* () {
      yield file.bytes.subarray(0, 10);
      await gate.opened;
      yield file.bytes.subarray(10, 15);
    })();
  }

  test('in one process: one that asks for the offset gets the bytes that the other has sent', async () => {
    const gate = new Gate();
    const first = send(0, stuck(gate));
    first.catch(() => undefined);
    await until(() => ports.uploads.pendingBytes === size() - 10);
    expect(await offset()).toBe(10);
    await expect(first).rejects.toMatchObject({ code: 'upload_in_progress' });
    await send(10, file.bytes.subarray(10));
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
    gate.open();
  });

  test.each([
    ['one process', () => ports],
    ['two processes', elsewhere],
  ])('in %s: bytes that are sent while others arrive are refused, and these go on', async (_, second) => {
    const gate = new Gate();
    const first = send(0, stuck(gate));
    await until(() => ports.database.resumableUploads.get(item.id)?.parts.length === 1);
    for (const at of [0, 10]) {
      await expect(send(at, file.bytes.subarray(at), item, second())).rejects.toMatchObject({
        code: 'upload_in_progress',
      });
    }
    gate.open();
    expect(await first).toMatchObject({ offset: 15 });
    expect(await offset()).toBe(15);
  });

  test('in two processes: the newest continues, and the older one adds nothing', async () => {
    const gate = new Gate();
    const first = send(0, stuck(gate));
    first.catch(() => undefined);
    await until(() => ports.database.resumableUploads.get(item.id)?.parts.length === 1);
    const other = elsewhere();
    expect(await offset(item, other)).toBe(10);
    await sendPart(10, 20, other);
    gate.open();
    await expect(first).rejects.toMatchObject({ code: 'upload_in_progress' });
    expect(await offset(item, other)).toBe(20);
    await send(20, file.bytes.subarray(20), item, other);
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'ready', sha256: file.sha256 });
  });

  test('of the last bytes: the item gets them once', async () => {
    await sendPart(0, 10);
    const both = await Promise.allSettled(
      [ports, elsewhere()].map((each) => send(10, file.bytes.subarray(10), item, each)),
    );
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const each of both) {
      if (each.status === 'fulfilled') continue;
      expect(['upload_in_progress', 'upload_offset_mismatch']).toContain((each.reason as DomainError).code);
    }
    expect(await offset()).toBe(size());
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'ready' });
    await removeAbandonedUploads(ports);
    expect(await staged()).toEqual([]);
  });
});

describe('a process that dies at any step of an upload', () => {
  class Crash extends Error {}

  /** The same installation; after so many steps nothing has an effect any more. */
  function dying(steps: number): { process: Ports; made: () => number } {
    let made = 0;
    const counted = <T extends object>(port: T, methods: readonly (keyof T & string)[]): T => {
      const broken = Object.create(port) as T;
      for (const method of methods) {
        const act = (port[method] as (...given: unknown[]) => Promise<unknown>).bind(port);
        Object.assign(broken, {
          [method]: async (...given: unknown[]) => {
            made += 1;
            if (made > steps) throw new Crash();
            return act(...given);
          },
        });
      }
      return broken;
    };
    const blobs = counted(ports.blobs, ['put', 'get', 'head', 'delete']);
    const store = counted(ports.store, ['transaction', 'query']);
    return { process: withInProcess({ ...ports, blobs, store, uploads: new PlainUploadSlots() }), made: () => made };
  }

  test('leaves an upload that can continue, and nothing else', async () => {
    let steps = 0;
    for (let isDone = false; !isDone; steps += 1) {
      file = picture(`${steps}.jpg`);
      item = present((await acme.items(importId, announced(file)))[0]);
      await sendPart(0, 10);
      const { process, made } = dying(steps);
      await send(10, breaking(file.bytes.subarray(10, 20)), item, process).catch(() => undefined);
      const middle = await offset();
      expect([10, 20]).toContain(middle);
      await send(middle, file.bytes.subarray(middle), item, process).catch(() => undefined);
      isDone = made() < steps;
      const reached = await offset();
      expect([middle, size()]).toContain(reached);
      if (reached < size()) await send(reached, file.bytes.subarray(reached));
      expect(await acme.item(item)).toMatchObject({ status: 'processing', sha256: file.sha256 });
    }
    expect(steps).toBeGreaterThan(10);
    await runJobsUntilIdle(ports);
    await removeAbandonedUploads(ports);
    await collectGarbage(ports, { graceSeconds: 0 });
    expect(await staged()).toEqual([]);
    await expectSound(ports);
  });
});

describe('the bytes of a sender', () => {
  const reader = (bytes: AsyncIterable<Uint8Array>) => new PartReader(bytes, ports.clock);

  test('are cut into parts of at most the given number of bytes', async () => {
    const bytes = Uint8Array.from({ length: 25 }, (_, at) => at);
    const cutting = reader(bytesOf(bytes.subarray(0, 7), new Uint8Array(0), bytes.subarray(7)));
    const parts: Uint8Array[] = [];
    while (await cutting.hasMore()) parts.push(await collected(cutting.part(10)));
    expect(parts.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes));
    expect([cutting.isDone, cutting.failure]).toEqual([true, null]);
  });

  test('end with the failure, after the bytes that arrived', async () => {
    const cutting = reader(breaking(new Uint8Array(3)));
    expect(await cutting.hasMore()).toBe(true);
    expect(await collected(cutting.part(10))).toHaveLength(3);
    expect(await cutting.hasMore()).toBe(false);
    expect(cutting.failure).toEqual({ error: cut });
  });

  test('that pause end the part, and later bytes begin the next', async () => {
    const gate = new Gate();
    const cutting = reader(
      (async function* () {
        yield new Uint8Array([1]);
        await gate.opened;
        yield new Uint8Array([2, 3]);
      })(),
    );
    expect(await cutting.hasMore()).toBe(true);
    expect(await collected(cutting.part(10))).toEqual(Buffer.from([1]));
    gate.open();
    expect(await cutting.hasMore()).toBe(true);
    expect(await collected(cutting.part(10))).toEqual(Buffer.from([2, 3]));
    expect(await cutting.hasMore()).toBe(false);
  });
});
