import { backUpBlobs, EncryptedBlobFiles, PlainBlobFiles } from '../../src/core/backup/back-up-blobs.js';
import { type BackedUpBlob, type MissedBlob, type NeededBlob } from '../../src/core/backup/blob-backup.js';
import { checkBlobs, foreignBlob, removeMissed, restoreBlobs } from '../../src/core/backup/restore-blobs.js';
import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { type BlobKey, originalKey, stagingKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import { purgePhoto } from '../../src/core/photos/trash.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import {
  Account,
  bytesOf,
  type ClientFile,
  collected,
  expectSound,
  note,
  picture,
  runJobsTwice,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { present } from '../support/tenant.js';

async function* each<T>(...values: readonly T[]): AsyncIterable<T> {
  yield* values;
}

/** Keeps these blobs; answers what became of each. */
async function keep(ports: World, to: BlobStore, ...needed: readonly NeededBlob[]) {
  const [backedUp, missed, copied]: [BackedUpBlob[], MissedBlob[], BlobKey[]] = [[], [], []];
  const onKept = async (blob: BackedUpBlob, isNew: boolean) => {
    backedUp.push(blob);
    if (isNew) copied.push(blob.key);
  };
  const onMissed = async (blob: MissedBlob) => {
    missed.push(blob);
  };
  const files = new PlainBlobFiles(to);
  await backUpBlobs(
    ports,
    { from: ports.blobs, to: files, parallel: 3, onBackedUp: onKept, onMissed },
    each(...needed),
  );
  return { kept: backedUp, missed, copied };
}

async function photoOf(ports: World, account: Account, file: ClientFile): Promise<NeededBlob> {
  const { id, customerId } = await account.addPhoto(file);
  const { blobKey, sha256 } = present(ports.database.photos.get(id));
  return { customerId, id, importId: null, key: storedKey(blobKey), sha256, later: null };
}

describe('a backup of the blobs of a snapshot', () => {
  it('copies the new blobs, and reads none of the others again', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const [a, b] = [picture('a.jpg'), picture('b.jpg')];
    const first = await photoOf(ports, account, a);
    const pool = new MemoryBlobStore(ports.clock);
    expect(await keep(ports, pool, first)).toMatchObject({ copied: [first.key], missed: [] });
    const second = await photoOf(ports, account, b);
    const { kept: backedUp, copied } = await keep(ports, pool, first, second);
    expect(copied).toEqual([second.key]);
    expect(backedUp.map(({ sha256 }) => sha256).sort()).toEqual([a.sha256, b.sha256].sort());
    expect(await collected(present(await pool.get(second.key)).bytes)).toEqual(Buffer.from(b.bytes));
  });

  it('tells deleted blobs from lost and damaged ones, and stores no wrong bytes', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const [deleted, lost, damaged] = [
      await photoOf(ports, account, picture('deleted.jpg')),
      await photoOf(ports, account, picture('lost.jpg')),
      await photoOf(ports, account, picture('damaged.jpg')),
    ];
    await purgePhoto(ports, account.caller, deleted.id, async () => undefined);
    await ports.blobs.delete([deleted.key, lost.key]);
    await ports.blobs.put(damaged.key, inOneChunk(new TextEncoder().encode('other bytes')));
    const pool = new MemoryBlobStore(ports.clock);
    const { kept: backedUp, missed } = await keep(ports, pool, deleted, lost, damaged);
    expect(backedUp).toEqual([]);
    expect(missed.map(({ id, why }) => [id, why]).sort()).toEqual(
      [
        [deleted.id, 'deleted'],
        [lost.id, 'lost'],
        [damaged.id, 'damaged'],
      ].sort(),
    );
    expect(await pool.head(damaged.key)).toBeNull();
  });

  /** As a snapshot has an item that is being inspected now. */
  function itemOf(ports: World, { id }: { readonly id: number }): NeededBlob {
    const item = present(ports.database.importPhotos.get(id));
    const { customerId, importId } = item;
    return { customerId, importId, id, key: stagingKey(item), sha256: null, later: originalKey(item) };
  }

  it('finds the bytes of an item at the key to which they moved after the snapshot', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const file = picture('moving.jpg');
    const subject = await account.start();
    const [sent] = await account.send(subject.id, [file]);
    const needed = itemOf(ports, present(sent));
    await runJobsTwice(ports);
    expect(await ports.blobs.head(needed.key)).toBeNull();
    const pool = new MemoryBlobStore(ports.clock);
    const { kept: backedUp } = await keep(ports, pool, needed);
    expect(backedUp).toEqual([{ key: needed.key, sizeBytes: file.sizeBytes, sha256: file.sha256 }]);
    await ports.blobs.delete([present(needed.later)]);
    expect((await keep(ports, new MemoryBlobStore(ports.clock), needed)).missed).toMatchObject([{ why: 'lost' }]);
  });

  it('includes the bytes of an item that failed after the snapshot and was uploaded again', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const file = note('no picture.jpg');
    const subject = await account.start();
    const [sent] = await account.send(subject.id, [file]);
    const needed = itemOf(ports, present(sent));
    await runJobsTwice(ports);
    const [again] = await account.send(subject.id, [file]);
    expect(itemOf(ports, present(again))).toMatchObject({ id: needed.id, key: expect.not.stringMatching(needed.key) });
    const { missed } = await keep(ports, new MemoryBlobStore(ports.clock), needed);
    expect(missed).toMatchObject([{ id: needed.id, why: 'deleted' }]);
    expect((await keep(ports, new MemoryBlobStore(ports.clock), itemOf(ports, present(again)))).missed).toEqual([]);
  });
});

