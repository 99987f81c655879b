import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { stagingKey } from '../../src/core/blobs/blob-key.js';
import type { ItemDetails } from '../../src/core/imports/read.js';
import { pollDirectUploads } from '../../src/core/imports/receive/direct.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import { DAY, HOUR, MINUTE } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { runJob } from '../../src/worker/pools.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryDirectUploads } from '../../testing/memory/blobs/memory-direct-uploads.js';
import { claimJob } from '../support/claim.js';
import {
  Account,
  announced,
  blobsUnder,
  type ClientFile,
  expectSound,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { present } from '../support/tenant.js';

/** A world whose blob store clients reach by themselves. */
interface DirectWorld extends World {
  readonly directUploads: MemoryDirectUploads;
}

/** As `blobs`, but `list` fails while `isDown`. */
class FailingLists extends MemoryBlobStore {
  isDown = false;

  override list(prefix: string) {
    if (this.isDown) throw new DomainError('service_unavailable', 'The store is down.');
    return super.list(prefix);
  }
}

let ports: DirectWorld;
let blobs: FailingLists;
let acme: Account;

beforeEach(async () => {
  blobs = new FailingLists({ now: () => made.clock.now() });
  const made = world({ blobs });
  ports = { ...made, directUploads: new MemoryDirectUploads(blobs, made.clock) };
  acme = await Account.open(ports);
});

/** Sends bytes where the item says, as a client does. */
function send({ upload }: ItemDetails, bytes: Uint8Array): Promise<boolean> {
  const { url, headers } = present(upload);
  return ports.directUploads.put(url, headers, bytes);
}

async function registered(...files: readonly ClientFile[]): Promise<{ importId: number; items: ItemDetails[] }> {
  const { id } = await acme.start();
  return { importId: id, items: await acme.items(id, ...files.map((file) => announced(file))) };
}

const statuses = async (importId: number) => (await acme.list(importId)).map(({ status }) => status);

describe('direct upload targets', () => {
  test('lead to the store, with the headers to send, for as long as other targets', async () => {
    const file = picture('a.jpg');
    const { items } = await registered(file);
    expect(items[0]?.upload).toEqual({
      url: expect.stringMatching(/^https:\/\/store\.invalid\//),
      headers: { 'content-length': String(file.sizeBytes), 'x-sha256': file.sha256 },
      isResumable: false,
      expiresAt: new Date(ports.clock.now().getTime() + 6 * HOUR),
    });
    expect(await send(present(items[0]), file.bytes)).toBe(true);
  });

  test('lead to this service for a key with an IP list, so that the list protects the bytes too', async () => {
    const guarded = await Account.open(ports, { ipList: ['203.0.113.0/24'] });
    const { id } = await guarded.start();
    const file = picture('a.jpg');
    const [item] = await guarded.items(id, announced(file));
    expect(item?.upload?.url).toMatch(/^https:\/\/photos.example.com\/uploads\//);
    expect((await guarded.list(id))[0]?.upload?.url).toMatch(/^https:\/\/photos.example.com\/uploads\//);
    await guarded.upload(present(item), file.bytes);
    expect((await guarded.item(present(item))).status).toBe('processing');
  });

  test('are fresh wherever a waiting item is shown, and nowhere else', async () => {
    const [a, b] = [picture('a.jpg'), picture('b.jpg')];
    const { importId, items } = await registered(a, b);
    await send(present(items[0]), a.bytes);
    await acme.edit(present(items[0]), { status: 'uploaded' });
    const [first, second] = await acme.list(importId);
    expect(first?.upload).toBeNull();
    expect(await send(present(second), b.bytes)).toBe(true);
    const again = await acme.register(importId, announced(b));
    expect(again.results[0]).toMatchObject({ outcome: 'existing', photo: { upload: { url: expect.any(String) } } });
    expect(await acme.edit(present(items[1]), { title: 'B' })).toMatchObject({ upload: { url: expect.any(String) } });
  });
});

describe('bytes that a client sent directly to the store', () => {
  test('are noticed without an announcement, and become photos byte for byte', async () => {
    const files = Array.from({ length: 205 }, (_, n) => picture(`${n}.jpg`));
    const { id } = await acme.start();
    const items = await acme.items(id, ...files.map((file) => announced(file)));
    for (const [n, file] of files.entries()) if (n !== 7) expect(await send(present(items[n]), file.bytes)).toBe(true);
    await pollDirectUploads(ports, 10 * MINUTE);
    const { counts } = await acme.import(id);
    expect(counts).toMatchObject({ total: 205, awaitingUpload: 1, processing: 204 });
    expect(await send(present(items[7]), present(files[7]).bytes)).toBe(true);
    await acme.finalize(id);
    while ((await acme.import(id)).status === 'processing') await workOnce();
    expect((await acme.import(id)).counts).toMatchObject({ imported: 205 });
    expect(Buffer.from(await acme.original(present(items[7]).id)).equals(present(files[7]).bytes)).toBe(true);
    expect(await blobsUnder(blobs, 'staging/')).toEqual([]);
  });

  test('are inspected like any others, and fail if they do not have the declared hash', async () => {
    const [file, other] = [picture('a.jpg'), picture('a.jpg')];
    const { importId, items } = await registered(file);
    // A store that compares nothing.
    await blobs.put(stagingKey(present(items[0])), inOneChunk(other.bytes));
    await pollDirectUploads(ports, 10 * MINUTE);
    await runJobsUntilIdle(ports);
    const [item] = await acme.list(importId);
    expect(item).toMatchObject({ status: 'failed' });
    expect(['size_mismatch', 'checksum_mismatch']).toContain(item?.error?.code);
    expect(await blobsUnder(blobs, 'staging/', 'originals/', 'renditions/')).toEqual([]);
  });

  test('count as use of the import', async () => {
    const file = picture('a.jpg');
    const { importId, items } = await registered(file);
    ports.clock.pass(5 * MINUTE);
    await send(present(items[0]), file.bytes);
    await pollDirectUploads(ports, 10 * MINUTE);
    const { expiresAt } = await acme.import(importId);
    expect(expiresAt).toEqual(new Date(ports.clock.now().getTime() + 7 * DAY));
  });

  test('are looked for less often in imports that are idle, and never in imports that have ended', async () => {
    const file = picture('a.jpg');
    const { importId, items } = await registered(file);
    const ended = await registered(picture('b.jpg'));
    await acme.finalize(ended.importId, { action: 'discard' });
    ports.clock.pass(10 * MINUTE);
    await send(present(items[0]), file.bytes);
    await pollDirectUploads(ports, 10 * MINUTE);
    expect(await statuses(importId)).toEqual(['awaiting_upload']);
    await pollDirectUploads(ports, HOUR);
    expect(await statuses(importId)).toEqual(['processing']);
    expect(await statuses(ended.importId)).toEqual(['cancelled']);
  });

  test('are noticed when the import is finalized, which bytes in transit keep open until they are abandoned', async () => {
    const [a, b] = [picture('a.jpg'), picture('b.jpg')];
    const { importId, items } = await registered(a, b);
    await send(present(items[0]), a.bytes);
    await expect(acme.finalize(importId)).rejects.toMatchObject({
      code: 'uploads_incomplete',
      details: { missing: 1, sample: [present(items[1]).id] },
    });
    expect(await acme.import(importId)).toMatchObject({ status: 'open', counts: { processing: 1 } });
    await acme.finalize(importId, { missingUploads: 'fail' });
    expect(await send(present(items[1]), b.bytes)).toBe(true);
    await runJobsUntilIdle(ports);
    expect((await acme.import(importId)).counts).toMatchObject({ imported: 1, failed: 1 });
    await collectGarbage(ports, { graceSeconds: 0 });
    expect(await blobsUnder(blobs, 'staging/')).toEqual([]);
    await expectSound(ports);
  });

  test('are not missed while the store is down: finalizing is refused, and the import stays open', async () => {
    const file = picture('a.jpg');
    const { importId, items } = await registered(file);
    await send(present(items[0]), file.bytes);
    blobs.isDown = true;
    const fails = { missingUploads: 'fail' } as const;
    await expect(acme.finalize(importId, fails)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(pollDirectUploads(ports, 10 * MINUTE)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await acme.import(importId)).toMatchObject({ status: 'open', counts: { awaitingUpload: 1 } });
    blobs.isDown = false;
    await acme.finalize(importId, fails);
    await runJobsUntilIdle(ports);
    expect((await acme.import(importId)).counts).toMatchObject({ imported: 1 });
  });
});

test('the worker looks for direct uploads every 15 seconds in active imports, less often in idle ones', () => {
  const looks = upkeep(ports, []).filter(({ name }) => name.startsWith('notice uploads'));
  expect(looks.map(({ everySeconds }) => everySeconds)).toEqual([15, 60, 300]);
  expect(upkeep({ ...ports, directUploads: null }, []).some(({ name }) => name.startsWith('notice uploads'))).toBe(
    false,
  );
});

async function workOnce(): Promise<void> {
  const job = present(await claimJob(ports.jobs, 300));
  await runJob(ports, job);
  await ports.jobs.complete(job);
}
