/* @slow */

import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import type { Ports } from '../../src/core/ports.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { runJob } from '../../src/worker/pools.js';
import { claimJob } from '../support/claim.js';
import {
  Account,
  announced,
  blobsUnder,
  type ClientFile,
  fileOf,
  picture,
  runJobsTwice,
  world,
} from '../support/core-world.js';
import { asInProduction } from '../support/in-process.js';
import { present } from '../support/tenant.js';
import { type PostgresPorts, postgresPorts } from './support/postgres-ports.js';

/** Concurrent requests on Postgres: each ends in one of the documented ways, and never in a deadlock. */

let postgres: PostgresPorts;
let ports: Ports;
let acme: Account;

beforeAll(async () => {
  postgres = await postgresPorts();
});
afterAll(() => postgres.close());
beforeEach(async () => {
  ports = asInProduction({ ...world(), ...postgres.ports }, postgres.leases);
  acme = await Account.open(ports);
});
/** Every job is done twice, and leaves what it left the first time (docs/reliability.md F21). */
const work = () => runJobsTwice(ports, postgres.rows);

/** Two workers that take what is due, until nothing is. */
async function twoWorkers(): Promise<void> {
  const one = async () => {
    for (let job = await claimJob(ports.jobs, 300); job !== null; job = await claimJob(ports.jobs, 300)) {
      await runJob(ports, job);
      await ports.jobs.complete(job);
    }
  };
  await Promise.all([one(), one()]);
}

/** What a call came to: its answer, or the code of its refusal. Anything else is a fault. */
async function outcome<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

const codes = (outcomes: readonly unknown[]) => outcomes.filter((each) => typeof each === 'string');
const rounds = [1, 2, 3, 4];

/** An ended import has the photos that it says, and no item has work left. */
async function expectEnded(importId: number): Promise<void> {
  const { status, counts } = await acme.import(importId);
  expect(status).toBe(counts.failed > 0 ? 'completed_with_errors' : 'completed');
  expect([counts.awaitingUpload, counts.processing, counts.ready]).toEqual([0, 0, 0]);
  const items = await acme.list(importId);
  for (const item of items.filter((each) => each.status === 'imported')) {
    expect(await acme.photo(item.id)).toMatchObject({ importId, sha256: item.sha256 });
    expect(fileOf('', await acme.original(item.id)).sha256).toBe(item.sha256);
  }
}

describe('two finalizes', () => {
  test.each(rounds)('of a whole import, round %i: one set of jobs, every caller sees it go on', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg'), picture('b.jpg'), picture('c.jpg')]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => acme.finalize(id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['processing']));
    expect(new Set(answers.map(({ finalizedAt }) => finalizedAt?.getTime())).size).toBe(1);
    const jobs: string[] = [];
    for (let job = await claimJob(ports.jobs, 300); job !== null; job = await claimJob(ports.jobs, 300)) {
      jobs.push(job.work.kind);
      await ports.jobs.postpone(job, 'looked at', 0);
      if (jobs.length === 4) break;
    }
    expect(jobs.sort()).toEqual(['inspect', 'inspect', 'inspect', 'publish']);
    await work();
    await expectEnded(id);
    expect((await acme.import(id)).counts).toMatchObject({ total: 3, imported: 3 });
  });

  test.each(rounds)('of which one discards, round %i: only one of them takes effect', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    const [committed, discarded] = await Promise.all([
      outcome(acme.finalize(id)),
      outcome(acme.finalize(id, { action: 'discard' })),
    ]);
    expect(codes([committed, discarded])).toEqual(['import_not_open']);
    await work();
    const { status, counts } = await acme.import(id);
    expect(status).toBe(typeof committed === 'string' ? 'cancelled' : 'completed');
    expect(counts.imported).toBe(status === 'completed' ? 1 : 0);
    expect(await acme.photos()).toHaveLength(counts.imported);
  });
});

test.each(rounds)('registration vs finalize, round %i: the items are in, or the client is told', async () => {
  const { id } = await acme.start();
  await acme.send(id, [picture('a.jpg')]);
  const batches = Array.from({ length: 4 }, (_, at) => [
    announced(picture(`${at}.jpg`), { clientRef: `${at}` }),
    announced(picture(`${at}-2.jpg`), { clientRef: `${at}-2` }),
  ]);
  const [ended, ...registered] = await Promise.all([
    acme.finalize(id, { missingUploads: 'fail' }),
    ...batches.map((batch) => outcome(acme.register(id, ...batch))),
  ]);
  expect(['processing', 'completed']).toContain(ended.status);
  const refused = codes(registered);
  expect(new Set(refused).size).toBeLessThanOrEqual(1);
  for (const code of refused) expect(code).toBe('import_not_open');
  await work();
  await expectEnded(id);
  const into = 2 * (batches.length - refused.length);
  expect((await acme.import(id)).counts).toMatchObject({ total: 1 + into, imported: 1, failed: into });
});