describe('encrypted files of a backup', () => {
  /** Stands for encryption: other bytes, of another length. */
  const encrypt = async function* (bytes: AsyncIterable<Uint8Array>) {
    yield Uint8Array.of(1);
    for await (const chunk of bytes) yield chunk.map((byte) => byte ^ 255);
  };
  const decrypt = async function* (bytes: AsyncIterable<Uint8Array>) {
    const all = await collected(bytes);
    yield new Uint8Array(all.subarray(1)).map((byte) => byte ^ 255);
  };

  it('are reused only if a list names them with their size, and are never replaced', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const blob = await photoOf(ports, account, picture('a.jpg'));
    const store = new MemoryBlobStore(ports.clock);
    const none = new Map<BlobKey, BackedUpBlob>();
    const content = async () => present(await ports.blobs.get(blob.key)).bytes;
    const first = await new EncryptedBlobFiles(store, none, encrypt, 'one').add(blob.key, await content());
    expect(first).toMatchObject({ key: blob.key, file: `${blob.key}.one.age` });
    const known = new EncryptedBlobFiles(store, new Map([[blob.key, first]]), encrypt, 'two');
    expect(await known.find(blob)).toEqual(first);
    const unknown = new EncryptedBlobFiles(store, none, encrypt, 'two');
    expect(await unknown.find(blob)).toBeNull();
    expect((await unknown.add(blob.key, await content())).file).toBe(`${blob.key}.two.age`);
    expect(await known.find(blob)).toEqual(first);
    await store.put(present(first.file), bytesOf(new Uint8Array(3)));
    expect(await known.find(blob)).toBeNull();
  });

  it('are restored decrypted, and nothing of an altered one is stored', async () => {
    const { clock } = world();
    const [from, to] = [new MemoryBlobStore(clock), new MemoryBlobStore(clock)];
    const files = new EncryptedBlobFiles(from, new Map(), encrypt, 'one');
    const [good, bad] = [picture('good.jpg'), picture('bad.jpg')];
    const [right, altered] = [storedKey('originals/1/good'), storedKey('originals/1/bad')];
    const blobs = [await files.add(right, bytesOf(good.bytes)), await files.add(altered, bytesOf(bad.bytes))];
    await from.put(present(blobs[1]?.file), bytesOf(bad.bytes));
    const [done, wrong]: [number[], BlobKey[]] = [[], []];
    const onDone = (sizeBytes: number) => void done.push(sizeBytes);
    const onWrong = ({ key }: BackedUpBlob) => void wrong.push(key);
    await restoreBlobs({ from, to, parallel: 2, decrypt, onDone, onWrong }, each(...blobs));
    expect([done, wrong]).toEqual([[good.sizeBytes], [altered]]);
    expect(await collected(present(await to.get(right)).bytes)).toEqual(Buffer.from(good.bytes));
    expect(await to.head(altered)).toBeNull();
  });
});

