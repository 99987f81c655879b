import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { listPhotos, readNeighbours, type TwoWaySort } from '../../src/core/photos/list-photos.js';
import type { PhotoWithTags } from '../../src/core/photos/photo.js';
import { readPhoto } from '../../src/core/photos/read-photo.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
import { Account, picture, type World, world } from '../support/core-world.js';

let ports: World;
let acme: Account;
let photos: PhotoWithTags[];

/** Two of one moment, three without any. */
beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
  const times = ['2020-01-01T00:00:00Z', null, '2022-01-01T00:00:00Z', null, '2020-01-01T00:00:00Z', null];
  photos = [];
  for (const [at, takenAt] of times.entries()) {
    const photo = await acme.addPhoto(picture(`${9 - at}.jpg`));
    photos.push(await editPhoto(ports, acme.caller, photo.id, { takenAt }));
    ports.clock.pass(1000);
  }
});

const filters = { trashed: 'false' as const };
const listed = async (sort: TwoWaySort) =>
  (await listPhotos(ports, acme.caller, { filters, sort, limit: 50, cursor: null })).data;

test.each<TwoWaySort>(['-takenAt', 'takenAt', '-createdAt', 'filename', '-id'])(
  'the neighbours of a photo are those of the list, in both directions and at both ends: %s',
  async (sort) => {
    const list = await listed(sort);
    expect(list).toHaveLength(6);
    for (const [at, photo] of list.entries()) {
      const expected = { previous: list[at - 1]?.id ?? null, next: list[at + 1]?.id ?? null };
      expect(await readNeighbours(ports, acme.caller, photo, { filters, sort })).toEqual(expected);
    }
  },
);

test('the neighbours of a photo that the filters leave out are those of its place in the list', async () => {
  const [first, gone, third] = await listed('-takenAt');
  await trashPhoto(ports, acme.caller, gone?.id ?? 0);
  const { photo } = await readPhoto(ports, acme.caller, gone?.id ?? 0, { trashedToo: true, withExif: false });
  const sort = '-takenAt';
  expect(await readNeighbours(ports, acme.caller, photo, { filters, sort })).toEqual({
    previous: first?.id,
    next: third?.id,
  });
});

test('photos of other customers are never neighbours', async () => {
  const other = await Account.open(ports);
  const lonely = await other.addPhoto(picture('x.jpg'));
  const beside = await readNeighbours(ports, other.caller, lonely, { filters, sort: '-id' });
  expect(beside).toEqual({ previous: null, next: null });
});
