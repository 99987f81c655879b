import { storedKey } from '../../src/core/blobs/blob-key.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { listPhotos } from '../../src/core/photos/list-photos.js';
import { NEAREST_FIRST, type PhotoFilters } from '../../src/core/photos/photo-query.js';
import { OlderPhotos } from '../../src/core/photos/similar/hash-older-photos.js';
import { hashDistance } from '../../src/core/photos/similar/similar-photo.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryMediaReader } from '../../testing/memory/memory-media-reader.js';
import { Account, picture, type World, world } from '../support/core-world.js';

/** The hash of each picture is in its bytes, and in those of its renditions. */
class HashingReader extends MemoryMediaReader {
  failWith: Error | null = null;
  inspected = 0;

  override async inspect(...order: Parameters<MemoryMediaReader['inspect']>) {
    this.inspected += 1;
    if (this.failWith !== null) throw this.failWith;
    return super.inspect(...order);
  }
}

let media: HashingReader;
let here: World;
let acme: Account;
beforeEach(async () => {
  media = new HashingReader();
  here = world({ media });
  acme = await Account.open(here);
});

const add = async (phash: string | null) => (await acme.addPhoto(picture('a.jpg', { phash }))).id;
const similar = (
  photoId: Id,
  { maxDistance = 6, limit = 100, cursor = null as string | null, trashed = 'false' as PhotoFilters['trashed'] } = {},
) =>
  listPhotos(here, acme.caller, {
    filters: { trashed },
    sort: NEAREST_FIRST,
    similarTo: { photoId, maxDistance },
    limit,
    cursor,
  });
const ids = async (...of: Parameters<typeof similar>) => (await similar(...of)).data.map(({ id }) => id);

test('the distance of two hashes is the number of bits in which they differ', () => {
  expect(hashDistance('0000000000000000', '0000000000000000')).toBe(0);
  expect(hashDistance('0000000000000000', 'ffffffffffffffff')).toBe(64);
  expect(hashDistance('8000000000000001', '0000000000000003')).toBe(2);
});

describe('photos that look like another', () => {
  test('are listed nearest first, in pages', async () => {
    const photo = await add('00000000000000ff');
    const [third, first, second] = [
      await add('00000000000000f0'),
      await add('00000000000000ff'),
      await add('00000000000000fe'),
    ];
    await add(null);
    await add('ffffffffffffffff');
    expect(await ids(photo)).toEqual([first, second, third]);
    const page = await similar(photo, { limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([first, second]);
    expect(await ids(photo, { limit: 2, cursor: page.nextCursor })).toEqual([third]);
    await expect(similar(first, { limit: 2, cursor: page.nextCursor })).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
    expect(await ids(photo, { maxDistance: 3 })).toEqual([first, second]);
  });

  test('are none for a photo without a hash, and an error for a photo that does not exist', async () => {
    const [photo, plain] = [await add('00000000000000ff'), await add(null)];
    expect(await ids(plain)).toEqual([]);
    await expect(similar(9e15)).rejects.toMatchObject({ code: 'not_found', details: { resource: 'photo' } });
    const other = (await Account.open(here)).over(here);
    const theirs = listPhotos(here, other.caller, {
      filters: { trashed: 'any' },
      sort: NEAREST_FIRST,
      similarTo: { photoId: photo, maxDistance: 6 },
      limit: 1,
      cursor: null,
    });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
    await trashPhoto(here, acme.caller, photo);
    await expect(similar(photo)).rejects.toMatchObject({ code: 'not_found' });
    expect(await ids(photo, { trashed: 'any' })).toEqual([]);
  });
});

describe('photos that were imported before there were hashes', () => {
  const forget = () => {
    for (const photo of here.database.photos.all()) here.database.photos.set(photo.id, { ...photo, phash: null });
  };
  const hashes = async () => (await acme.photos()).map(({ phash }) => phash);

  test('get theirs from their thumbs, each once, and are no new versions', async () => {
    for (const phash of ['00000000000000ff', null, '00000000000000fe']) await add(phash);
    const before = await acme.photos();
    forget();
    media.inspected = 0;
    const older = new OlderPhotos(here);
    await older.hash();
    expect(await acme.photos()).toEqual(before);
    expect(media.inspected).toBe(3);
    await older.hash();
    expect(media.inspected).toBe(3);
  });

  test('are hashed as they were before they were rotated, and from their original if there is no thumb', async () => {
    const id = await add('00000000000000ff');
    await editPhoto(here, acme.caller, id, { rotation: 90 });
    forget();
    for await (const { key } of here.blobs.list(`renditions/${acme.id}/`)) await here.blobs.delete([key]);
    await new OlderPhotos(here).hash();
    expect(await hashes()).toEqual(['00000000000000ff']);
  });

  test('wait for bytes that are unavailable, and do not delay each other', async () => {
    const [lost] = [await add('00000000000000ff'), await add('00000000000000fe')];
    forget();
    const older = new OlderPhotos(here);
    media.failWith = new DomainError('service_unavailable', 'Try again later.');
    await expect(older.hash()).rejects.toMatchObject({ code: 'service_unavailable' });
    media.failWith = null;
    await older.hash();
    expect(await hashes()).toEqual([null, '00000000000000fe']);
    // The next process tries it again.
    await here.blobs.delete([storedKey((await acme.photo(lost)).blobKey)]);
    await new OlderPhotos(here).hash();
    expect(await hashes()).toEqual(['00000000000000ff', '00000000000000fe']);
  });

  test('that cannot be read stay without a hash, and so do those for which the run was stopped', async () => {
    await add('00000000000000ff');
    forget();
    media.failWith = new Error('its reader died');
    await new OlderPhotos(here).hash();
    expect(await hashes()).toEqual([null]);
    media.failWith = null;
    await new OlderPhotos(here).hash(AbortSignal.abort());
    expect(await hashes()).toEqual([null]);
  });
});
