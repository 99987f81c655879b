import type { CustomerStatus } from '../../src/core/customers/customer.js';
import type { DeliveryKeyFinder } from '../../src/core/delivery/delivery-key.js';
import type { Id } from '../../src/core/shared/ids.js';
import { sampleDeliveryKey } from '../support/samples.js';
import { atOnce, type CustomerPorts, Tenant } from '../support/tenant.js';

export interface OpenDeliveryKeys extends CustomerPorts {
  readonly deliveryKeys: DeliveryKeyFinder;
  setStatus(customerId: Id, status: CustomerStatus): Promise<void>;
  close(): Promise<void>;
}

/** What `DeliveryKeyFinder` promises. It is opened once: every test has customers of its own. */
export function deliveryKeyFinderContract(name: string, open: () => Promise<OpenDeliveryKeys>): void {
  describe(`DeliveryKeyFinder: ${name}`, () => {
    let opened: OpenDeliveryKeys;
    let tenant: Tenant;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      tenant = await Tenant.of(opened);
    });

    const addKey = (to = tenant, values = {}) =>
      to.transaction(({ deliveryKeys }) => deliveryKeys.insert(sampleDeliveryKey(values)));
    const find = (publicId: string) => opened.deliveryKeys.find(publicId);

    it.each(['active', 'suspended', 'closing'] as const)('finds the key of a customer that is %s', async (status) => {
      const key = await addKey();
      await opened.setStatus(tenant.id, status);
      expect(await find(key.publicId)).toEqual({ key, customerStatus: status });
    });

    it('finds each of many keys that are requested at once, of whichever customer', async () => {
      const other = await Tenant.of(opened);
      const keys = await atOnce(6, (number) => addKey(number % 2 === 0 ? tenant : other));
      const found = await Promise.all([...keys, ...keys].map(({ publicId }) => find(publicId)));
      expect(found.map((known) => known?.key)).toEqual([...keys, ...keys]);
    });

    it('returns expired keys, because the rule in core decides', async () => {
      const key = await addKey(tenant, { expiresAt: new Date(0) });
      expect((await find(key.publicId))?.key).toEqual(key);
    });

    it('compares the whole id, with its letter case', async () => {
      await addKey(tenant, { publicId: 'dk_AAAAAAAAAAAAAAAA' });
      expect(await find('dk_aaaaaaaaaaaaaaaa')).toBeNull();
      expect(await find('dk_AAAAAAAAAAAAAAA')).toBeNull();
      expect(await find('')).toBeNull();
    });

    it('finds no key from the moment it is deleted', async () => {
      const key = await addKey();
      expect(await find(key.publicId)).not.toBeNull();
      await tenant.transaction(({ deliveryKeys }) => deliveryKeys.delete(key.id));
      expect(await find(key.publicId)).toBeNull();
    });
  });
}
