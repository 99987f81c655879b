import type { PhotoPair } from '../../src/core/photos/similar/similar-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import { later } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const MAX_DISTANCE = 6;

/** What repositories promise of photos that are similar to one another, and of those that somebody has separated. */
export function similarGroupsContract(newTenant: NewTenant): void {
  /** Photos with these hashes, and their ids in this order. */
  const add = async (tenant: Tenant, ...hashes: readonly (string | null)[]): Promise<Id[]> =>
    (await tenant.addPhotos(hashes.map((phash) => ({ phash })))).map(({ id }) => id);
  const scan = (tenant: Tenant, after: Id | null = null, limit = 100, maxDistance = MAX_DISTANCE) =>
    tenant.query(({ similarPhotos }) => similarPhotos.scan(after, limit, maxDistance));
  const similar = async (tenant: Tenant, ids: readonly Id[], limit = 100, maxDistance = MAX_DISTANCE) => {
    const found = await tenant.query(({ similarPhotos }) => similarPhotos.similarTo(ids, limit, maxDistance));
    return found.map(({ photoId, similarId }) => [photoId, similarId]);
  };
  const pair = (photoId: Id | undefined, otherId: Id | undefined): PhotoPair => {
    return { photoId: present(photoId), otherId: present(otherId) };
  };
  const separate = (tenant: Tenant, ...pairs: readonly PhotoPair[]) =>
    tenant.transaction(({ similarPhotos }) => similarPhotos.separate(pairs, later(1)));
  const rejoin = (tenant: Tenant, ...pairs: readonly PhotoPair[]) =>
    tenant.transaction(({ similarPhotos }) => similarPhotos.rejoin(pairs));

  it('are reported with both ids, within the requested distance, whichever bits differ', async () => {
    const tenant = await newTenant();
    await add(await newTenant(), '00000000000000ff');
    const [a, b, c, d] = await add(
      tenant,
      '00000000000000ff',
      // Six bits in two quarters, one in each of all four, and seven.
      '00380000003800ff',
      '00010001000100fe',
      '0000000000000080',
    );
    await add(tenant, null, 'ffffffffffffff00');
    const all = [a, b, c, d].map(present);
    expect(await similar(tenant, all)).toEqual([
      [a, b],
      [a, c],
      [b, a],
      [c, a],
    ]);
    expect(await similar(tenant, [present(a)], 1)).toEqual([[a, b]]);
    expect(await similar(tenant, [present(a)], 100, 4)).toEqual([[a, c]]);
    expect(await similar(tenant, [present(a)], 100, 3)).toEqual([]);
    expect(await similar(tenant, all, 100, 16)).toEqual(
      expect.arrayContaining([
        [a, d],
        [d, a],
        [b, c],
      ]),
    );
    expect(await similar(tenant, [])).toEqual([]);
  });

  it('are found by a scan that returns photos with similar ones of higher ids only', async () => {
    const tenant = await newTenant();
    const ids = await add(
      tenant,
      '1111111111111111',
      'aaaaaaaaaaaaaaaa',
      null,
      '1111111111111111',
      '7777777777777777',
      'aaaaaaaaaaaaaaab',
      '1111111111111110',
    );
    const [one, two, , again] = ids;
    expect(await scan(tenant)).toEqual({ leads: [one, two], next: null });
    // A photo that has no hash is not compared.
    expect(await scan(tenant, null, 3)).toEqual({ leads: [one, two], next: again });
    expect(await scan(tenant, present(two), 1)).toEqual({ leads: [], next: again });
    expect(await scan(tenant, present(again), 3)).toEqual({ leads: [], next: ids.at(-1) });
    expect(await scan(tenant, present(ids.at(-1)), 3)).toEqual({ leads: [], next: null });
    expect(await scan(await newTenant())).toEqual({ leads: [], next: null });
  });

  it('are not similar while they are in the trash', async () => {
    const tenant = await newTenant();
    const [first, second, third] = await add(tenant, ...Array(3).fill('00000000000000ff'));
    const trash = (trashedAt: Date | null) =>
      tenant.transaction(async ({ photos }) => {
        const [photo] = await photos.lock([present(first)]);
        await photos.update({ ...present(photo), trashedAt, purgeAt: trashedAt });
      });
    await trash(later(1));
    expect(await scan(tenant)).toEqual({ leads: [second], next: null });
    // It counts among those that were compared.
    expect(await scan(tenant, null, 1)).toEqual({ leads: [], next: first });
    expect(await similar(tenant, [first, second].map(present))).toEqual([[second, third]]);
    await trash(null);
    expect((await scan(tenant)).leads).toEqual([first]);
  });

  it('are not similar once they are separated, until they are rejoined', async () => {
    const tenant = await newTenant();
    const ids = await add(tenant, ...Array(3).fill('00000000000000ff'));
    const [a, b, c] = ids;
    expect(await separate(tenant, pair(a, b))).toEqual([pair(a, b)]);
    expect(await similar(tenant, ids)).toEqual([
      [a, c],
      [b, c],
      [c, a],
      [c, b],
    ]);
    const added = await separate(tenant, pair(a, b), pair(a, c), pair(b, c));
    expect(added).toHaveLength(2);
    expect(added).toEqual(expect.arrayContaining([pair(a, c), pair(b, c)]));
    expect(await separate(tenant)).toEqual([]);
    expect([await similar(tenant, ids), (await scan(tenant)).leads]).toEqual([[], []]);
    await rejoin(tenant, ...added);
    expect((await similar(tenant, ids)).filter(([one]) => one !== c)).toEqual([
      [a, c],
      [b, c],
    ]);
    await rejoin(tenant, pair(a, b), pair(a, c));
    expect((await similar(tenant, ids))[0]).toEqual([a, b]);
  });

  it('are separated only if both exist, and a deleted one takes its pairs along', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const [a, b] = await add(tenant, '00000000000000ff', '00000000000000ff');
    const [theirs, others] = await add(other, '00000000000000ff', '00000000000000ff');
    await expect(separate(tenant, pair(a, theirs))).rejects.toThrow();
    await separate(other, pair(theirs, others));
    await rejoin(tenant, pair(theirs, others));
    expect(await similar(other, [present(theirs)])).toEqual([]);
    await separate(tenant, pair(a, b));
    await tenant.transaction(({ photos }) => photos.delete(present(b)));
    expect(await similar(tenant, [present(a)])).toEqual([]);
  });
}
