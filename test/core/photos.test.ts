import { editPhoto, type PhotoPatch, setPhotoTags } from '../../src/core/photos/edit-photo.js';
import { listPhotos } from '../../src/core/photos/list-photos.js';
import type { PhotoWithTags } from '../../src/core/photos/photo.js';
import { type PhotoFilters, type PhotoSort } from '../../src/core/photos/photo-query.js';
import { readPhoto, readPhotoTags } from '../../src/core/photos/read-photo.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import { DAY } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { deleteTag } from '../../src/core/tags/delete-tag.js';
import {
  Account,
  blobsUnder,
  everything,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { sampleFacts } from '../support/samples.js';
import { atOnce, present } from '../support/tenant.js';

let ports: World;
let acme: Account;
let photo: PhotoWithTags;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
  photo = await acme.addPhoto(picture('a.jpg', sampleFacts()));
  ports.clock.pass(1000);
});

const missing = { code: 'not_found', details: { resource: 'photo' } };
const invalid = (field: string, code: string) => ({
  code: 'invalid_request',
  details: { errors: [expect.objectContaining({ field, code })] },
});
const edit = (patch: PhotoPatch, id = photo.id) => editPhoto(ports, acme.caller, id, patch);
const photoCount = async (id: Id) => (await ports.store.query(acme.id, (reader) => reader.tags.get(id)))?.photoCount;

