import { CachedVerifiedBlobs, TrustedBlobs } from '../../src/adapters/decorators/cached-verified-blobs.js';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { ByteRange } from '../../src/core/blobs/blob-store.js';
import { downloadOriginal, openOriginal } from '../../src/core/photos/original.js';
import { makeRendition } from '../../src/core/photos/renditions/make.js';
import { fixedRendition } from '../../src/core/photos/renditions/rendition.js';
import { MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { runJob } from '../../src/worker/pools.js';
import { claimJob } from '../support/claim.js';
import { Account, collected, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';
import { asInProduction } from '../support/in-process.js';
import { FileTakingReader, StoreOfFiles } from '../support/store-of-files.js';
import { present } from '../support/tenant.js';

const refused = { code: 'service_unavailable' };

describe('docs/reliability.md F14: an original that is a file', () => {
  const file = picture('a.jpg');
  const size = file.bytes.length;
  let blobs: StoreOfFiles;
  let media: FileTakingReader;
  let here: World;
  let acme: Account;
  let key: BlobKey;
  let id: number;
  let isSampled: boolean;
  let uses: World;

  beforeEach(async () => {
    blobs = new StoreOfFiles();
    media = new FileTakingReader();
    here = asInProduction(world({ blobs, media }));
    acme = await Account.open(here);
    const photo = await acme.addPhoto(file);
    await runJobsUntilIdle(here);
    [key, id] = [storedKey(photo.blobKey), photo.id];
    blobs.bytesRead = 0;
    isSampled = false;
    media.files.splice(0);
    const verifiedBlobs = new CachedVerifiedBlobs(blobs, here.clock, () => (isSampled ? 0 : 0.5));
    uses = { ...here, verifiedBlobs };
  });

  const download = async (range?: ByteRange) => {
    const { open } = await downloadOriginal(uses, acme.caller, id);
    return Buffer.from(await collected((await open(range)).bytes));
  };
  const readOnce = async () => {
    const photo = present(await here.store.query(acme.id, ({ photos }) => photos.get(id)));
    return Buffer.from(await collected((await openOriginal(uses, photo, { isOnce: true })).bytes));
  };
  const touch = (changedAt = new Date(0)) => {
    blobs.touched.set(key, { fingerprint: `touched ${changedAt.getTime()} ${blobs.touched.size}`, changedAt });
  };

  test('is not given when it is wrong at its first read, nor a range of it', async () => {
    blobs.rotten.add(key);
    await expect(download()).rejects.toMatchObject(refused);
    await expect(download({ start: 0, end: 0 })).rejects.toMatchObject(refused);
    expect(await download().catch(({ code }) => code)).toBe('service_unavailable');
  });

  test('is hashed again after anything has written to it', async () => {
    expect(await download()).toEqual(Buffer.from(file.bytes));
    blobs.rotten.add(key);
    touch();
    await expect(download()).rejects.toMatchObject(refused);
    await expect(download({ start: 2, end: 4 })).rejects.toMatchObject(refused);
    blobs.rotten.delete(key);
    expect(await download({ start: 2, end: 4 })).toEqual(Buffer.from(file.bytes.subarray(2, 5)));
    expect(await download()).toEqual(Buffer.from(file.bytes));
  });

  test('is hashed again at random: what changes without a trace is found in time', async () => {
    await download();
    blobs.rotten.add(key);
    expect(await readOnce()).not.toEqual(Buffer.from(file.bytes));
    isSampled = true;
    await expect(readOnce()).rejects.toMatchObject(refused);
  });

  test('is hashed when it is read for memory, and is served from there afterwards', async () => {
    await download();
    blobs.rotten.add(key);
    await expect(download()).rejects.toMatchObject(refused);
    blobs.rotten.delete(key);
    await download();
    blobs.rotten.add(key);
    blobs.bytesRead = 0;
    expect(await download()).toEqual(Buffer.from(file.bytes));
    expect(blobs.bytesRead).toBe(0);
  });

  test('is not trusted after a read within two seconds of a write, which clocks of files may not tell apart', async () => {
    touch(here.clock.now());
    here.clock.pass(SECOND);
    await download();
    blobs.rotten.add(key);
    await expect(download()).rejects.toMatchObject(refused);
    blobs.rotten.delete(key);
    here.clock.pass(MINUTE);
    await download();
    blobs.rotten.add(key);
    expect(await download()).toHaveLength(size);
  });

  test('is read whole before a range of it is given for the first time, and then no more than the range', async () => {
    expect(await download({ start: 1, end: 2 })).toHaveLength(2);
    expect(blobs.bytesRead).toBe(size + 2);
    isSampled = true;
    expect(await download({ start: 5, end: 5 })).toHaveLength(1);
    expect(blobs.bytesRead).toBe(size + 3);
  });

  test('is given to decoders as a file once it was verified, and read and hashed for them before', async () => {
    const photo = present(await here.store.query(acme.id, ({ photos }) => photos.get(id)));
    const make = (name: 'large' | 'medium') =>
      makeRendition(uses, photo, { ...fixedRendition(photo, name, 'webp'), source: null });
    await make('large');
    await make('medium');
    expect(media.files).toEqual([null, `/files/${key}`]);
    blobs.rotten.add(key);
    touch();
    await blobs.delete([fixedRendition(photo, 'large', 'webp').key]);
    await expect(make('large')).rejects.toMatchObject(refused);
    expect(media.files).toEqual([null, `/files/${key}`, null]);
  });
});

describe('verified blobs', () => {
  const [a, b] = [storedKey('originals/1/a'), storedKey('originals/1/b')];
  const state = (fingerprint: string) => ({ fingerprint, changedAt: new Date(0) });

  test('are known by their key and state', () => {
    const verified = new TrustedBlobs(() => 0.5);
    verified.add(a, state('1'), new Date());
    expect(verified.has(a, state('1'))).toBe(true);
    expect(verified.has(a, state('2'))).toBe(false);
    expect(verified.has(b, state('1'))).toBe(false);
    expect(verified.has(a, undefined)).toBe(false);
    verified.add(b, undefined, new Date());
    expect(verified.has(b, undefined)).toBe(false);
  });

  test('are hashed again once in 64 reads', () => {
    let at = 0;
    const verified = new TrustedBlobs(() => (at++ % 6400) / 6400);
    verified.add(a, state('1'), new Date());
    const hashed = Array.from({ length: 6400 }, () => verified.has(a, state('1'))).filter((trusted) => !trusted);
    expect(hashed).toHaveLength(100);
  });

  test('make place for others, and are then hashed again: many more are never mistaken for verified', () => {
    const verified = new TrustedBlobs(() => 0.5);
    const keys = Array.from({ length: 2000 }, (_, at) => storedKey(`originals/1/${at}`));
    for (const key of keys) verified.add(key, state('1'), new Date());
    const trusted = keys.filter((key) => verified.has(key, state('1')));
    expect(trusted.length).toBeGreaterThan(1900);
    expect(keys.some((key) => verified.has(key, state('2')))).toBe(false);
  });
});

describe('bytes of an import that are stored as a file', () => {
  const file = picture('a.jpg');
  let blobs: StoreOfFiles;
  let media: FileTakingReader;
  let here: World;
  let acme: Account;
  let importId: number;
  let key: BlobKey;

  beforeEach(async () => {
    blobs = new StoreOfFiles();
    media = new FileTakingReader();
    here = asInProduction(world({ blobs, media }));
    acme = await Account.open(here);
    importId = (await acme.start()).id;
  });

  const note = async () => {
    for await (const blob of blobs.list('staging/')) key = blob.key;
  };
  const outcome = async () => present((await acme.list(importId))[0]);

  test.each([
    ['uploaded', () => acme.send(importId, [file])],
    ['sent inline', () => acme.inline(importId, [file])],
  ])('are decoded as that file when they were %s, without being hashed again', async (_, send) => {
    await send();
    await note();
    await runJobsUntilIdle(here);
    expect(media.files).toEqual([`/files/${key}`]);
    expect(await outcome()).toMatchObject({ status: 'ready', sizeBytes: file.bytes.length });
  });

  test('are hashed again after anything has written to the file, and refused if they differ', async () => {
    await acme.send(importId, [file]);
    await note();
    blobs.rotten.add(key);
    blobs.touched.set(key, { fingerprint: 'touched', changedAt: new Date(0) });
    await runJobsUntilIdle(here);
    expect(media.files).toEqual([null]);
    expect(await outcome()).toMatchObject({ status: 'failed', error: { code: 'checksum_mismatch' } });
  });

  test('are hashed again by another process than the one that received them', async () => {
    await acme.send(importId, [file]);
    const job = present(await claimJob(here.jobs, 60));
    await runJob({ ...here, verifiedBlobs: new CachedVerifiedBlobs(blobs, here.clock) }, job);
    await here.jobs.complete(job);
    expect(media.files).toEqual([null]);
    expect(await outcome()).toMatchObject({ status: 'ready' });
  });
});