describe('finalize vs in-flight PUT', () => {
  test.each(rounds)('with reject, round %i: the bytes are counted, or the import stays open', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    const [ended] = await Promise.all([outcome(acme.finalize(id)), acme.upload(present(item), file.bytes)]);
    if (typeof ended === 'string') {
      expect(ended).toBe('uploads_incomplete');
      await acme.finalize(id);
    }
    await work();
    await expectEnded(id);
    expect((await acme.import(id)).counts.imported).toBe(1);
  });

  test.each(rounds)('with fail, round %i: the photo is there, or its sender is told and nothing is left', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    const [, sent] = await Promise.all([
      acme.finalize(id, { missingUploads: 'fail' }),
      outcome(acme.upload(present(item), file.bytes)),
    ]);
    await work();
    await expectEnded(id);
    const { status, error } = await acme.item(present(item));
    if (sent === undefined) expect(status).toBe('imported');
    else expect([sent, status, error?.code]).toEqual(['import_photo_final', 'failed', 'upload_missing']);
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
  });
});

test.each(rounds)('PUT vs cancel, round %i: whichever comes last, the item is cancelled', async () => {
  const { id } = await acme.start();
  const file = picture('a.jpg');
  const [item] = await acme.items(id, announced(file));
  const [sent] = await Promise.all([
    outcome(acme.upload(present(item), file.bytes)),
    acme.edit(present(item), { status: 'cancelled' }),
  ]);
  if (sent !== undefined) expect(sent).toBe('import_photo_final');
  await work();
  expect((await acme.item(present(item))).status).toBe('cancelled');
  await acme.finalize(id);
  expect(await acme.photos()).toEqual([]);
  await collectGarbage(ports, { graceSeconds: 0 });
  expect(await blobsUnder(ports.blobs, 'staging/', 'originals/', 'renditions/')).toEqual([]);
});

test.each(rounds)(
  'five PUTs of the same bytes, round %i: those that were not the newest are told so, and all is well',
  async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        acme.upload(present(item), file.bytes).then(
          () => 'taken',
          ({ code }: { code: string }) => code,
        ),
      ),
    );
    expect(answers.filter((answer) => answer !== 'upload_in_progress')).toEqual(expect.arrayContaining(['taken']));
    expect([...new Set(answers)].every((answer) => ['taken', 'upload_in_progress'].includes(answer))).toBe(true);
    await acme.finalize(id);
    await work();
    await expectEnded(id);
    expect(await acme.photos()).toHaveLength(1);
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
  },
);

test.each(rounds)('two imports, same bytes, round %i: one photo, one duplicate of it, one original', async () => {
  const file = picture('same.jpg');
  const ids: number[] = [];
  for (const _ of [1, 2]) {
    const { id } = await acme.start();
    await acme.send(id, [file, picture('own.jpg')], { sha256: null });
    ids.push(id);
  }
  await work();
  await Promise.all(ids.map((id) => acme.finalize(id)));
  await twoWorkers();
  for (const id of ids) await expectEnded(id);
  const items = (await Promise.all(ids.map((id) => acme.list(id))))
    .flat()
    .filter(({ sha256 }) => sha256 === file.sha256);
  const photo = present((await acme.photos()).find(({ sha256 }) => sha256 === file.sha256));
  expect(items.map(({ status, photoId }) => [status, photoId]).sort()).toEqual([
    ['duplicate', photo.id],
    ['imported', photo.id],
  ]);
  expect(await acme.photos()).toHaveLength(3);
  expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(3);
});

test.each(rounds)('same clientRef in two parallel batches, round %i: one item each', async () => {
  const { id } = await acme.start();
  const batch = Array.from({ length: 5 }, (_, at) => announced(picture(`${at}.jpg`), { clientRef: `ref ${at}` }));
  const answers = await Promise.all([acme.register(id, ...batch), acme.register(id, ...[...batch].reverse())]);
  const outcomes = answers.map(({ results }) => new Set(results.map((result) => result.outcome)));
  expect(outcomes.map((set) => [...set].join()).sort()).toEqual(['created', 'existing']);
  expect((await acme.import(id)).counts.total).toBe(5);
});

