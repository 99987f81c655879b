import { listPhotos } from '../../src/core/photos/list-photos.js';
import { NEAREST_FIRST, type PhotoFilters } from '../../src/core/photos/photo-query.js';
import { hashDistance } from '../../src/core/photos/similar/similar-photo.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
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
