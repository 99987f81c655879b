import { stagingKey } from '../../src/core/blobs/blob-key.js';
import type { Registration } from '../../src/core/imports/candidate.js';
import { createImport, type ImportCreation } from '../../src/core/imports/create.js';
import { publishImport } from '../../src/core/imports/publish.js';
import { listImportPhotos } from '../../src/core/imports/read.js';
import type { PictureFacts } from '../../src/core/media/media-reader.js';
import type { PhotoWithTags } from '../../src/core/photos/photo.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import type { Id } from '../../src/core/shared/ids.js';
import { deleteTag } from '../../src/core/tags/delete-tag.js';
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
  everything,
  expectSound,
  fileOf,
  note,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { sampleFacts } from '../support/samples.js';
import { present } from '../support/tenant.js';

let ports: World;
let acme: Account;
let purged: Id[];

beforeEach(async () => {
  purged = [];
  ports = world();
  acme = await Account.open(ports);
});
afterEach(() => expectSound(ports, purged));

async function purge(account: Account, id: Id): Promise<void> {
  await purgePhoto(ports, account.caller, id);
  purged.push(id);
}

describe('the inspection of uploaded bytes', () => {
  const files: [string, () => ClientFile, string, string | null][] = [
    ['a picture, whatever its name says', () => picture('a.txt'), 'ready', null],
    ['a damaged picture', () => picture('a.jpg', { damaged: true }), 'ready', null],
    ['a text', () => note('a.jpg'), 'failed', 'not_an_image'],
    ['a video', () => picture('a.jpg', { contentType: 'video/mp4' }), 'failed', 'unsupported_format'],
    ['a broken picture', () => fileOf('a.jpg', brokenPictureBytes()), 'failed', 'decode_failed'],
    ['too many pixels', () => picture('a.jpg', { width: 30_000, height: 30_000 }), 'failed', 'too_many_pixels'],
    ['too long a side', () => picture('a.jpg', { width: 65_501, height: 1 }), 'failed', 'too_many_pixels'],
  ];
  test.each(files)('finds %s', async (_, make, status, code) => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [make()]);
    await runJobsUntilIdle(ports);
    const seen = await acme.item(present(item));
    expect([seen.status, seen.error?.code ?? null]).toEqual([status, code]);
    expect(await blobsUnder(ports.blobs, 'staging/')).toEqual([]);
    expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(status === 'ready' ? 1 : 0);
    expect(await acme.photos()).toEqual([]);
  });

  const lies: [string, Partial<Registration>, string][] = [
    ['a size', { sizeBytes: 7 }, 'size_mismatch'],
    ['a hash', { sha256: 'f'.repeat(64) }, 'checksum_mismatch'],
  ];
  test.each(lies)('finds %s that was declared wrongly, where the store did not check it', async (_, lie, code) => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const copies = ['1', '2'].map((clientRef) => announced(file, { ...lie, clientRef }));
    const [item, copy] = await acme.items(id, ...copies);
    await ports.blobs.put(stagingKey(present(item)), bytesOf(file.bytes));
    await acme.edit(present(item), { status: 'uploaded' });
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'failed', error: { code } });
    expect(await acme.item(present(copy))).toMatchObject({ error: { code: 'duplicate_of_failed' } });
    expect(await blobsUnder(ports.blobs, 'staging/', 'originals/')).toEqual([]);
  });

  test('fails the item if the bytes are gone', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')]);
    await ports.blobs.delete([stagingKey(await acme.item(present(item)))]);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'failed', error: { code: 'upload_missing' } });
  });

  test('finds undeclared bytes of the library to be a duplicate, and stores nothing of them', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    const before = await blobsUnder(ports.blobs, 'originals/', 'renditions/');
    const { id } = await acme.start();
    const [item] = await acme.send(id, [file], { sha256: null });
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({
      status: 'duplicate',
      photoId: photo.id,
      sha256: file.sha256,
    });
    expect(await blobsUnder(ports.blobs, 'originals/', 'renditions/', 'staging/')).toEqual(before);
  });
});

