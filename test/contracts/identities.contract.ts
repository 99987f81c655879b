import type { Id } from '../../src/core/shared/ids.js';
import type { Identity, NewIdentity } from '../../src/core/users/provider/identity.js';
import { newInvitedUser } from '../../src/core/users/user.js';
import { later, sampleHash } from '../support/samples.js';
import { atOnce, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const ISSUER = 'https://sign-in.example.com';
const sample = (userId: Id, values: Partial<NewIdentity> = {}): NewIdentity => {
  return { userId, issuer: ISSUER, subject: sampleHash(), linkedAt: later(0), lastUsedAt: later(1), ...values };
};

export function identitiesContract(newTenant: NewTenant): void {
  const person = async (tenant: Tenant): Promise<Id> => {
    const user = newInvitedUser(`${sampleHash().slice(0, 9)}@example.com`, 'viewer', later(0));
    return present(await tenant.transaction(({ users }) => users.insert(user))).id;
  };
  const insert = (tenant: Tenant, identity: NewIdentity): Promise<Identity | null> =>
    tenant.transaction(({ identities }) => identities.insert(identity));
  const of = (tenant: Tenant, userId: Id) => tenant.query(({ identities }) => identities.of(userId));
  const remove = (tenant: Tenant, userId: Id, id: Id) =>
    tenant.transaction(({ identities }) => identities.delete(userId, id));

  it('are stored with every value, and listed by person', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const [given, others] = [sample(anna), sample(bert)];
    const first = present(await insert(tenant, given));
    const second = present(await insert(tenant, sample(anna, { issuer: 'https://other.example.com' })));
    const third = present(await insert(tenant, others));
    expect(first).toEqual({ ...given, customerId: tenant.id, id: first.id });
    expect([await of(tenant, anna), await of(tenant, bert)]).toEqual([[first, second], [third]]);
    expect(await tenant.query(({ identities }) => identities.list())).toEqual([first, second, third]);
    await tenant.transaction(({ identities }) => identities.use(anna, first.id, later(9)));
    await tenant.transaction(({ identities }) => identities.use(bert, second.id, later(9)));
    expect(await of(tenant, anna)).toEqual([{ ...first, lastUsedAt: later(9) }, second]);
  });

  it('belong to one person of a customer each, also under concurrent inserts, and are case-sensitive', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const people = [await person(tenant), await person(tenant), await person(tenant)];
    const subject = `A${sampleHash()}`;
    const stored = await atOnce(3, (at) => insert(tenant, sample(present(people[at % 3]), { subject })));
    expect(stored.filter((identity) => identity !== null)).toHaveLength(1);
    expect(await insert(tenant, sample(present(people[0]), { subject: subject.toLowerCase() }))).not.toBeNull();
    expect(await insert(other, sample(await person(other), { subject }))).not.toBeNull();
  });

  it('are removed one by one, or together with their person', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const first = present(await insert(tenant, sample(anna)));
    const second = present(await insert(tenant, sample(bert)));
    expect([await remove(tenant, bert, first.id), await remove(tenant, anna, first.id)]).toEqual([false, true]);
    expect(await remove(tenant, anna, first.id)).toBe(false);
    await tenant.transaction(({ users }) => users.delete(bert));
    expect(await tenant.query(({ identities }) => identities.list())).toEqual([]);
    await expect(insert(tenant, sample(second.userId))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are invisible and unchangeable for another customer', async () => {
    const [theirs, mine] = [await newTenant(), await newTenant()];
    const anna = await person(theirs);
    const identity = present(await insert(theirs, sample(anna)));
    expect([await of(mine, anna), await remove(mine, anna, identity.id)]).toEqual([[], false]);
    await mine.transaction(({ identities }) => identities.use(anna, identity.id, later(9)));
    await expect(insert(mine, sample(anna))).rejects.toMatchObject({ code: 'not_found' });
    expect(await of(theirs, anna)).toEqual([identity]);
  });
}