describe('a restore of blobs', () => {
  it('restores what the backup has, a second time if necessary, and reports what is wrong in it', async () => {
    const { clock } = world();
    const [from, to] = [new MemoryBlobStore(clock), new MemoryBlobStore(clock)];
    const good = picture('good.jpg');
    const keys = ['good', 'changed', 'gone'].map((name) => storedKey(`originals/1/${name}`));
    const [right, changed, gone] = [present(keys[0]), present(keys[1]), present(keys[2])];
    await from.put(right, bytesOf(good.bytes));
    await from.put(changed, bytesOf(picture('other.jpg').bytes));
    const blobs = [right, changed, gone].map((key) => ({ key, sizeBytes: good.sizeBytes, sha256: good.sha256 }));
    for (const round of [1, 2]) {
      const [done, wrong]: [number[], [BlobKey, string][]] = [[], []];
      const onDone = (sizeBytes: number) => void done.push(sizeBytes);
      const onWrong = ({ key }: BackedUpBlob, why: string) => void wrong.push([key, why]);
      const expected = [
        [changed, 'altered'],
        [gone, 'missing'],
      ];
      await checkBlobs({ from, parallel: 2, onWrong }, each(...blobs));
      expect([round, wrong.sort()]).toEqual([round, expected]);
      wrong.length = 0;
      await restoreBlobs({ from, to, parallel: 2, decrypt: null, onDone, onWrong }, each(...blobs));
      expect([round, done, wrong.sort()]).toEqual([round, [good.sizeBytes], expected]);
      expect(await foreignBlob(to, () => each(...blobs))).toBeNull();
    }
    expect(await to.head(changed)).toBeNull();
    const stranger = storedKey('originals/2/stranger');
    await to.put(stranger, bytesOf(good.bytes));
    expect(await foreignBlob(to, () => each(...blobs))).toBe(stranger);
  });

  it('leaves out rows whose bytes were deleted meanwhile, and keeps those whose bytes were lost, for people to see', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const [deleted, lost] = [
      await photoOf(ports, account, picture('d.jpg')),
      await photoOf(ports, account, picture('l.jpg')),
    ];
    const open = await account.start();
    const [item] = await account.send(open.id, [picture('item.jpg')]);
    const { customerId, id } = present(ports.database.importPhotos.get(present(item).id));
    const unfinished = { customerId, id, importId: open.id, key: deleted.key, why: 'deleted' } as const;
    const missed: MissedBlob[] = [{ ...deleted, why: 'deleted' }, { ...lost, why: 'lost' }, unfinished];
    for (const _ of [1, 2]) expect(await removeMissed(ports, each(...missed))).toBe(2);
    expect((await account.photos()).map((photo) => photo.id)).toEqual([lost.id]);
    expect(await account.item(present(item))).toMatchObject({ status: 'failed', error: { code: 'upload_missing' } });
    await expectSound(ports, [deleted.id]);
  });

  it('publishes an import that has nothing else to wait for than an item whose bytes were deleted meanwhile', async () => {
    const ports = world();
    const account = await Account.open(ports);
    const { id: importId } = await account.start();
    const [item] = await account.send(importId, [picture('item.jpg')]);
    await account.finalize(importId);
    const { customerId, id, blobName } = present(ports.database.importPhotos.get(present(item).id));
    ports.database.jobs.deleteWhere(() => true);
    const key = originalKey({ customerId, blobName });
    await removeMissed(ports, each({ customerId, id, importId, key, why: 'deleted' }));
    await runJobsUntilIdle(ports);
    expect(await account.import(importId)).toMatchObject({ status: 'completed_with_errors', counts: { failed: 1 } });
  });
});