describe('publishing an import', () => {
  async function published(
    facts: Partial<PictureFacts>,
    input: Partial<Registration> = {},
    creation: ImportCreation = {},
  ) {
    const { items } = await acme.bring([picture('a.jpg', facts)], creation, input);
    return acme.photo(present(items[0]?.photoId));
  }

  test('adds nothing to the library before finalize', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'ready', photoId: null });
    await expect(acme.photo(present(item).id)).rejects.toMatchObject({ code: 'not_found' });
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'imported', photoId: item?.id, restored: false });
  });

  test('makes a photo with the id of the item from the values in the file', async () => {
    const facts = sampleFacts({ damaged: true, alpha: true, thumbhash: 'hash', description: 'caption' });
    const file = picture('Crème.jpg', facts);
    ports.clock.pass(5000);
    const { import: ended, items } = await acme.bring([file], { name: 'shoot' });
    const photo = await acme.photo(present(items[0]).id);
    const { times, positionZone, exif, ...plain } = facts;
    expect(photo).toMatchObject({
      ...plain,
      filename: 'Crème.jpg',
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      rotation: 0,
      takenAt: new Date('2024-12-21T22:39:24.670Z'),
      takenAtLocal: '2024-12-21T23:39:24.670',
      timeZone: '+01:00',
      takenAtSource: 'exif_offset',
      externalId: null,
      metadata: {},
      importId: ended.id,
      trashedAt: null,
      version: 1,
      dupSeq: 0,
      tags: [],
    });
    expect(photo.createdAt).toEqual(photo.updatedAt);
    expect(await ports.store.query(acme.id, (reader) => reader.photos.exif(photo.id))).toEqual(exif);
    expect(await acme.original(photo.id)).toEqual(Buffer.from(file.bytes));
    expect(ended).toMatchObject({ status: 'completed', counts: { total: 1, imported: 1 } });
  });

  test('prefers the values of the client to those of the file', async () => {
    const said = {
      title: 'mine',
      description: 'my words',
      location: { latitude: 1, longitude: 2, altitude: 3 },
      rating: 1,
      takenAt: '2001-02-03T04:05:06+09:00',
      externalId: 'x-1',
      metadata: { client: 'ACME' },
    };
    const photo = await published(sampleFacts(), said);
    expect(photo).toMatchObject({
      ...said,
      takenAt: new Date('2001-02-02T19:05:06.000Z'),
      takenAtLocal: '2001-02-03T04:05:06',
      timeZone: '+09:00',
      takenAtSource: 'client',
    });
  });

  test('uses values that were changed until then', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')], { title: 'old' });
    await runJobsUntilIdle(ports);
    await acme.edit(present(item), { title: 'new', filename: 'b.jpg' });
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.photo(present(item).id)).toMatchObject({ title: 'new', filename: 'b.jpg' });
  });

  describe('sets the capture time', () => {
    const noZone = {
      ...sampleFacts().times,
      original: '2024-07-01 12:00:00'.replace(/-/g, ':'),
      originalSubSec: null,
      originalOffset: null,
    };
    const unknown = { ...noZone, original: null };
    const at = (instant: string) => new Date(instant);
    const rows: [string, Partial<PictureFacts>, Partial<Registration>, ImportCreation, object][] = [
      [
        'takes the customer’s zone where nothing else is known',
        { times: noZone },
        {},
        {},
        { takenAt: at('2024-07-01T10:00:00Z'), timeZone: 'Europe/Paris', takenAtSource: 'customer_default' },
      ],
      [
        'takes the import’s zone before the customer’s',
        { times: noZone },
        {},
        { defaultTimeZone: 'Asia/Tokyo' },
        { takenAt: at('2024-07-01T03:00:00Z'), timeZone: 'Asia/Tokyo', takenAtSource: 'customer_default' },
      ],
      [
        'takes the place’s zone before the import’s',
        { times: noZone, positionZone: 'America/New_York' },
        {},
        { defaultTimeZone: 'Asia/Tokyo' },
        { takenAt: at('2024-07-01T16:00:00Z'), timeZone: 'America/New_York', takenAtSource: 'gps_position' },
      ],
      [
        'takes the item’s zone for the file’s clock',
        { times: noZone },
        { timeZone: '-03:00' },
        { defaultTimeZone: 'Asia/Tokyo' },
        {
          takenAt: at('2024-07-01T15:00:00Z'),
          takenAtLocal: '2024-07-01T12:00:00',
          timeZone: '-03:00',
          takenAtSource: 'client',
        },
      ],
      [
        'takes the item’s clock in the file’s zone',
        { times: sampleFacts().times },
        { takenAtLocal: '2020-01-01T00:00:00' },
        {},
        { takenAt: at('2019-12-31T23:00:00Z'), timeZone: '+01:00', takenAtSource: 'client' },
      ],
      [
        'takes the item’s clock in the import’s zone where the file has none',
        { times: unknown },
        { takenAtLocal: '2020-01-01T00:00:00' },
        { defaultTimeZone: 'Asia/Tokyo' },
        { takenAt: at('2019-12-31T15:00:00Z'), timeZone: 'Asia/Tokyo', takenAtSource: 'client' },
      ],
      [
        'takes the item’s clock and zone',
        { times: unknown },
        { takenAtLocal: '2020-07-01T00:00:00.5', timeZone: 'Europe/Paris' },
        {},
        {
          takenAt: at('2020-06-30T22:00:00.500Z'),
          takenAtLocal: '2020-07-01T00:00:00.500',
          timeZone: 'Europe/Paris',
          takenAtSource: 'client',
        },
      ],
      [
        'is unknown without a clock, whatever zone is said',
        { times: unknown },
        { timeZone: 'Europe/Paris' },
        { defaultTimeZone: 'Asia/Tokyo' },
        { takenAt: null, takenAtLocal: null, timeZone: null, takenAtSource: 'none' },
      ],
    ];
    test.each(rows)('%s', async (_, facts, input, creation, expected) => {
      expect(await published(facts, input, creation)).toMatchObject(expected);
    });
  });

  test('gives the tags of the import and of the item, each once, and counts them', async () => {
    const [both, mine, theirs] = [await acme.tag('both'), await acme.tag('mine'), await acme.tag('theirs')];
    const creation = { tagIds: [both.id, theirs.id] };
    const photo = await published({}, { tagIds: [both.id, mine.id], tagNames: ['new'] }, creation);
    expect(photo.tags.map(({ name }) => name)).toEqual(['both', 'mine', 'new', 'theirs']);
    const tags = await ports.store.query(acme.id, (reader) => reader.tags.ofPhoto(photo.id));
    expect(tags.map(({ photoCount }) => photoCount)).toEqual([1, 1, 1, 1]);
  });

  test('continues without a tag that was deleted meanwhile', async () => {
    const [gone, kept] = [await acme.tag('gone'), await acme.tag('kept')];
    const { id } = await acme.start({ tagIds: [gone.id] });
    const [item] = await acme.send(id, [picture('a.jpg')], { tagIds: [gone.id, kept.id] });
    await deleteTag(ports, acme.caller, gone.id);
    expect((await acme.item(present(item))).tags).toMatchObject([{ name: 'kept' }]);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect((await acme.photo(present(item).id)).tags).toMatchObject([{ name: 'kept' }]);
  });

  test('never gives a photo more tags than it may have', async () => {
    ports = world({ limits: { tagsPerPhoto: 3 } });
    acme = await Account.open(ports);
    const { id } = await acme.start({ tagNames: ['a', 'b'] });
    await acme.items(id, announced(picture('a.jpg'), { tagNames: ['b', 'c'] }));
    const refused = {
      code: 'invalid_request',
      details: { errors: [{ field: 'photos[0].tagIds', code: 'too_many', max: 3 }] },
    };
    const tooMany = announced(picture('b.jpg'), { tagNames: ['c', 'd'] });
    await expect(acme.register(id, tooMany)).rejects.toMatchObject(refused);
    const [item] = await acme.list(id);
    const patch = acme.edit(present(item), { tagNames: ['c', 'd'] });
    await expect(patch).rejects.toMatchObject({ details: { errors: [{ field: 'tagIds', code: 'too_many' }] } });
  });

  test('is not delayed by one bad file', async () => {
    const { import: ended, items } = await acme.bring([picture('a.jpg'), note('b.jpg'), picture('c.jpg')]);
    expect(ended).toMatchObject({ status: 'completed_with_errors', counts: { imported: 2, failed: 1 } });
    expect(items.map(({ status }) => status)).toEqual(['imported', 'failed', 'imported']);
  });

  test('waits for items that are still being inspected, and continues after them', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await runJobsUntilIdle(ports);
    await acme.send(id, [picture('b.jpg')]);
    const inspection = present(await claimJob(ports.jobs, 300));
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'processing', counts: { imported: 1, processing: 1 } });
    await runJob(ports, inspection);
    await ports.jobs.complete(inspection);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 2 } });
  });

  test('separates customers: the same bytes are a photo of each', async () => {
    const file = picture('a.jpg');
    const other = await Account.open(ports);
    const [mine, theirs] = [await acme.addPhoto(file), await other.addPhoto(file)];
    expect(theirs.id).not.toBe(mine.id);
    await purge(other, theirs.id);
    expect(await acme.original(mine.id)).toEqual(Buffer.from(file.bytes));
    await expect(other.photo(mine.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('duplicates at publishing', () => {
  let file: ClientFile;
  beforeEach(() => {
    file = picture('a.jpg');
  });

  test('of a photo leave it unchanged', async () => {
    const photo = await acme.addPhoto(file, { title: 'first' });
    const { import: ended, items } = await acme.bring([file], {}, { title: 'second' });
    expect(items).toMatchObject([{ status: 'duplicate', photoId: photo.id, restored: false }]);
    expect(ended).toMatchObject({ status: 'completed', counts: { total: 1, duplicate: 1 } });
    expect(await acme.photo(photo.id)).toEqual(photo);
    expect(await acme.photos()).toHaveLength(1);
  });

  test('of a photo in the trash restore it', async () => {
    const tag = await acme.tag('kept');
    const photo = await acme.addPhoto(file, { tagIds: [tag.id] });
    await trashPhoto(ports, acme.caller, photo.id);
    const { id } = await acme.start();
    const { results } = await acme.register(id, announced(file));
    expect(results).toMatchObject([{ outcome: 'duplicate', photo: { photoId: photo.id, restored: false } }]);
    expect((await acme.photo(photo.id)).trashedAt).not.toBeNull();
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.list(id)).toMatchObject([{ status: 'duplicate', photoId: photo.id, restored: true }]);
    expect(await acme.photo(photo.id)).toMatchObject({ trashedAt: null, purgeAt: null, version: photo.version + 2 });
    expect((await ports.store.query(acme.id, (reader) => reader.tags.get(tag.id)))?.photoCount).toBe(1);
  });

  test('of a photo in the trash leave it there if the import says so', async () => {
    const photo = await acme.addPhoto(file);
    await trashPhoto(ports, acme.caller, photo.id);
    const { items } = await acme.bring([file], { restoreTrashed: false });
    expect(items).toMatchObject([{ status: 'duplicate', photoId: photo.id, restored: false }]);
    expect((await acme.photo(photo.id)).trashedAt).not.toBeNull();
  });

  test('of a photo that is trashed between registration and publishing restore it', async () => {
    const photo = await acme.addPhoto(file);
    const { id } = await acme.start();
    await acme.items(id, announced(file));
    await trashPhoto(ports, acme.caller, photo.id);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.list(id)).toMatchObject([{ status: 'duplicate', restored: true }]);
    expect((await acme.photo(photo.id)).trashedAt).toBeNull();
  });

  test('of a photo in the trash restore it once: if it is deleted after that, it stays deleted', async () => {
    const photo = await acme.addPhoto(file);
    await trashPhoto(ports, acme.caller, photo.id);
    const { id } = await acme.start();
    await acme.items(id, announced(file));
    const [slow] = await acme.send(id, [picture('slow.jpg')]);
    await runJobsUntilIdle(ports);
    await acme.finalize(id);
    // The run ends after the photo came back, before it could end the import.
    const job = present(await claimJob(ports.jobs, 300));
    const within = ports.store.transaction.bind(ports.store);
    const crash = new Error('crash');
    const broken: World = withInProcess({ ...ports, store: Object.create(ports.store) });
    broken.store.transaction = async (customerId, work) => {
      const answer = await within(customerId, work);
      if ((await acme.photo(photo.id)).trashedAt === null) throw crash;
      return answer;
    };
    await expect(runJob(broken, job)).rejects.toBe(crash);
    expect((await acme.photo(photo.id)).trashedAt).toBeNull();
    await trashPhoto(ports, acme.caller, photo.id);
    await ports.jobs.release(job, 'crash', 0);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed' });
    expect(await acme.item(present(slow))).toMatchObject({ status: 'imported' });
    expect((await acme.photo(photo.id)).trashedAt).not.toBeNull();
  });

  describe('publishing never restores a photo that was deleted after publishing had handled it', () => {
    /** Publishes until `reached`, and ends there as if killed. Then the photo is deleted, and publishing runs once more. */
    async function trashedInBetween(
      importId: number,
      reached: () => Promise<PhotoWithTags | undefined>,
    ): Promise<void> {
      const job = present(await claimJob(ports.jobs, 300));
      const crash = new Error('crash');
      const broken: World = withInProcess({ ...ports, store: Object.create(ports.store) });
      let photo: PhotoWithTags | undefined;
      broken.store.transaction = async (customerId, work) => {
        const answer = await ports.store.transaction(customerId, work);
        photo = await reached();
        if (photo !== undefined) throw crash;
        return answer;
      };
      await expect(runJob(broken, job)).rejects.toBe(crash);
      const { id } = present(photo);
      await trashPhoto(ports, acme.caller, id);
      await ports.jobs.release(job, 'crash', 0);
      await runJobsUntilIdle(ports);
      expect(await acme.import(importId)).toMatchObject({ status: 'completed' });
      expect((await acme.photo(id)).trashedAt).not.toBeNull();
    }

    test('publishing by two processes leaves a photo in the trash that was trashed after one had restored it', async () => {
      const photo = await acme.addPhoto(file);
      await trashPhoto(ports, acme.caller, photo.id);
      const { id } = await acme.start();
      await acme.items(id, announced(file));
      await acme.finalize(id);
      const late: World = withInProcess({ ...ports, store: Object.create(ports.store) });
      late.store.query = async (customerId, look) => {
        const seen = await ports.store.query(customerId, look);
        const hasDuplicates = Array.isArray(seen) && seen.length > 0;
        if (hasDuplicates && (await acme.import(id)).status === 'processing') {
          await publishImport(ports, acme.id, id, false);
          expect((await acme.photo(photo.id)).trashedAt).toBeNull();
          await trashPhoto(ports, acme.caller, photo.id);
        }
        return seen;
      };
      await publishImport(late, acme.id, id, false);
      expect((await acme.photo(photo.id)).trashedAt).not.toBeNull();
    });

    test('publishing leaves a photo in the trash that was not there when it was handled', async () => {
      const photo = await acme.addPhoto(file);
      const { id } = await acme.start();
      await acme.items(id, announced(file));
      await acme.finalize(id);
      let steps = 0;
      await trashedInBetween(id, async () => {
        steps += 1;
        return steps === 1 ? photo : undefined;
      });
      expect(await acme.list(id)).toMatchObject([{ status: 'duplicate', photoId: photo.id, restored: false }]);
    });

    test('publishing leaves a photo in the trash that the first of two items with its bytes had restored', async () => {
      const photo = await acme.addPhoto(file);
      await trashPhoto(ports, acme.caller, photo.id);
      const { id } = await acme.start();
      await acme.items(id, announced(file), announced(file, { filename: 'copy.jpg' }));
      await acme.finalize(id);
      await trashedInBetween(id, async () => {
        const now = await acme.photo(photo.id);
        return now.trashedAt === null ? now : undefined;
      });
      expect(await acme.list(id)).toMatchObject([{ restored: true }, { status: 'duplicate', restored: false }]);
    });

    test.each([
      ['announced', {}],
      ['found by its bytes', { sha256: null }],
    ])(
      'publishing leaves a photo of this very import in the trash when there is another copy of it, %s',
      async (_, said) => {
        const { id } = await acme.start();
        await acme.send(id, [file, fileOf('copy.jpg', file.bytes)], said);
        await runJobsUntilIdle(ports);
        await acme.finalize(id);
        await trashedInBetween(id, async () => (await acme.photos())[0]);
        expect(await acme.import(id)).toMatchObject({ counts: { imported: 1, duplicate: 1 } });
      },
    );
  });

  test('of a photo that another import was allowed to copy are still duplicates', async () => {
    const { id } = await acme.start();
    const [waiting] = await acme.send(id, [file]);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(waiting))).toMatchObject({ status: 'ready' });
    const { items } = await acme.bring([file], { duplicatePolicy: 'allow' });
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(waiting))).toMatchObject({ status: 'duplicate', photoId: items[0]?.photoId });
    expect((await acme.photos()).map((photo) => photo.id)).toEqual([items[0]?.photoId]);
  });

  test('of a photo that is permanently deleted meanwhile fail, and the file can be imported again', async () => {
    const photo = await acme.addPhoto(file);
    const { id } = await acme.start();
    await acme.items(id, announced(file));
    await purge(acme, photo.id);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.list(id)).toMatchObject([
      { status: 'failed', photoId: null, error: { code: 'duplicate_source_gone' } },
    ]);
    expect(await acme.import(id)).toMatchObject({ status: 'completed_with_errors' });
    const again = await acme.addPhoto(file);
    expect(again.id).toBeGreaterThan(photo.id);
  });

  test('of an earlier item get its photo', async () => {
    const { items } = await acme.bring([file, file, file]);
    const { id } = present(items[0]);
    expect(items).toMatchObject([
      { status: 'imported', photoId: id },
      { status: 'duplicate', photoId: id, restored: false },
      { status: 'duplicate', photoId: id, restored: false },
    ]);
    expect(await acme.photos()).toHaveLength(1);
  });

  test('of an earlier item that turns out to be a duplicate get that photo', async () => {
    const { id } = await acme.start();
    const items = await acme.send(id, [file, file]);
    const photo = await acme.addPhoto(file);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.list(id)).toMatchObject(items.map(() => ({ status: 'duplicate', photoId: photo.id })));
  });

  test('of an earlier item that fails fail with it', async () => {
    const text = note('a.jpg');
    const { items, import: ended } = await acme.bring([text, text]);
    expect(items.map(({ error }) => error?.code)).toEqual(['not_an_image', 'duplicate_of_failed']);
    expect(ended.counts).toMatchObject({ failed: 2 });
  });

  test('without declared hashes are found by their bytes', async () => {
    const { items } = await acme.bring([file, fileOf('b.jpg', file.bytes)], {}, { sha256: null });
    expect(items.map(({ status }) => status).sort()).toEqual(['duplicate', 'imported']);
    expect(new Set(items.map(({ photoId }) => photoId)).size).toBe(1);
    expect(await acme.photos()).toHaveLength(1);
    expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(1);
  });

  test('of an import that was faster: one is imported, the other is a duplicate', async () => {
    const imports = [await acme.start(), await acme.start()];
    for (const { id } of imports) await acme.send(id, [file]);
    await runJobsUntilIdle(ports);
    for (const { id } of imports) expect((await acme.list(id))[0]?.status).toBe('ready');
    for (const { id } of imports) await acme.finalize(id);
    await runJobsUntilIdle(ports);
    const [first, second] = [await acme.list(present(imports[0]).id), await acme.list(present(imports[1]).id)];
    expect([first[0]?.status, second[0]?.status].sort()).toEqual(['duplicate', 'imported']);
    expect(first[0]?.photoId).toBe(second[0]?.photoId);
    expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(1);
    expect(await blobsUnder(ports.blobs, 'renditions/')).toHaveLength(1);
  });

  test('that failed and were registered again become photos of their own', async () => {
    const { id } = await acme.start();
    const text = note('a.jpg');
    const refs = ['1', '2'].map((clientRef) => announced(text, { clientRef }));
    const [source, copy] = await acme.items(id, ...refs);
    await acme.upload(present(source), text.bytes);
    await runJobsUntilIdle(ports);
    const [revived] = await acme.items(id, announced(file, { clientRef: '2' }));
    await acme.upload(present(revived), file.bytes);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect((await acme.list(id)).map(({ status }) => status)).toEqual(['failed', 'imported']);
    expect(await acme.original(present(copy).id)).toEqual(Buffer.from(file.bytes));
  });

  test('become photos under the policy allow', async () => {
    const photo = await acme.addPhoto(file);
    const { items } = await acme.bring([file, file], { duplicatePolicy: 'allow' });
    expect(items.map(({ status }) => status)).toEqual(['imported', 'imported']);
    const photos = await acme.photos();
    expect(photos.map(({ sha256 }) => sha256)).toEqual(Array(3).fill(file.sha256));
    expect(new Set(photos.map(({ dupSeq }) => dupSeq)).size).toBe(3);
    expect(photos[0]).toEqual(photo);
    for (const { id } of photos) expect(await acme.original(id)).toEqual(Buffer.from(file.bytes));
    const { items: skipped } = await acme.bring([file]);
    expect(skipped).toMatchObject([{ status: 'duplicate', photoId: photo.id }]);
  });

  test('that are allowed keep their bytes when another one is permanently deleted', async () => {
    const { items } = await acme.bring([file, file], { duplicatePolicy: 'allow' });
    const [first, second] = items.map(({ id }) => id);
    await purge(acme, present(first));
    expect(await acme.original(present(second))).toEqual(Buffer.from(file.bytes));
  });
});

