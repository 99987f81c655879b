import { type BlobKey } from '../../src/core/blobs/blob-key.js';
import { VerifiedBlobs } from '../../src/core/blobs/verified-blobs.js';
import { runJob } from '../../src/worker/run-job.js';
import { claimJob } from '../support/claim.js';
import { Account, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';
import { FileTakingReader, StoreOfFiles } from '../support/store-of-files.js';
import { present } from '../support/tenant.js';

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
    here = world({ blobs, media });
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
    await runJob({ ...here, verifiedBlobs: new VerifiedBlobs() }, job);
    await here.jobs.complete(job);
    expect(media.files).toEqual([null]);
    expect(await outcome()).toMatchObject({ status: 'ready' });
  });
});
