import type { Id } from '../../src/core/shared/ids.js';
import type { NewPasskey } from '../../src/core/users/factors/passkey.js';
import type { NewAuthenticatorApp, NewPendingSignIn } from '../../src/core/users/factors/second-factor.js';
import { newInvitedUser } from '../../src/core/users/user.js';
import { later, sampleHash } from '../support/samples.js';
import { atOnce, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const sampleApp = (userId: Id, values: Partial<NewAuthenticatorApp> = {}): NewAuthenticatorApp => {
  return { userId, name: 'Phone', secret: 'v1.x', lastStep: 7, createdAt: later(0), lastUsedAt: later(1), ...values };
};
const samplePasskey = (userId: Id, values: Partial<NewPasskey> = {}): NewPasskey => {
  const times = { createdAt: later(0), lastUsedAt: later(1) };
  const key = { credentialId: sampleHash(), publicKey: 'pQECAyYgASFYIA', counter: 7, signsInAlone: true };
  return { userId, name: 'Laptop', ...key, ...times, ...values };
};
const samplePending = (userId: Id, values: Partial<NewPendingSignIn> = {}): NewPendingSignIn => {
  return { userId, tokenHash: sampleHash(), startedAt: later(0), source: '', byLink: false, ...values };
};

export function secondFactorsContract(newTenant: NewTenant): void {
  const person = async (tenant: Tenant): Promise<Id> => {
    const user = newInvitedUser(`${sampleHash().slice(0, 9)}@example.com`, 'viewer', later(0));
    return present(await tenant.transaction(({ users }) => users.insert(user))).id;
  };
  const addApp = (tenant: Tenant, userId: Id, values: Partial<NewAuthenticatorApp> = {}) =>
    tenant.transaction(({ factors }) => factors.insertApp(sampleApp(userId, values)));
  const appsOf = (tenant: Tenant, userId: Id) => tenant.query(({ factors }) => factors.appsOf(userId));
  const addPasskey = async (tenant: Tenant, userId: Id, values: Partial<NewPasskey> = {}) =>
    present(await tenant.transaction(({ factors }) => factors.insertPasskey(samplePasskey(userId, values))));
  const passkeysOf = (tenant: Tenant, userId: Id) => tenant.query(({ factors }) => factors.passkeysOf(userId));
  const findPasskey = (tenant: Tenant, credentialId: string) =>
    tenant.query(({ factors }) => factors.findPasskey(credentialId));
  const countFactors = (tenant: Tenant, userId: Id) => tenant.query(({ factors }) => factors.countFactors(userId));
  const useCounter = (tenant: Tenant, id: Id, counter: number) =>
    tenant.transaction(({ factors }) => factors.useCounter(id, counter, later(9)));
  const useChallenge = (tenant: Tenant, userId: Id, hash: string, at = later(0), since = later(-9)) =>
    tenant.transaction(({ factors }) => factors.useChallenge(userId, hash, at, since));
  const useStep = (tenant: Tenant, id: Id, step: number) =>
    tenant.transaction(({ factors }) => factors.useStep(id, step, later(9)));
  const setCodes = (tenant: Tenant, userId: Id, ...hashes: readonly string[]) =>
    tenant.transaction(({ factors }) => factors.setRecoveryCodes(userId, hashes));
  const useCode = (tenant: Tenant, userId: Id, hash: string) =>
    tenant.transaction(({ factors }) => factors.useRecoveryCode(userId, hash));
  const countCodes = (tenant: Tenant, userId: Id) => tenant.query(({ factors }) => factors.countRecoveryCodes(userId));
  const openPending = async (tenant: Tenant, userId: Id, values: Partial<NewPendingSignIn> = {}, since = later(-1)) => {
    const pending = samplePending(userId, values);
    await tenant.transaction(({ factors }) => factors.openPending(pending, since));
    return pending.tokenHash;
  };
  const find = (tenant: Tenant, hash: string) => tenant.query(({ factors }) => factors.findPending(hash));

  it('authenticator apps are stored with every value, and listed by person', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const first = await addApp(tenant, anna);
    const second = await addApp(tenant, anna, { name: 'Tablet' });
    const third = await addApp(tenant, bert);
    expect(first).toEqual({ ...sampleApp(anna), customerId: tenant.id, id: expect.any(Number) });
    expect([await appsOf(tenant, anna), await appsOf(tenant, bert)]).toEqual([[first, second], [third]]);
    expect(await tenant.query(({ factors }) => factors.listApps())).toEqual([first, second, third]);
    const remove = (userId: Id) => tenant.transaction(({ factors }) => factors.deleteApp(userId, first.id));
    expect([await remove(bert), await remove(anna), await remove(anna)]).toEqual([false, true, false]);
    expect(await appsOf(tenant, anna)).toEqual([second]);
  });

  it('time steps of apps are used once, and none before them, also by several requests at once', async () => {
    const tenant = await newTenant();
    const anna = await person(tenant);
    const app = await addApp(tenant, anna, { lastStep: 7 });
    expect([await useStep(tenant, app.id, 6), await useStep(tenant, app.id, 7)]).toEqual([false, false]);
    const used = await atOnce(5, () => useStep(tenant, app.id, 9));
    expect(used.filter((each) => each)).toHaveLength(1);
    expect(await useStep(tenant, app.id, 8)).toBe(false);
    expect(await appsOf(tenant, anna)).toEqual([{ ...app, lastStep: 9, lastUsedAt: later(9) }]);
  });

  it('passkeys are stored with every value, listed by person, found by their own name, and counted with apps', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const values = samplePasskey(anna);
    const first = await addPasskey(tenant, anna, values);
    expect(first).toEqual({ ...values, customerId: tenant.id, id: expect.any(Number) });
    const second = await addPasskey(tenant, anna, { signsInAlone: false });
    const theirs = await addPasskey(tenant, bert);
    await addApp(tenant, anna);
    expect([await passkeysOf(tenant, anna), await passkeysOf(tenant, bert)]).toEqual([[first, second], [theirs]]);
    expect(await findPasskey(tenant, first.credentialId)).toEqual(first);
    expect(await findPasskey(tenant, sampleHash())).toBeNull();
    expect([await countFactors(tenant, anna), await countFactors(tenant, bert)]).toEqual([3, 1]);
    const remove = (userId: Id) => tenant.transaction(({ factors }) => factors.deletePasskey(userId, first.id));
    expect([await remove(bert), await remove(anna), await remove(anna)]).toEqual([false, true, false]);
    expect([await passkeysOf(tenant, anna), await countFactors(tenant, anna)]).toEqual([[second], 2]);
  });

  it('passkeys belong to one person each within a customer', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const { credentialId } = await addPasskey(tenant, anna);
    const again = tenant.transaction(({ factors }) => factors.insertPasskey(samplePasskey(bert, { credentialId })));
    expect([await again, await passkeysOf(tenant, bert)]).toEqual([null, []]);
    expect((await addPasskey(other, await person(other), { credentialId })).customerId).toBe(other.id);
  });

  it('counters of passkeys only go up, or stay at zero where the device does not count', async () => {
    const tenant = await newTenant();
    const anna = await person(tenant);
    const [counting, plain] = [await addPasskey(tenant, anna), await addPasskey(tenant, anna, { counter: 0 })];
    for (const counter of [0, 6, 7]) expect(await useCounter(tenant, counting.id, counter)).toBe(false);
    expect(await findPasskey(tenant, counting.credentialId)).toEqual(counting);
    expect((await atOnce(5, () => useCounter(tenant, counting.id, 9))).filter((each) => each)).toHaveLength(1);
    expect(await findPasskey(tenant, counting.credentialId)).toEqual({ ...counting, counter: 9, lastUsedAt: later(9) });
    expect([await useCounter(tenant, plain.id, 0), await useCounter(tenant, plain.id, 0)]).toEqual([true, true]);
    expect(await findPasskey(tenant, plain.credentialId)).toEqual({ ...plain, lastUsedAt: later(9) });
    expect([await useCounter(tenant, plain.id, 1), await useCounter(tenant, plain.id, 0)]).toEqual([true, false]);
  });

  it('challenges are answered once, until they are deleted', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const hash = sampleHash();
    expect((await atOnce(5, () => useChallenge(tenant, anna, hash))).filter((each) => each)).toHaveLength(1);
    expect(await useChallenge(tenant, bert, hash, later(5), later(1))).toBe(false);
    expect(await useChallenge(tenant, anna, sampleHash(), later(5), later(0))).toBe(true);
    expect(await useChallenge(tenant, anna, hash, later(5), later(0))).toBe(false);
    expect(await useChallenge(tenant, anna, hash, later(5), later(1))).toBe(true);
  });

  it('secrets are replaced unless another request replaced them', async () => {
    const tenant = await newTenant();
    const anna = await person(tenant);
    const app = await addApp(tenant, anna, { secret: 'old' });
    const replace = (secret: string, newer: string) =>
      tenant.transaction(({ factors }) => factors.replaceSecret({ id: app.id, secret }, newer));
    await replace('old', 'new');
    await replace('old', 'newer');
    expect(await appsOf(tenant, anna)).toEqual([{ ...app, secret: 'new' }]);
  });

  it('recovery codes work once, for their person, until there are others', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const [one, two, three] = [sampleHash(), sampleHash(), sampleHash()];
    await setCodes(tenant, anna, one, two);
    await setCodes(tenant, bert, three);
    expect(await useCode(tenant, bert, one)).toBe(false);
    expect((await atOnce(5, () => useCode(tenant, anna, one))).filter((each) => each)).toHaveLength(1);
    expect([await countCodes(tenant, anna), await countCodes(tenant, bert)]).toEqual([1, 1]);
    await setCodes(tenant, anna, one);
    expect([await useCode(tenant, anna, two), await useCode(tenant, anna, one)]).toEqual([false, true]);
  });

  it('wrong codes are counted by person and source, for a limited time', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const add = (userId: Id, source: string, at: Date, since = later(-9)) =>
      tenant.transaction(({ factors }) => factors.addWrongCode(userId, source, at, since));
    const count = (userId: Id, source: string, since: Date) =>
      tenant.query(({ factors }) => factors.countWrongCodes(userId, source, since));
    for (const at of [0, 1, 2]) await add(anna, '', later(at));
    await add(anna, 'device:x', later(2));
    await add(bert, '', later(2));
    expect(await count(anna, '', later(1))).toBe(2);
    expect(await count(anna, 'device:x', later(0))).toBe(1);
    await add(anna, '', later(3), later(2));
    expect([await count(anna, '', later(-9)), await count(bert, '', later(-9))]).toEqual([2, 1]);
  });

  it('pending sign-ins are stored with every value, count tries, and end', async () => {
    const tenant = await newTenant();
    const anna = await person(tenant);
    const values = { source: 'device:x', byLink: true };
    const hash = await openPending(tenant, anna, values);
    expect(await find(tenant, hash)).toEqual({
      ...{ ...samplePending(anna, values), tokenHash: hash },
      ...{ customerId: tenant.id, tries: 0 },
    });
    for (const _ of [1, 2]) await tenant.transaction(({ factors }) => factors.countTry(hash));
    expect(await find(tenant, hash)).toMatchObject({ tries: 2 });
    const newer = await openPending(tenant, anna, { startedAt: later(5) }, later(1));
    expect([await find(tenant, hash), (await find(tenant, newer))?.userId]).toEqual([null, anna]);
    await tenant.transaction(({ factors }) => factors.endPending(newer));
    expect(await find(tenant, newer)).toBeNull();
  });

  it('of a person can all be ended or removed', async () => {
    const tenant = await newTenant();
    const [anna, bert] = [await person(tenant), await person(tenant)];
    const [first, theirs] = [await openPending(tenant, anna), await openPending(tenant, bert)];
    await tenant.transaction(({ factors }) => factors.endPendingOf(anna));
    expect([await find(tenant, first), (await find(tenant, theirs))?.userId]).toEqual([null, bert]);
    for (const id of [anna, bert]) await addApp(tenant, id);
    for (const id of [anna, bert]) await addPasskey(tenant, id);
    for (const id of [anna, bert]) await setCodes(tenant, id, sampleHash());
    const second = await openPending(tenant, anna);
    const removeAll = () => tenant.transaction(({ factors }) => factors.deleteAll(anna));
    expect([await removeAll(), await removeAll()]).toEqual([2, 0]);
    expect([await appsOf(tenant, anna), await countCodes(tenant, anna), await find(tenant, second)]).toEqual([
      [],
      0,
      null,
    ]);
    expect([
      await countFactors(tenant, anna),
      await countFactors(tenant, bert),
      await countCodes(tenant, bert),
    ]).toEqual([0, 2, 1]);
  });

  it('are deleted with their person', async () => {
    const tenant = await newTenant();
    const anna = await person(tenant);
    await addApp(tenant, anna);
    await addPasskey(tenant, anna);
    const challenge = sampleHash();
    await useChallenge(tenant, anna, challenge);
    await setCodes(tenant, anna, sampleHash());
    const hash = await openPending(tenant, anna);
    await tenant.transaction(({ users }) => users.delete(anna));
    expect(await countFactors(tenant, anna)).toBe(0);
    expect(await useChallenge(tenant, await person(tenant), challenge)).toBe(true);
    expect([await appsOf(tenant, anna), await countCodes(tenant, anna), await find(tenant, hash)]).toEqual([
      [],
      0,
      null,
    ]);
  });

  it('cannot exist without a user, and are unknown to other customers', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const anna = await person(tenant);
    const [app, hash, code] = [await addApp(tenant, anna), await openPending(tenant, anna), sampleHash()];
    await setCodes(tenant, anna, code);
    const passkey = await addPasskey(tenant, anna);
    const challenge = sampleHash();
    await useChallenge(tenant, anna, challenge);
    const notFound = { code: 'not_found' };
    await expect(addPasskey(other, anna)).rejects.toMatchObject(notFound);
    await expect(useChallenge(other, anna, challenge)).rejects.toMatchObject(notFound);
    expect(await useChallenge(other, await person(other), challenge)).toBe(true);
    expect([await findPasskey(other, passkey.credentialId), await passkeysOf(other, anna)]).toEqual([null, []]);
    expect([await useCounter(other, passkey.id, 99), await countFactors(other, anna)]).toEqual([false, 0]);
    await expect(addApp(other, anna)).rejects.toMatchObject(notFound);
    await expect(setCodes(other, anna, code)).rejects.toMatchObject(notFound);
    await expect(openPending(other, anna)).rejects.toMatchObject(notFound);
    expect([await appsOf(other, anna), await find(other, hash), await countCodes(other, anna)]).toEqual([[], null, 0]);
    expect([await useStep(other, app.id, 99), await useCode(other, anna, code)]).toEqual([false, false]);
    await other.transaction(async ({ factors }) => {
      await factors.replaceSecret(app, 'mine');
      await factors.countTry(hash);
      await factors.endPending(hash);
      await factors.endPendingOf(anna);
      expect(await factors.deletePasskey(anna, passkey.id)).toBe(false);
      expect([await factors.deleteApp(anna, app.id), await factors.deleteAll(anna)]).toEqual([false, 0]);
    });
    expect([await appsOf(tenant, anna), await countCodes(tenant, anna)]).toEqual([[app], 1]);
    expect(await passkeysOf(tenant, anna)).toEqual([passkey]);
    expect(await find(tenant, hash)).toMatchObject({ tries: 0 });
  });
}