test.each(rounds)('same SHA-256 twice in one import, in parallel batches, round %i: one of them uploads', async () => {
  const { id } = await acme.start();
  const file = picture('a.jpg');
  const items = (
    await Promise.all(['a', 'b', 'c'].map((clientRef) => acme.items(id, announced(file, { clientRef }))))
  ).flat();
  expect(items.map(({ status }) => status).sort()).toEqual(['awaiting_upload', 'duplicate', 'duplicate']);
  await acme.upload(present(items.find(({ upload }) => upload !== null)), file.bytes);
  await acme.finalize(id);
  await work();
  await expectEnded(id);
  expect((await acme.import(id)).counts).toMatchObject({ imported: 1, duplicate: 2 });
});

describe('existing photo deleted at the moment of publishing', () => {
  async function announcedDuplicate(file: ClientFile) {
    const photo = await acme.addPhoto(file);
    const { id } = await acme.start();
    await acme.items(id, announced(file));
    await acme.finalize(id);
    return { photo, id };
  }

  test.each(rounds)('to the trash, round %i: what came last counts', async () => {
    const { photo, id } = await announcedDuplicate(picture('a.jpg'));
    await Promise.all([twoWorkers(), trashPhoto(ports, acme.caller, photo.id)]);
    await work();
    await expectEnded(id);
    const [item] = await acme.list(id);
    expect(item).toMatchObject({ status: 'duplicate', photoId: photo.id });
    // Brought back if it lay there when publishing came to it; else it was deleted after that, and stays so.
    expect((await acme.photo(photo.id)).trashedAt === null).toBe(item?.restored);
  });

  test.each(rounds)(
    'permanently, round %i: the file can be imported again, or its photo was there until then',
    async () => {
      const file = picture('a.jpg');
      const { photo, id } = await announcedDuplicate(file);
      await trashPhoto(ports, acme.caller, photo.id);
      const [, purged] = await Promise.all([twoWorkers(), outcome(purgePhoto(ports, acme.caller, photo.id))]);
      await work();
      await expectEnded(id);
      const [item] = await acme.list(id);
      if (item?.status === 'failed') expect(item.error?.code).toBe('duplicate_source_gone');
      else expect(item?.status).toBe('duplicate');
      const left = await acme.photos();
      expect(left).toHaveLength(purged === undefined ? 0 : 1);
      const { items } = await acme.bring([file]);
      expect(items[0]?.status).toBe(left.length === 0 ? 'imported' : 'duplicate');
    },
  );
});

test('DELETE of photos while publishing: no deadlock, and what was deleted stays deleted', async () => {
  const files = Array.from({ length: 30 }, (_, at) => picture(`${at}.jpg`));
  const { id } = await acme.start();
  await acme.send(id, files, { tagNames: ['one', 'two', 'three'] });
  // Copies of half of them: those that are deleted meanwhile must not come back through these.
  await acme.send(
    id,
    files.slice(0, 15).map((file) => fileOf(`copy of ${file.filename}`, file.bytes)),
  );
  await work();
  await acme.finalize(id);
  const deleted = new Set<number>();
  let publishing = true;
  const deleting = async () => {
    while (publishing) {
      for (const photo of await acme.photos()) {
        if (deleted.has(photo.id)) continue;
        await trashPhoto(ports, acme.caller, photo.id);
        deleted.add(photo.id);
      }
      await delay(1);
    }
  };
  await Promise.all([twoWorkers().finally(() => (publishing = false)), deleting()]);
  await work();
  expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 30, duplicate: 15 } });
  for (const photo of await acme.photos()) expect(photo.trashedAt !== null).toBe(deleted.has(photo.id));
  const active = (await acme.photos()).filter(({ trashedAt }) => trashedAt === null).length;
  expect((await acme.tags()).map(({ photoCount }) => photoCount)).toEqual([active, active, active]);
});

test('an import of everything at once leaves the same rows when every job is done twice (F21)', async () => {
  const known = picture('known.jpg');
  const trashed = await acme.addPhoto(known);
  await trashPhoto(ports, acme.caller, trashed.id);
  const { id } = await acme.start({ tagNames: ['shoot'] });
  const fresh = picture('fresh.jpg');
  await acme.send(id, [fresh, fileOf('copy.jpg', fresh.bytes), known]);
  await acme.send(id, [fileOf('unhashed.jpg', fresh.bytes), fileOf('text.jpg', Buffer.from('a text'))], {
    sha256: null,
  });
  await acme.finalize(id);
  await work();
  await expectEnded(id);
  expect((await acme.import(id)).counts).toMatchObject({ total: 5, imported: 1, duplicate: 3, failed: 1 });
  expect((await acme.photo(trashed.id)).trashedAt).toBeNull();
});
