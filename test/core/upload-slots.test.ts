import type { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { Account, announced, blobsUnder, fileOf, note, picture, type World, world } from '../support/core-world.js';
import { Gate, present } from '../support/tenant.js';
import { until } from '../support/until.js';

let ports: World;
let acme: Account;
beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

const staged = () => blobsUnder(ports.blobs, 'staging/');
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

/** A file of an import of its own, of which only some bytes come until the gate is opened. */
function halfSent(gate: Gate) {
  const file = picture('a.jpg');
  async function* bytes(): AsyncIterable<Uint8Array> {
    yield file.bytes.subarray(0, 10);
    await gate.opened;
    yield file.bytes.subarray(10);
  }
  return { file, bytes };
}

describe('uploads that are received at once', () => {
  test('to one item end except for the newest, and nothing of the older ones stays', async () => {
    const gate = new Gate();
    const { file, bytes } = halfSent(gate);
    const [item] = await acme.items((await acme.start()).id, announced(file));
    const older = Array.from({ length: 3 }, () => code(acme.uploadStream(present(item), bytes())));
    await acme.upload(present(item), file.bytes);
    expect(await Promise.all(older)).toEqual(Array(3).fill('upload_in_progress'));
    expect(await acme.item(present(item))).toMatchObject({ status: 'processing' });
    expect(await staged()).toHaveLength(1);
    gate.open();
    expect(ports.uploads.pendingBytes).toBe(0);
  });

  test('to one item are not ended by one whose sender has gone', async () => {
    const gate = new Gate();
    const { file, bytes } = halfSent(gate);
    const item = present((await acme.items((await acme.start()).id, announced(file)))[0]);
    const alive = code(acme.uploadStream(item, bytes()));
    await until(() => ports.uploads.pendingBytes > 0);
    expect(await code(acme.uploadStream(item, bytes(), { isGone: () => true }))).toBe('request_timeout');
    gate.open();
    expect(await alive).toBe('done');
  });

  test('in requests of their own must fit into the quota together', async () => {
    const limited = world({ limits: { inlineMaxBytes: 1000 } });
    const small = await Account.open(limited, { storageBytes: 1500 });
    const { id } = await small.start();
    const other = limited.uploads.take({ customerId: small.id, apiKeyId: null, itemId: null, remaining: () => 900 });
    expect(await code(small.inline(id, [note('a.txt')]))).toBe('rate_limited');
    other.close();
    expect(await code(small.inline(id, [picture('a.jpg')]))).toBe('done');
  });
});

describe('a disk that is nearly full', () => {
  const disk = (freeBytes: number, totalBytes = 100_000) => {
    (ports.blobs as MemoryBlobStore).disk = { freeBytes, totalBytes };
  };
  const file = fileOf('a.jpg', new Uint8Array(1000));

  test('accepts no upload that would leave less than 5 % of it free', async () => {
    const [item] = await acme.items((await acme.start()).id, announced(file));
    disk(5999);
    expect(await code(acme.upload(present(item), file.bytes))).toBe('storage_full');
    expect(await staged()).toEqual([]);
    disk(6000);
    expect(await code(acme.upload(present(item), file.bytes))).toBe('done');
  });

  test('counts uploads that are in progress', async () => {
    const [item] = await acme.items((await acme.start()).id, announced(file));
    disk(6500);
    ports.uploads.take({ customerId: 99, apiKeyId: null, itemId: 99, remaining: () => 501 });
    expect(await code(acme.upload(present(item), file.bytes))).toBe('storage_full');
  });

  test('accepts no files in a request, while other requests work', async () => {
    const photo = await acme.addPhoto(picture('old.jpg'));
    const { id } = await acme.start();
    disk(10);
    expect(await code(acme.inline(id, [picture('b.jpg')]))).toBe('storage_full');
    expect((await acme.original(photo.id)).length).toBe(photo.sizeBytes);
    expect((await acme.start()).status).toBe('open');
  });

  test('accepts uploads down to the free space that the operator has set', async () => {
    const [item] = await acme.items((await acme.start()).id, announced(file));
    (ports.blobs as MemoryBlobStore).disk = { freeBytes: 1099, totalBytes: 100_000, minFreeBytes: 100 };
    expect(await code(acme.upload(present(item), file.bytes))).toBe('storage_full');
    (ports.blobs as MemoryBlobStore).disk = { freeBytes: 1100, totalBytes: 100_000, minFreeBytes: 100 };
    expect(await code(acme.upload(present(item), file.bytes))).toBe('done');
  });

  test('needs no more than a GiB of free space, however large it is', async () => {
    const [item] = await acme.items((await acme.start()).id, announced(file));
    disk(1024 ** 3 + 1000, 1e15);
    expect(await code(acme.upload(present(item), file.bytes))).toBe('done');
  });
});
