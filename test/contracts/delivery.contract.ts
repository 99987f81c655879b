import { later, sampleDeliveryKey, samplePreset } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What the repositories of delivery keys and presets promise. */
export function deliveryContract(newTenant: NewTenant): void {
  describe('delivery keys', () => deliveryKeysContract(newTenant));
  describe('presets', () => presetsContract(newTenant));
}

function deliveryKeysContract(newTenant: NewTenant): void {
  const addKey = (tenant: Tenant, values: Partial<ReturnType<typeof sampleDeliveryKey>> = {}) =>
    tenant.transaction(({ deliveryKeys }) => deliveryKeys.insert(sampleDeliveryKey(values)));
  const list = (tenant: Tenant) => tenant.query(({ deliveryKeys }) => deliveryKeys.list());

  it('are stored with every value under a new id, and listed oldest first', async () => {
    const tenant = await newTenant();
    const given = [sampleDeliveryKey(), sampleDeliveryKey({ name: 'É 📷', presetsOnly: true, expiresAt: later(1) })];
    const [first, second] = [await addKey(tenant, given[0]), await addKey(tenant, given[1])];
    expect([first, second]).toEqual(
      given.map((key, at) => ({ ...key, id: [first, second][at]?.id, customerId: tenant.id })),
    );
    expect(second.id).toBeGreaterThan(first.id);
    expect(await list(tenant)).toEqual([first, second]);
    expect(await tenant.query(({ deliveryKeys }) => deliveryKeys.get(second.id))).toEqual(second);
  });

  it('are changed once they are locked', async () => {
    const tenant = await newTenant();
    const [key, other] = [await addKey(tenant), await addKey(tenant)];
    await tenant.transaction(async ({ deliveryKeys }) => {
      expect(await deliveryKeys.lock(key.id)).toEqual(key);
      await deliveryKeys.update({ ...key, secret: 'sealed again' });
    });
    expect(await list(tenant)).toEqual([{ ...key, secret: 'sealed again' }, other]);
  });

  it('are changed by one transaction at a time, and the next one reads what the first stored', async () => {
    const tenant = await newTenant();
    const { id } = await addKey(tenant);
    const edit = (more: { name: string } | { presetsOnly: boolean }) =>
      tenant.transaction(async ({ deliveryKeys }) => {
        const key = present(await deliveryKeys.lock(id));
        await deliveryKeys.update({ ...key, ...more });
      });
    await Promise.all([edit({ name: 'one' }), edit({ presetsOnly: true })]);
    expect(await list(tenant)).toMatchObject([{ name: 'one', presetsOnly: true }]);
    const last = await Promise.allSettled([
      tenant.transaction(({ deliveryKeys }) => deliveryKeys.delete(id)),
      edit({ name: 'two' }),
    ]);
    expect(last[0].status).toBe('fulfilled');
    expect(await list(tenant)).toEqual([]);
  });

  it('are not found after they are deleted', async () => {
    const tenant = await newTenant();
    const [key, other] = [await addKey(tenant), await addKey(tenant)];
    await tenant.transaction(({ deliveryKeys }) => deliveryKeys.delete(key.id));
    expect(await list(tenant)).toEqual([other]);
    expect(await tenant.transaction(({ deliveryKeys }) => deliveryKeys.lock(key.id))).toBeNull();
  });

  it('of another customer are not found', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const key = await addKey(tenant);
    await other.transaction(async ({ deliveryKeys }) => {
      expect(await deliveryKeys.get(key.id)).toBeNull();
      expect(await deliveryKeys.lock(key.id)).toBeNull();
      expect(await deliveryKeys.list()).toEqual([]);
      await deliveryKeys.update({ ...key, secret: 'theirs' });
      await deliveryKeys.delete(key.id);
    });
    expect(await list(tenant)).toEqual([key]);
  });
}

function presetsContract(newTenant: NewTenant): void {
  const put = (tenant: Tenant, name: string, values: Partial<ReturnType<typeof samplePreset>> = {}) =>
    tenant.transaction(({ presets }) => presets.put(samplePreset(name, values)));
  const list = (tenant: Tenant) => tenant.query(({ presets }) => presets.list());

  it('are stored under their names, and listed by them in the order of their characters', async () => {
    const tenant = await newTenant();
    for (const name of ['thumb', '_wide', 'card-2', 'card']) await put(tenant, name);
    expect((await list(tenant)).map(({ name }) => name)).toEqual(['_wide', 'card', 'card-2', 'thumb']);
    const expected = { ...samplePreset('card'), customerId: tenant.id };
    expect(await tenant.query(({ presets }) => presets.get('card'))).toEqual(expected);
    expect(await tenant.query(({ presets }) => presets.get('car'))).toBeNull();
  });

  it('accept other options, and keep the time of their creation', async () => {
    const tenant = await newTenant();
    const before = await put(tenant, 'card');
    const after = await put(tenant, 'card', { options: 'w=2', createdAt: later(9), updatedAt: later(9) });
    expect(after).toEqual({ ...before, options: 'w=2', updatedAt: later(9) });
    expect(await list(tenant)).toEqual([after]);
  });

  it('are not found after they are deleted', async () => {
    const tenant = await newTenant();
    const [, kept] = [await put(tenant, 'card'), await put(tenant, 'thumb')];
    const remove = () => tenant.transaction(({ presets }) => presets.delete('card'));
    expect([await remove(), await remove()]).toEqual([true, false]);
    expect(await list(tenant)).toEqual([present(kept)]);
  });

  it('of two customers may have the same name', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const [own, theirs] = [await put(tenant, 'card'), await put(other, 'card', { options: 'w=2' })];
    expect(await other.transaction(({ presets }) => presets.delete('card'))).toBe(true);
    expect(theirs.customerId).toBe(other.id);
    expect(await list(tenant)).toEqual([own]);
    expect(await list(other)).toEqual([]);
  });
}