describe('a PATCH of a photo', () => {
  test('merges the given fields, as a new version', async () => {
    const first = { title: 'mine', description: 'words', rating: 5, externalId: 'x', metadata: { a: '1', b: '2' } };
    const edited = await edit({ ...first, filename: ' b.jpg ', location: { latitude: 1, longitude: 2 } });
    const at = ports.clock.now();
    const rest = { filename: 'b.jpg', location: { latitude: 1, longitude: 2, altitude: null }, place: null };
    expect(edited).toEqual({ ...photo, ...first, ...rest, updatedAt: at, version: 2 });
    expect(await acme.photo(photo.id)).toEqual(edited);
    const cleared = { title: null, description: null, rating: null, externalId: null, location: null };
    const second = await edit({ ...cleared, metadata: { a: null, c: '3' } });
    expect(second).toEqual({ ...edited, ...cleared, metadata: { b: '2', c: '3' }, version: 3 });
  });

  const same: PhotoPatch[] = [
    {},
    { title: 'Élan' },
    { title: ' E\u0301lan ' },
    { filename: 'a.jpg', rating: 4, rotation: 0, focus: null, trashed: false },
    { location: { latitude: 48.85837, longitude: 2.294481 } },
    { metadata: {} },
    { metadata: { absent: null } },
    { takenAtLocal: '2024-12-21T23:39:24.670' },
    { timeZone: '+01:00' },
    { takenAt: '2024-12-21T23:39:24.670+01:00' },
  ];
  test.each(same)('with its present values changes nothing: %j', async (patch) => {
    expect(await edit(patch)).toEqual(photo);
    expect(await acme.photo(photo.id)).toEqual(photo);
  });

  const wrong: [PhotoPatch, string, string][] = [
    [{ filename: '' }, 'filename', 'too_short'],
    [{ filename: 'x'.repeat(256) }, 'filename', 'too_long'],
    [{ filename: '..' }, 'filename', 'invalid_format'],
    [{ filename: 'a/b' }, 'filename', 'invalid_format'],
    [{ filename: 'a\\b' }, 'filename', 'invalid_format'],
    [{ filename: 'a\nb' }, 'filename', 'invalid_format'],
    [{ title: 'x'.repeat(256) }, 'title', 'too_long'],
    [{ title: 'a\u0000b' }, 'title', 'invalid_format'],
    [{ title: '\ud800' }, 'title', 'invalid_format'],
    [{ description: 'x'.repeat(10_001) }, 'description', 'too_long'],
    [{ externalId: 'x'.repeat(256) }, 'externalId', 'too_long'],
    [{ rating: 6 }, 'rating', 'out_of_range'],
    [{ rating: -1 }, 'rating', 'out_of_range'],
    [{ rating: 2.5 }, 'rating', 'out_of_range'],
    [{ rotation: 45 }, 'rotation', 'out_of_range'],
    [{ rotation: 360 }, 'rotation', 'out_of_range'],
    [{ focus: { x: 1.01, y: 0 } }, 'focus.x', 'out_of_range'],
    [{ focus: { x: 0, y: -0.01 } }, 'focus.y', 'out_of_range'],
    [{ focus: { x: Number.NaN, y: 0 } }, 'focus.x', 'out_of_range'],
    [{ location: { latitude: 90.1, longitude: 0 } }, 'location.latitude', 'out_of_range'],
    [{ location: { latitude: 0, longitude: -180.1 } }, 'location.longitude', 'out_of_range'],
    [{ location: { latitude: Number.NaN, longitude: 0 } }, 'location.latitude', 'out_of_range'],
    [{ metadata: { '': 'x' } }, 'metadata.', 'invalid_format'],
    [{ metadata: { ['k'.repeat(41)]: 'x' } }, `metadata.${'k'.repeat(41)}`, 'invalid_format'],
    [{ metadata: { k: 'x'.repeat(501) } }, 'metadata.k', 'too_long'],
    [{ trashed: true }, 'trashed', 'read_only'],
    [{ takenAt: '2024-12-21T23:39:24' }, 'takenAt', 'invalid_format'],
    [{ takenAt: '2024-02-30T00:00:00Z' }, 'takenAt', 'invalid_format'],
    [{ takenAtLocal: '2024-12-21T23:39:24Z' }, 'takenAtLocal', 'invalid_format'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone', 'invalid_format'],
    [{ timeZone: '+15:00' }, 'timeZone', 'invalid_format'],
    [{ takenAt: '2024-12-21T23:39:24Z', timeZone: '+01:00' }, 'takenAt', 'conflict'],
    [{ takenAt: null, takenAtLocal: '2024-12-21T23:39:24' }, 'takenAt', 'conflict'],
  ];
  const byField = wrong.map(([patch, field, code]) => [field, code, patch] as const);
  test.each(byField)('is refused with %s: %s', async (field, code, patch) => {
    await expect(edit({ externalId: 'new', ...patch })).rejects.toMatchObject(invalid(field, code));
    expect(await acme.photo(photo.id)).toEqual(photo);
  });

  test('reports everything that is wrong', async () => {
    const errors = [expect.objectContaining({ field: 'filename' }), expect.objectContaining({ field: 'rating' })];
    await expect(edit({ filename: '', rating: 9 })).rejects.toMatchObject({ details: { errors } });
  });

  test('allows 50 keys of metadata, together with the existing ones', async () => {
    const keys = (count: number, prefix = 'k') =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, 'v']));
    await edit({ metadata: keys(50) });
    await expect(edit({ metadata: { one: 'more' } })).rejects.toMatchObject(invalid('metadata', 'too_many'));
    const swapped = await edit({ metadata: { k0: null, one: 'more' } });
    expect(Object.keys(swapped.metadata)).toHaveLength(50);
  });

  test('stores metadata keys that have a meaning in JavaScript as plain text', async () => {
    const metadata = JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, string>;
    const edited = await edit({ metadata });
    expect(Object.entries(edited.metadata).sort()).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(Object.entries((await acme.photo(photo.id)).metadata).sort()).toEqual(
      Object.entries(edited.metadata).sort(),
    );
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('rotates the picture and exchanges its sides', async () => {
    const sides = [];
    for (const rotation of [90, 180, 180, 270, 0]) {
      const { width, height, ...rest } = await edit({ rotation });
      sides.push([rest.rotation, width, height, rest.version]);
    }
    expect(sides).toEqual([
      [90, 300, 400, 2],
      [180, 400, 300, 3],
      [180, 400, 300, 3],
      [270, 300, 400, 4],
      [0, 400, 300, 5],
    ]);
  });

  test('rotates the focus with the picture, so that it stays on the same spot', async () => {
    await edit({ focus: { x: 0.2, y: 0.9 } });
    const focuses = [];
    for (const rotation of [90, 180, 270, 0, 180, 0, 270, 90]) focuses.push((await edit({ rotation })).focus);
    const [upright, right, down, left] = [
      { x: 0.2, y: 0.9 },
      { x: 0.1, y: 0.2 },
      { x: 0.8, y: 0.1 },
      { x: 0.9, y: 0.8 },
    ];
    expect(focuses).toEqual([right, down, left, upright, down, upright, left, right]);
  });

  test('takes a focus in the picture as the same patch rotates it, and can remove it', async () => {
    await edit({ focus: { x: 0, y: 1 } });
    expect(await edit({ rotation: 90, focus: { x: 0.25, y: 0.5 } })).toMatchObject({ focus: { x: 0.25, y: 0.5 } });
    expect((await acme.photo(photo.id)).focus).toEqual({ x: 0.25, y: 0.5 });
    expect(await edit({ rotation: 0, focus: null })).toMatchObject({ focus: null, version: 4 });
  });

  describe('of the capture time', () => {
    const taken = {
      takenAt: new Date('2024-12-21T22:39:24.670Z'),
      takenAtLocal: '2024-12-21T23:39:24.670',
      timeZone: '+01:00',
      takenAtSource: 'exif_offset',
    };
    const unknown = { takenAt: null, takenAtLocal: null, timeZone: null, takenAtSource: 'none' };
    const client = { takenAtSource: 'client' };
    const rows: [string, PhotoPatch, object][] = [
      [
        'an instant sets all three',
        { takenAt: '2020-07-01T12:00:00+02:00' },
        {
          ...client,
          takenAt: new Date('2020-07-01T10:00:00Z'),
          takenAtLocal: '2020-07-01T12:00:00',
          timeZone: '+02:00',
        },
      ],
      [
        'Z is stored as +00:00',
        { takenAt: '2020-07-01T12:00:00Z' },
        {
          ...client,
          takenAt: new Date('2020-07-01T12:00:00Z'),
          takenAtLocal: '2020-07-01T12:00:00',
          timeZone: '+00:00',
        },
      ],
      [
        'the zone alone keeps the wall clock and moves the instant',
        { timeZone: 'Asia/Tokyo' },
        {
          ...client,
          takenAt: new Date('2024-12-21T14:39:24.670Z'),
          takenAtLocal: taken.takenAtLocal,
          timeZone: 'Asia/Tokyo',
        },
      ],
      [
        'the wall clock alone keeps the zone',
        { takenAtLocal: '2020-07-01T12:00:00' },
        {
          ...client,
          takenAt: new Date('2020-07-01T11:00:00Z'),
          takenAtLocal: '2020-07-01T12:00:00',
          timeZone: '+01:00',
        },
      ],
      [
        'both together',
        { takenAtLocal: '2020-07-01T12:00:00', timeZone: 'America/New_York' },
        { ...client, takenAt: new Date('2020-07-01T16:00:00Z'), timeZone: 'America/New_York' },
      ],
      [
        'no zone falls back to the customer’s',
        { timeZone: null },
        {
          ...client,
          takenAt: new Date('2024-12-21T22:39:24.670Z'),
          takenAtLocal: taken.takenAtLocal,
          timeZone: 'Europe/Paris',
        },
      ],
      ['no instant clears all three', { takenAt: null }, unknown],
      ['nothing said leaves it', { title: 'other' }, taken],
    ];
    test.each(rows)('%s', async (_, patch, expected) => {
      const edited = await edit(patch);
      expect(edited).toMatchObject(expected);
      expect(edited.version).toBe(2);
      expect(await acme.photo(photo.id)).toEqual(edited);
    });

    test('that is unknown needs a wall clock before a zone', async () => {
      await edit({ takenAt: null });
      await expect(edit({ timeZone: 'Asia/Tokyo' })).rejects.toMatchObject(invalid('takenAtLocal', 'required'));
      const inCustomersZone = {
        takenAt: new Date('2020-07-01T10:00:00Z'),
        timeZone: 'Europe/Paris',
        takenAtSource: 'client',
      };
      expect(await edit({ takenAtLocal: '2020-07-01T12:00:00' })).toMatchObject(inCustomersZone);
    });

    test('that is unknown stays so when it is cleared again', async () => {
      const cleared = await edit({ takenAt: null });
      expect(await edit({ takenAt: null })).toEqual(cleared);
    });
  });

  test('of a photo that is missing, another customer’s or trashed is not found', async () => {
    const other = await Account.open(ports);
    await expect(editPhoto(ports, other.caller, photo.id, { title: 'x' })).rejects.toMatchObject(missing);
    await expect(edit({ title: 'x' }, photo.id + 1)).rejects.toMatchObject(missing);
    await trashPhoto(ports, acme.caller, photo.id);
    const trashed = await acme.photo(photo.id);
    await expect(edit({ title: 'x' })).rejects.toMatchObject(missing);
    await expect(edit({})).rejects.toMatchObject(missing);
    expect(await acme.photo(photo.id)).toEqual(trashed);
  });

  test('with trashed: false restores it and applies the other fields', async () => {
    await trashPhoto(ports, acme.caller, photo.id);
    const restored = await edit({ trashed: false, title: 'back' });
    expect(restored).toMatchObject({ title: 'back', trashedAt: null, purgeAt: null, version: 3 });
    expect(await acme.photo(photo.id)).toEqual(restored);
  });

  test('checks its condition against the present photo, and changes nothing when that throws', async () => {
    const seen: number[] = [];
    const check = ({ version }: PhotoWithTags) => {
      seen.push(version);
      throw new DomainError('precondition_failed', 'It has changed.');
    };
    const refused = { code: 'precondition_failed' };
    await expect(editPhoto(ports, acme.caller, photo.id, { title: 'x' }, check)).rejects.toMatchObject(refused);
    await expect(setPhotoTags(ports, acme.caller, photo.id, { tagNames: ['x'] }, check)).rejects.toMatchObject(refused);
    await expect(trashPhoto(ports, acme.caller, photo.id, check)).rejects.toMatchObject(refused);
    await expect(purgePhoto(ports, acme.caller, photo.id, check)).rejects.toMatchObject(refused);
    expect(seen).toEqual([1, 1, 1, 1]);
    expect(await acme.photo(photo.id)).toEqual(photo);
    expect(await acme.tags()).toEqual([]);
  });

  test('from many clients at once loses no change', async () => {
    await atOnce(10, (number) => edit({ metadata: { [`k${number}`]: 'v' } }));
    const { metadata, version } = await acme.photo(photo.id);
    expect([Object.keys(metadata).length, version]).toEqual([10, 11]);
  });
});

