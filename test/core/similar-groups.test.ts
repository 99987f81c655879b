import { commandLine } from '../../src/core/audit/audit-entry.js';
import { eraseCustomer } from '../../src/core/customers/erase-customer.js';
import {
  bestOf,
  GROUPS_PER_PAGE,
  MAX_GROUP,
  pairsOf,
  readSimilarGroups,
  rejoinPhotos,
  separatePhotos,
  trashOthers,
} from '../../src/core/photos/similar/groups.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import type { Id } from '../../src/core/shared/ids.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { Tenant } from '../support/tenant.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

const add = async (phash: string) => (await acme.addPhoto(picture('a.jpg', { phash }))).id;
const page = async (after: Id | null = null) => {
  const { groups, next } = await readSimilarGroups(here, acme.caller, after);
  return { groups: groups.map((group) => group.map(({ id }) => id)), next };
};
const separate = (...ids: Id[]) => separatePhotos(here, acme.caller, ids);
const keep = (ids: Id[], kept: Id[]) => trashOthers(here, acme.caller, { ids, keep: kept });
const inTrash = () => here.database.photos.where(({ trashedAt }) => trashedAt !== null).map(({ id }) => id);

describe('groups of similar photos', () => {
  test('contain each photo that is similar to one of the others, and are in the order of their first', async () => {
    const [a, other] = [await add('00000000000000ff'), await add('ffffffff00000000')];
    // Six bits from the first, then six from that one: the last is not similar to the first.
    const [b, c] = [await add('0000000000003fff'), await add('00000000000fffff')];
    const [again] = [await add('ffffffff00000001')];
    await add('0f0f0f0f0f0f0f0f');
    expect(await page()).toEqual({
      groups: [
        [a, b, c],
        [other, again],
      ],
      next: null,
    });
    await trashPhoto(here, acme.caller, b);
    expect((await page()).groups).toEqual([[other, again]]);
  });

  test('are not shown again for a photo that is similar to one with a higher id only', async () => {
    // The second is the first in its neighbourhood, but not in the group.
    const [a, b] = [await add('00000000000000ff'), await add('00000000000fffff')];
    const c = await add('0000000000003fff');
    expect((await page()).groups).toEqual([[a, b, c]]);
    expect((await page(a)).groups).toEqual([]);
  });

  test('are listed in pages, each of them once', async () => {
    const first: Id[] = [];
    for (let at = 0; at < GROUPS_PER_PAGE + 2; at += 1) first.push(await add(distinct(at)));
    for (let at = 0; at < GROUPS_PER_PAGE + 2; at += 1) await add(distinct(at));
    const one = await page();
    expect(one.groups.map(([lead]) => lead)).toEqual(first.slice(0, GROUPS_PER_PAGE));
    expect(one.next).toBe(first[GROUPS_PER_PAGE - 1]);
    const two = await page(one.next);
    expect(two.groups.map(([lead]) => lead)).toEqual(first.slice(GROUPS_PER_PAGE));
    expect(two.next).toBeNull();
  });

  test('are searched for among a fixed number of photos for each page, whether there are any or not', async () => {
    const tenant = await Tenant.of(here);
    const trashedAt = here.clock.now();
    const isLeft = (at: number) => at === 7 || at === 2000;
    const photos = await tenant.addPhotos(
      Array.from({ length: 2001 }, (_, at) => ({ phash: distinct(0), trashedAt: isLeft(at) ? null : trashedAt })),
    );
    const caller = { ...acme.caller, customerId: tenant.id };
    const one = await readSimilarGroups(here, caller, null);
    expect([one.groups.length, one.next]).toEqual([1, photos[1999]?.id]);
    expect(await readSimilarGroups(here, caller, one.next)).toEqual({ groups: [], next: null });
  });

  test('are shown in part while they are large', async () => {
    const ids: Id[] = [];
    for (let at = 0; at < MAX_GROUP + 3; at += 1) ids.push(await add('00000000000000ff'));
    expect((await page()).groups).toEqual([ids.slice(0, MAX_GROUP)]);
    await keep(ids.slice(0, MAX_GROUP), ids.slice(0, 1));
    expect((await page()).groups).toEqual([[ids[0], ...ids.slice(MAX_GROUP)]]);
  });
});

