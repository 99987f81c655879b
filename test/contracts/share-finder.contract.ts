import type { CustomerStatus } from '../../src/core/customers/customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { ShareFinder } from '../../src/core/shares/share.js';
import { sampleShare } from '../support/samples.js';
import { atOnce, type CustomerPorts, Tenant } from '../support/tenant.js';

export interface OpenShares extends CustomerPorts {
  readonly shares: ShareFinder;
  setStatus(customerId: Id, status: CustomerStatus): Promise<void>;
  close(): Promise<void>;
}

/** What `ShareFinder` promises. It is opened once: every test has customers of its own. */
export function shareFinderContract(name: string, open: () => Promise<OpenShares>): void {
  describe(`ShareFinder: ${name}`, () => {
    let opened: OpenShares;
    let tenant: Tenant;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      tenant = await Tenant.of(opened);
    });

    const hashOf = (letter: string) => `${letter.repeat(40)}-${tenant.id}`;
    const share = (of = tenant, values = {}) => of.transaction(({ shares }) => shares.insert(sampleShare(values)));
    const find = (tokenHash: string) => opened.shares.find(tokenHash);

    it.each(['active', 'suspended', 'closing'] as const)('finds the share of a customer that is %s', async (status) => {
      const stored = await share(tenant, { tokenHash: hashOf('a'), photoIds: [7, 2 ** 40] });
      await opened.setStatus(tenant.id, status);
      expect(await find(hashOf('a'))).toEqual({ share: stored, customerStatus: status });
    });

    it('finds each of many shares that are requested at once, of whichever customer', async () => {
      const other = await Tenant.of(opened);
      const stored = await atOnce(6, (number) =>
        share(number % 2 === 0 ? tenant : other, { tokenHash: hashOf(String(number)) }),
      );
      const found = await Promise.all([...stored, ...stored].map(({ tokenHash }) => find(tokenHash)));
      expect(found.map((known) => known?.share)).toEqual([...stored, ...stored]);
    });

    it('returns expired shares, because the rule in core decides', async () => {
      const stored = await share(tenant, { tokenHash: hashOf('a'), expiresAt: new Date(0) });
      expect((await find(hashOf('a')))?.share).toEqual(stored);
    });

    it('compares the whole hash, with its letter case', async () => {
      await share(tenant, { tokenHash: hashOf('a') });
      expect(await find(hashOf('A'))).toBeNull();
      expect(await find(hashOf('a').slice(1))).toBeNull();
      expect(await find('')).toBeNull();
    });

    it('finds no share from the moment it is deleted', async () => {
      const { id } = await share(tenant, { tokenHash: hashOf('a') });
      expect(await find(hashOf('a'))).not.toBeNull();
      await tenant.transaction(({ shares }) => shares.delete(id));
      expect(await find(hashOf('a'))).toBeNull();
    });
  });
}