describe('a PUT of a photo’s tags', () => {
  const put = (request: { tagIds?: Id[]; tagNames?: string[] }, account = acme) =>
    setPhotoTags(ports, account.caller, photo.id, request);

  test('replaces the set, by ids and names, sorted by name', async () => {
    const [b, c] = [await acme.tag('b'), await acme.tag('c')];
    const tags = await put({ tagIds: [c.id, b.id, c.id], tagNames: ['a', ' A ', 'B'] });
    expect(tags.map(({ name, photoCount }) => [name, photoCount])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    expect(await acme.photo(photo.id)).toMatchObject({ tags: tags.map(({ id, name }) => ({ id, name })), version: 2 });
    expect((await put({ tagIds: [b.id] })).map(({ name }) => name)).toEqual(['b']);
    expect(await photoCount(c.id)).toBe(0);
    expect(await readPhotoTags(ports, acme.caller, photo.id)).toMatchObject([{ name: 'b', photoCount: 1 }]);
    expect(await put({ tagIds: [] })).toEqual([]);
    expect((await acme.photo(photo.id)).version).toBe(4);
  });

  test('with the present set changes nothing', async () => {
    await put({ tagNames: ['a', 'b'] });
    const before = await everything(ports);
    ports.clock.pass(1000);
    await put({ tagNames: ['B', 'a'] });
    expect(await everything(ports)).toEqual(before);
  });

  test('needs ids or names', async () => {
    await expect(put({})).rejects.toMatchObject(invalid('tagIds', 'required'));
  });

  test('creates tags only for a key that may, and else changes nothing', async () => {
    const kept = await acme.tag('kept');
    const before = await everything(ports);
    const refused = { code: 'scope_required', details: { scope: 'tags:write' } };
    const reader = acme.without('tags:write');
    await expect(put({ tagIds: [kept.id], tagNames: ['new'] }, reader)).rejects.toMatchObject(refused);
    expect(await everything(ports)).toEqual(before);
    expect(await put({ tagNames: ['KEPT'] }, reader)).toMatchObject([{ id: kept.id }]);
  });

  test('refuses unknown tags and those of another customer alike, and changes nothing', async () => {
    const other = await Account.open(ports);
    const theirs = await other.tag('theirs');
    const before = await everything(ports);
    for (const id of [theirs.id, 9e15]) {
      await expect(put({ tagIds: [id], tagNames: ['new'] })).rejects.toMatchObject(invalid('tagIds', 'unknown_tag'));
    }
    expect(await everything(ports)).toEqual(before);
  });

  test.each([
    [[''], 'too_short'],
    [['x'.repeat(101)], 'too_long'],
    [['a\u0007'], 'invalid_format'],
  ])('refuses the name %j', async (tagNames, code) => {
    await expect(put({ tagNames })).rejects.toMatchObject(invalid('tagNames', code));
  });

  test('allows 100 tags and not one more', async () => {
    const names = Array.from({ length: 101 }, (_, at) => `tag ${at}`);
    await expect(put({ tagNames: names })).rejects.toMatchObject(invalid('tagIds', 'too_many'));
    expect(await acme.tags()).toEqual([]);
    expect(await put({ tagNames: names.slice(1) })).toHaveLength(100);
  });

  test('creates no more tags than a customer may have', async () => {
    ports = world({ limits: { tags: 2 } });
    acme = await Account.open(ports);
    photo = await acme.addPhoto(picture('a.jpg'));
    await put({ tagNames: ['a'] });
    const refused = { code: 'limit_reached', details: { limit: 2, name: 'tags' } };
    await expect(put({ tagNames: ['b', 'c'] })).rejects.toMatchObject(refused);
    expect(await put({ tagNames: ['a', 'b'] })).toHaveLength(2);
  });

  test('of a photo that is missing, another customer’s or trashed is not found', async () => {
    const other = await Account.open(ports);
    await expect(put({ tagIds: [] }, other)).rejects.toMatchObject(missing);
    await expect(readPhotoTags(ports, other.caller, photo.id)).rejects.toMatchObject(missing);
    await trashPhoto(ports, acme.caller, photo.id);
    await expect(put({ tagNames: ['new'] })).rejects.toMatchObject(missing);
    await expect(readPhotoTags(ports, acme.caller, photo.id)).rejects.toMatchObject(missing);
    expect(await acme.tags()).toEqual([]);
  });
});

describe('a DELETE of a photo', () => {
  const read = (trashedToo: boolean, account = acme) =>
    readPhoto(ports, account.caller, photo.id, { trashedToo, withExif: true });

  test('moves it to the trash for as long as the customer has set', async () => {
    await ports.store.change(acme.id, { trashRetentionDays: 7 });
    await trashPhoto(ports, acme.caller, photo.id);
    const at = ports.clock.now();
    const trashed = { trashedAt: at, purgeAt: new Date(at.getTime() + 7 * DAY), updatedAt: at, version: 2 };
    await expect(read(false)).rejects.toMatchObject(missing);
    expect((await read(true)).photo).toEqual({ ...photo, ...trashed });
    expect(await ports.store.query(acme.id, (reader) => reader.usage.read())).toMatchObject({
      photos: 0,
      trashedPhotos: 1,
    });
  });

  test('reduces the counts of its tags, and restoring reverts that', async () => {
    const [tag] = await setPhotoTags(ports, acme.caller, photo.id, { tagNames: ['a'] });
    const { id } = present(tag);
    await trashPhoto(ports, acme.caller, photo.id);
    expect(await photoCount(id)).toBe(0);
    await edit({ trashed: false });
    expect(await photoCount(id)).toBe(1);
    expect((await acme.photo(photo.id)).tags).toMatchObject([{ name: 'a' }]);
  });

  test('that is repeated, or of another customer’s photo, is not found', async () => {
    const other = await Account.open(ports);
    await expect(trashPhoto(ports, other.caller, photo.id)).rejects.toMatchObject(missing);
    await trashPhoto(ports, acme.caller, photo.id);
    const trashed = await acme.photo(photo.id);
    ports.clock.pass(1000);
    await expect(trashPhoto(ports, acme.caller, photo.id)).rejects.toMatchObject(missing);
    expect(await acme.photo(photo.id)).toEqual(trashed);
  });

  test('from many clients at once takes effect once', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => trashPhoto(ports, acme.caller, photo.id)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test.each([false, true])('permanently removes the photo and its bytes; in the trash: %s', async (inTrash) => {
    const [tag] = await setPhotoTags(ports, acme.caller, photo.id, { tagNames: ['a'] });
    const kept = await acme.addPhoto(picture('kept.jpg'));
    if (inTrash) await trashPhoto(ports, acme.caller, photo.id);
    await purgePhoto(ports, acme.caller, photo.id);
    await expect(read(true)).rejects.toMatchObject(missing);
    expect(await photoCount(present(tag).id)).toBe(0);
    expect(await blobsUnder(ports.blobs, 'originals/', 'renditions/')).toHaveLength(2);
    await expect(acme.original(kept.id)).resolves.toBeDefined();
    await expect(purgePhoto(ports, acme.caller, photo.id)).rejects.toMatchObject(missing);
  });

  test('permanently deletes no photo of another customer', async () => {
    const other = await Account.open(ports);
    await expect(purgePhoto(ports, other.caller, photo.id)).rejects.toMatchObject(missing);
    expect(await acme.photo(photo.id)).toEqual(photo);
    await expect(acme.original(photo.id)).resolves.toBeDefined();
  });

  test('never lets the id of a permanently deleted photo be used again', async () => {
    await purgePhoto(ports, acme.caller, photo.id);
    expect((await acme.addPhoto(picture('b.jpg'))).id).toBeGreaterThan(photo.id);
  });

  test('has permanently deleted the photo even if removing the bytes fails', async () => {
    const away = new DomainError('service_unavailable', 'The store is away.');
    const blobs = Object.create(ports.blobs);
    blobs.delete = async () => {
      throw away;
    };
    await expect(purgePhoto({ ...ports, blobs }, acme.caller, photo.id)).rejects.toBe(away);
    await expect(read(true)).rejects.toMatchObject(missing);
  });
});

describe('lists of photos', () => {
  const list = (filters: Partial<PhotoFilters>, sort: PhotoSort = 'id', limit = 100, cursor: string | null = null) =>
    listPhotos(ports, acme.caller, { filters: { trashed: 'false', ...filters }, sort, limit, cursor });

  test('walk through all photos by pages, whatever is added or deleted meanwhile', async () => {
    const { items } = await acme.bring(Array.from({ length: 9 }, (_, at) => picture(`${at}.jpg`)));
    const ids = [photo.id, ...items.map(({ id }) => id)];
    const first = await list({}, 'id', 4);
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 4));
    await trashPhoto(ports, acme.caller, present(ids[3]));
    await purgePhoto(ports, acme.caller, present(ids[5]));
    const second = await list({}, 'id', 4, first.nextCursor);
    expect(second.data.map(({ id }) => id)).toEqual([ids[4], ids[6], ids[7], ids[8]]);
    const third = await list({}, 'id', 4, second.nextCursor);
    expect(third).toMatchObject({ data: [{ id: ids[9] }], nextCursor: null });
  });

  test('end exactly at the last photo', async () => {
    expect(await list({}, 'id', 1)).toMatchObject({ data: [{ id: photo.id }], nextCursor: null });
    expect(await list({ ids: [photo.id + 1] })).toEqual({ data: [], nextCursor: null });
  });

  test('show the trash only where it is requested', async () => {
    const kept = await acme.addPhoto(picture('kept.jpg'));
    await trashPhoto(ports, acme.caller, photo.id);
    const ids = async (trashed: PhotoFilters['trashed']) => (await list({ trashed })).data.map(({ id }) => id);
    expect(await ids('false')).toEqual([kept.id]);
    expect(await ids('true')).toEqual([photo.id]);
    expect(await ids('any')).toEqual([photo.id, kept.id]);
  });

  test('answer which bytes exist already', async () => {
    const { data } = await list({ sha256: ['f'.repeat(64), photo.sha256] });
    expect(data).toEqual([photo]);
  });

  test.each(['tagIds', 'anyTagIds', 'excludeTagIds'] as const)('refuse an unknown tag in %s', async (field) => {
    const known = await acme.tag('known');
    const theirs = await (await Account.open(ports)).tag('theirs');
    for (const id of [theirs.id, 9e15]) {
      await expect(list({ [field]: [known.id, id] })).rejects.toMatchObject(invalid(field, 'unknown_tag'));
    }
    await expect(list({ [field]: [known.id] })).resolves.toBeDefined();
  });

  test('bind a cursor to its customer, filters and sort order', async () => {
    await acme.addPhoto(picture('b.jpg'));
    const { nextCursor } = await list({}, 'id', 1);
    const refused = { code: 'invalid_cursor' };
    await expect(list({}, '-id', 1, nextCursor)).rejects.toMatchObject(refused);
    await expect(list({ untagged: true }, 'id', 1, nextCursor)).rejects.toMatchObject(refused);
    const other = await Account.open(ports);
    const theirs = listPhotos(ports, other.caller, {
      filters: { trashed: 'false' },
      sort: 'id',
      limit: 1,
      cursor: nextCursor,
    });
    await expect(theirs).rejects.toMatchObject(refused);
    await expect(list({}, 'id', 7, nextCursor)).resolves.toMatchObject({ data: [{ filename: 'b.jpg' }] });
  });

  test('refuse an old cursor only when its photo has moved', async () => {
    await acme.addPhoto(picture('b.jpg'));
    const byName = await list({}, 'filename', 1);
    const byId = await list({}, 'id', 1);
    await edit({ filename: 'z.jpg' });
    await expect(list({}, 'filename', 1, byName.nextCursor)).resolves.toMatchObject({ data: [{ filename: 'b.jpg' }] });
    ports.clock.pass(DAY + 1);
    await expect(list({}, 'filename', 1, byName.nextCursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(list({}, 'id', 1, byId.nextCursor)).resolves.toMatchObject({ data: [{ filename: 'b.jpg' }] });
  });

  test('show the deletion of a tag as a change of its photos', async () => {
    const [tag] = await setPhotoTags(ports, acme.caller, photo.id, { tagNames: ['a'] });
    ports.clock.pass(1000);
    await deleteTag(ports, acme.caller, present(tag).id);
    const { data } = await list({ updatedAfter: ports.clock.now() }, 'updatedAt');
    expect(data).toMatchObject([{ id: photo.id, tags: [], version: 3 }]);
  });
});

test('reading a photo returns EXIF only where it is requested', async () => {
  const reading = { trashedToo: false, withExif: false };
  expect((await readPhoto(ports, acme.caller, photo.id, reading)).exif).toBeNull();
  const { exif } = await readPhoto(ports, acme.caller, photo.id, { ...reading, withExif: true });
  expect(exif).toMatchObject({ Make: 'NIKON CORPORATION' });
  await runJobsUntilIdle(ports);
});