test('the best photo of a similar group has the most pixels, then the most bytes, then was there first', () => {
  const photo = (id: Id, width: number, sizeBytes: number) => ({ id, width, height: 10, sizeBytes });
  expect(bestOf([photo(1, 10, 99), photo(2, 20, 5), photo(3, 20, 6)])?.id).toBe(3);
  expect(bestOf([photo(2, 20, 5), photo(1, 20, 5)])?.id).toBe(1);
  expect(bestOf([])).toBeUndefined();
});

describe('keeping some photos of a similar group', () => {
  test('moves the others to the trash, with an event, and returns their ids', async () => {
    const ids = [await add('00000000000000ff'), await add('00000000000000ff'), await add('00000000000000ff')];
    const [a = 0, b = 0, c = 0] = ids;
    await trashPhoto(here, acme.caller, c);
    expect(await keep([...ids, 999_999], [a])).toEqual([b]);
    expect(inTrash()).toEqual([b, c]);
    expect(await keep(ids, [a])).toEqual([]);
  });

  test('is refused when none of them would be left', async () => {
    const ids = [await add('00000000000000ff'), await add('00000000000000ff')];
    const [a = 0, b = 0] = ids;
    const refused = { code: 'invalid_request', details: { errors: [expect.objectContaining({ field: 'keep' })] } };
    await expect(keep(ids, [])).rejects.toMatchObject(refused);
    await expect(keep(ids, [999_999])).rejects.toMatchObject(refused);
    // Somebody else has kept the other one meanwhile.
    await keep(ids, [b]);
    await expect(keep(ids, [a])).rejects.toMatchObject(refused);
    expect(inTrash()).toEqual([a]);
    const many = Array.from({ length: MAX_GROUP + 1 }, (_, at) => at + 1);
    await expect(keep(many, [1])).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('photos that were separated from a similar group', () => {
  test('are in no group together, until that is undone', async () => {
    const [a, b] = [await add('00000000000000ff'), await add('00000000000000ff')];
    expect(await separate(b, a, 999_999)).toEqual([{ photoId: a, otherId: b }]);
    expect(await separate(a, b)).toEqual([]);
    expect((await page()).groups).toEqual([]);
    const c = await add('00000000000000ff');
    // Each is similar to the new one.
    expect((await page()).groups).toEqual([[a, b, c]]);
    const added = await separate(a, b, c);
    expect(added).toEqual([
      { photoId: a, otherId: c },
      { photoId: b, otherId: c },
    ]);
    expect((await page()).groups).toEqual([]);
    await rejoinPhotos(here, acme.caller, added);
    expect((await page()).groups).toEqual([[a, b, c]]);
    const many = Array.from({ length: MAX_GROUP + 1 }, (_, at) => at + 1);
    await expect(separate(...many)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('are deleted from the list of pairs with the photo, and with the customer', async () => {
    const [a, b, c] = [await add('00000000000000ff'), await add('00000000000000ff'), await add('00000000000000ff')];
    await separate(a, b, c);
    await purgePhoto(here, acme.caller, c);
    const erasure = await eraseCustomer(here, commandLine, acme.id);
    expect([erasure.rowsBefore['separated_photos'], erasure.complete]).toEqual([1, true]);
  });
});

test('pairs of photos are all of them, each once, the lower id first', () => {
  expect(pairsOf([3, 1, 2, 1])).toEqual([
    { photoId: 1, otherId: 2 },
    { photoId: 1, otherId: 3 },
    { photoId: 2, otherId: 3 },
  ]);
  expect(pairsOf([1])).toEqual([]);
});

/** Hashes of which no two are similar: multiples of a number whose bits are mixed well. */
function distinct(number: number): string {
  return BigInt.asUintN(64, BigInt(number + 1) * 0x9e37_79b9_7f4a_7c15n)
    .toString(16)
    .padStart(16, '0');
}
