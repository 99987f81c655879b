import type { NewSavedSearch } from '../../src/core/searches/saved-search.js';
import { sampleInstant } from '../support/samples.js';
import type { Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const sample = (name: string): NewSavedSearch => {
  return { name, nameKey: name.toLowerCase(), query: 'rating=4', createdAt: sampleInstant };
};

export function savedSearchesContract(newTenant: NewTenant): void {
  const add = (tenant: Tenant, name: string) =>
    tenant.transaction(({ savedSearches }) => savedSearches.insert(sample(name)));
  const list = (tenant: Tenant) => tenant.query(({ savedSearches }) => savedSearches.list());
  const rename = (tenant: Tenant, id: number, name: string) =>
    tenant.transaction(({ savedSearches }) => savedSearches.rename(id, { name, nameKey: name.toLowerCase() }));
  const remove = (tenant: Tenant, id: number) => tenant.transaction(({ savedSearches }) => savedSearches.delete(id));

  it('are stored with every value, and listed by their folded names', async () => {
    const tenant = await newTenant();
    const [second, first] = [await add(tenant, 'Paris'), await add(tenant, 'family')];
    expect(second).toEqual({ ...sample('Paris'), customerId: tenant.id, id: expect.any(Number) });
    expect(await list(tenant)).toEqual([first, second]);
  });

  it('can be renamed, but not to a name that another one has', async () => {
    const tenant = await newTenant();
    const [one, two] = [await add(tenant, 'One'), await add(tenant, 'Two')];
    expect(await rename(tenant, one.id, 'Zero')).toBe(true);
    expect(await list(tenant)).toEqual([two, { ...one, name: 'Zero', nameKey: 'zero' }]);
    await expect(rename(tenant, one.id, 'TWO')).rejects.toThrow();
    await expect(add(tenant, 'two')).rejects.toThrow();
    expect(await list(tenant)).toHaveLength(2);
  });

  it('are not found after they are deleted', async () => {
    const tenant = await newTenant();
    const { id } = await add(tenant, 'One');
    expect([await remove(tenant, id), await remove(tenant, id)]).toEqual([true, false]);
    expect([await list(tenant), await rename(tenant, id, 'Two')]).toEqual([[], false]);
  });

  it('of another customer are not found, and may have the same name', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const [own, theirs] = [await add(tenant, 'One'), await add(other, 'One')];
    expect([await rename(other, own.id, 'Mine'), await remove(other, own.id)]).toEqual([false, false]);
    expect([await list(tenant), await list(other)]).toEqual([[own], [theirs]]);
  });
}