test('a key that may not create tags can import with existing tags', async () => {
  await acme.tag('Paris');
  const { items } = await acme.without('tags:write').bring([picture('a.jpg')], { tagNames: ['paris'] });
  expect((await acme.photo(present(items[0]).id)).tags).toMatchObject([{ name: 'Paris' }]);
});

test('an import that ends while it is read is never shown as ended with unfinished items', async () => {
  const { id } = await acme.start();
  await acme.send(id, [picture('a.jpg')]);
  await acme.finalize(id);
  // All its jobs are done as soon as one statement of the read has its answer.
  let ending: Promise<void> | null = null;
  const whileItEnds = <T extends object>(reads: T): T =>
    new Proxy(reads, {
      get: (target, name) => {
        const call = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          const answer = await call.apply(target, given);
          ending ??= runJobsUntilIdle(ports);
          await ending;
          return answer;
        };
      },
    });
  const seen = await listImportPhotos(
    {
      ...ports,
      store: {
        query: (customerId, work) =>
          ports.store.query(customerId, (reader) => {
            return work({
              ...reader,
              imports: whileItEnds(reader.imports),
              importPhotos: whileItEnds(reader.importPhotos),
            });
          }),
      },
    },
    acme.caller,
    id,
    { limit: 100, cursor: null },
  );
  const shown = `${seen.import.status} with ${seen.page.data.map(({ status }) => status)}`;
  expect(shown).not.toMatch(/^completed with (?!imported)/);
  expect((await acme.import(id)).status).toBe('completed');
});

