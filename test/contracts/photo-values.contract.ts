import type { CountedValue, PhotoKind, ValuesRequest } from '../../src/core/photos/filter-values.js';
import { later } from '../support/samples.js';
import type { Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const all: ValuesRequest = { trashed: false, counted: 10, limit: 10 };
const camera = (make: string | null, model: string | null, lens: string | null = null) => ({
  camera: { make, model, lens },
});
const lens = (name: string | null) => camera(null, 'Z 9', name);
const inFrance = { place: { country: 'FR', region: null, city: null } };
const inTrash = { trashedAt: later(1), purgeAt: later(2) };

/** The values that photos have, counted up to a limit. */
export function photoValuesContract(newTenant: NewTenant): void {
  const cameras = (tenant: Tenant, request = all) => tenant.query(({ photos }) => photos.cameras(request));
  const lenses = (tenant: Tenant, request = all) => tenant.query(({ photos }) => photos.lenses(request));
  const countries = (tenant: Tenant, request = all) => tenant.query(({ photos }) => photos.countries(request));
  const kinds = (tenant: Tenant, request = all) => tenant.query(({ photos }) => photos.kinds(request));
  const sorted = (values: readonly CountedValue[]) => values.map(({ value, photos }) => `${value}: ${photos}`).sort();

  it('of a library without photos are none', async () => {
    const tenant = await newTenant();
    expect([await cameras(tenant), await lenses(tenant), await countries(tenant)]).toEqual([[], [], []]);
    expect(await kinds(tenant)).toEqual([]);
  });

  it('kinds are what photos have in common', async () => {
    const tenant = await newTenant();
    const tag = await tenant.addTag('Paris');
    const upright = { width: 300, height: 400, rating: 4, favorite: true, contentType: 'image/png' };
    await tenant.addPhoto({ ...upright, location: { latitude: 1, longitude: 2, altitude: null } }, [tag.id]);
    await tenant.addPhotos([{}, {}, { width: 300, height: 300, rating: 0 }, { ...inTrash, rating: 5 }]);
    const of = (values: Partial<PhotoKind>) => ({
      ...{ rating: null, aspect: 'landscape', located: false, tagged: false, favorite: false, photos: 1 },
      contentType: 'image/jpeg',
      ...values,
    });
    const found = await kinds(tenant);
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining([
        of({ photos: 2 }),
        of({ rating: 0, aspect: 'square' }),
        of({
          ...{ rating: 4, aspect: 'portrait', located: true, tagged: true, favorite: true },
          contentType: 'image/png',
        }),
      ]),
    );
    expect(await kinds(tenant, { ...all, trashed: true })).toEqual([of({ rating: 5 })]);
  });

  it('cameras are those with a name, as they write it', async () => {
    const tenant = await newTenant();
    await tenant.addPhotos([camera('Canon', 'EOS R5'), camera('Canon', 'EOS R5'), camera(null, 'Z 9'), {}]);
    await tenant.addPhotos([{ ...camera('Leica', null), ...inTrash }, camera(null, null)]);
    expect(sorted(await cameras(tenant))).toEqual(['Canon EOS R5: 2', 'Z 9: 1']);
    expect(sorted(await cameras(tenant, { ...all, trashed: true }))).toEqual(['Leica: 1']);
  });

  it('lenses are as cameras write them', async () => {
    const tenant = await newTenant();
    await tenant.addPhotos([
      lens('RF 50mm'),
      lens('RF 50mm'),
      lens('rf 50mm'),
      lens('Ä 35mm'),
      lens(''),
      lens(null),
      {},
    ]);
    await tenant.addPhotos([{ ...lens('Old 28mm'), ...inTrash }]);
    expect(sorted(await lenses(tenant))).toEqual(['RF 50mm: 2', 'rf 50mm: 1', 'Ä 35mm: 1']);
    expect(sorted(await lenses(tenant, { ...all, trashed: true }))).toEqual(['Old 28mm: 1']);
    expect(sorted(await lenses(tenant, { ...all, counted: 1 }))).toEqual(['RF 50mm: 1', 'rf 50mm: 1', 'Ä 35mm: 1']);
    expect(await lenses(tenant, { ...all, limit: 1 })).toHaveLength(1);
  });

  it('countries are those of places', async () => {
    const tenant = await newTenant();
    const inFiji = { place: { country: 'FJ', region: null, city: 'Suva' } };
    await tenant.addPhotos([inFrance, inFiji, inFrance, {}, { ...inFrance, ...inTrash }]);
    expect(sorted(await countries(tenant))).toEqual(['FJ: 1', 'FR: 2']);
  });

  it('are counted up to a limit, and limited in number', async () => {
    const tenant = await newTenant();
    const one = { ...camera('Canon', 'EOS'), ...inFrance };
    await tenant.addPhotos([one, one, one, one, { ...camera('Nikon', 'D750'), contentType: 'image/png' }]);
    const few = { ...all, counted: 3 };
    expect(sorted(await cameras(tenant, few))).toEqual(['Canon EOS: 3', 'Nikon D750: 1']);
    expect(sorted(await countries(tenant, few))).toEqual(['FR: 3']);
    expect((await kinds(tenant, few)).map(({ photos }) => photos).sort()).toEqual([1, 3]);
    expect([await cameras(tenant, { ...all, limit: 1 }), await kinds(tenant, { ...all, limit: 1 })]).toEqual([
      [expect.anything()],
      [expect.anything()],
    ]);
  });

  it('are those of one customer', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await other.addPhotos([{ ...camera('Canon', 'EOS', 'RF 50mm'), ...inFrance }]);
    expect([await cameras(tenant), await lenses(tenant), await countries(tenant)]).toEqual([[], [], []]);
    expect(await kinds(tenant)).toEqual([]);
  });
}