test('jobs of deleted imports and items, or of those of other customers, do nothing', async () => {
  const { id } = await acme.start();
  const [item] = await acme.send(id, [picture('a.jpg')]);
  await acme.finalize(id);
  const stranger = await Account.open(ports);
  const before = await everything(ports);
  const job = { id: 1, attempt: 1, failures: 0, outages: 0, traceContext: null, lease: 'none' };
  for (const importId of [id, id + 1]) {
    const work = { kind: 'inspect', importId, photoId: present(item).id } as const;
    await runJob(ports, { ...job, customerId: stranger.id, work });
    await runJob(ports, { ...job, attempt: 4, customerId: stranger.id, work });
    await runJob(ports, { ...job, customerId: stranger.id, work: { kind: 'publish', importId } });
  }
  await runJob(ports, { ...job, customerId: acme.id, work: { kind: 'publish', importId: id + 1 } });
  expect(await everything(ports)).toEqual(before);
  await runJobsUntilIdle(ports);
});

describe('the options of an import', () => {
  const words = (keywords: readonly string[]) => picture('IMG_20240615_101112.jpg', { keywords });
  const namesOf = (photo: PhotoWithTags) => photo.tags.map(({ name }) => name);

  test('make tags of keywords, beside those of the import and the item', async () => {
    await acme.tag('Paris');
    const creation = { keywordsAsTags: true, tagNames: ['Trip'] };
    const files = [words(['paris', 'Places/Paris', '\u0007']), words(['paris', 'Sea'])];
    const { items } = await acme.bring(files, creation, { tagNames: ['Own'] });
    expect(items.map(({ status }) => status)).toEqual(['imported', 'imported']);
    const [first, second] = await acme.photos();
    expect(namesOf(present(first))).toEqual(['Own', 'Paris', 'Places/Paris', 'Trip']);
    expect(namesOf(present(second))).toEqual(['Own', 'Paris', 'Sea', 'Trip']);
    expect(present(first).keywords).toEqual(['paris', 'Places/Paris', '\u0007']);
  });

  test('leave keywords alone by default', async () => {
    const photo = await acme.addPhoto(words(['Sea']));
    expect([namesOf(photo), photo.keywords]).toEqual([[], ['Sea']]);
    expect(await acme.tags()).toEqual([]);
  });

  test('leave out keywords beyond the limits, and the photo comes', async () => {
    const small = world({ limits: { ...ports.limits, tags: 3, tagsPerPhoto: 2 } });
    const account = await Account.open(small);
    const { items } = await account.bring([words(['a', 'b', 'c', 'd']), words(['d', 'a'])], { keywordsAsTags: true });
    expect(items.map(({ status }) => status)).toEqual(['imported', 'imported']);
    // `c` and the second `d` would be one too many for the first photo: no tag is created for them.
    expect((await account.photos()).map(namesOf)).toEqual([
      ['a', 'b'],
      ['a', 'd'],
    ]);
    await account.bring([words(['e', 'a'])], { keywordsAsTags: true });
    expect((await account.photos()).map(namesOf)[2]).toEqual(['a']);
    expect((await account.tags()).map(({ name }) => name)).toEqual(['a', 'b', 'd']);
    await expectSound(small, []);
  });

  test('create no tags for the keywords of photos that the library has', async () => {
    const file = words(['Sea']);
    const first = await acme.start({ keywordsAsTags: true });
    // Both are ready before either is published: then only the library tells.
    const second = await acme.start({ keywordsAsTags: true });
    for (const { id } of [first, second]) await acme.send(id, [file]);
    await runJobsUntilIdle(ports);
    await acme.finalize(first.id);
    await runJobsUntilIdle(ports);
    await deleteTag(ports, acme.caller, present((await acme.tags())[0]).id);
    await acme.finalize(second.id);
    await runJobsUntilIdle(ports);
    expect(await acme.list(second.id)).toMatchObject([{ status: 'duplicate' }]);
    expect(await acme.tags()).toEqual([]);
  });

  test('require the scope tags:write for keywords as tags, whatever the files contain', async () => {
    const { caller } = acme;
    const creation = createImport(ports, { ...caller, scopes: ['photos:write'] }, { keywordsAsTags: true });
    await expect(creation).rejects.toMatchObject({ code: 'scope_required', details: { scope: 'tags:write' } });
  });

  test('add the tags of the import to photos that the library had, if they say so', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file, { tagNames: ['Old'] });
    const later = await acme.bring([file], { tagNames: ['New'] });
    expect(later.items).toMatchObject([{ status: 'duplicate' }]);
    expect(await acme.photo(photo.id)).toMatchObject({ version: photo.version });
    await acme.bring([file], { tagNames: ['New', 'Old'], tagDuplicates: true });
    const tagged = await acme.photo(photo.id);
    expect([namesOf(tagged), tagged.version]).toEqual([['New', 'Old'], photo.version + 1]);
    await acme.bring([file], { tagNames: ['New'], tagDuplicates: true });
    expect(await acme.photo(photo.id)).toEqual(tagged);
  });

  test('add tags to a duplicate as far as its limit allows', async () => {
    const small = world({ limits: { ...ports.limits, tagsPerPhoto: 2 } });
    const account = await Account.open(small);
    const file = picture('a.jpg');
    const photo = await account.addPhoto(file, { tagNames: ['Old'] });
    const { items } = await account.bring([file], { tagNames: ['New', 'Newer'], tagDuplicates: true });
    expect(items).toMatchObject([{ status: 'duplicate', photoId: photo.id }]);
    expect((await account.photo(photo.id)).tags).toHaveLength(2);
  });

  test('add no tags to a duplicate that stays in the trash', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await trashPhoto(ports, acme.caller, photo.id);
    await acme.bring([file], { tagNames: ['New'], tagDuplicates: true, restoreTrashed: false });
    expect((await acme.photo(photo.id)).tags).toEqual([]);
    await acme.bring([file], { tagNames: ['New'], tagDuplicates: true });
    expect(await acme.photo(photo.id)).toMatchObject({ trashedAt: null, tags: [{ name: 'New' }] });
  });

  test('take the date from the file name, if they say so and nothing else states one', async () => {
    const named = (dateFromFilename: boolean) =>
      acme.bring([words([String(dateFromFilename)])], { dateFromFilename, defaultTimeZone: 'Asia/Tokyo' });
    await named(false);
    await named(true);
    expect((await acme.photos()).map(({ takenAtLocal, takenAtSource }) => [takenAtLocal, takenAtSource])).toEqual([
      [null, 'none'],
      ['2024-06-15T10:11:12', 'filename'],
    ]);
  });
});
