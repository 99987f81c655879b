import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { closeCustomer, suspendCustomer } from '../../src/core/customers/edit-customer.js';
import { resealSecrets } from '../../src/core/customers/reseal.js';
import {
  createDeliveryKey,
  type DeliveryKey,
  type DeliveryKeySettings,
  deleteDeliveryKey,
  deliverySecrets,
  editDeliveryKey,
  isPublicId,
  listDeliveryKeys,
  MAX_DELIVERY_KEYS,
  openDeliveryKey,
  readDeliveryKey,
} from '../../src/core/delivery/delivery-key.js';
import { parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import {
  deletePreset,
  listPresets,
  MAX_PRESETS,
  type Preset,
  readPreset,
  savePreset,
} from '../../src/core/delivery/preset.js';
import { resolveOptions } from '../../src/core/delivery/signed-address.js';
import { after, DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { Account, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

let here: World;
let acme: Id;
beforeEach(async () => {
  here = world();
  acme = (await Account.open(here)).caller.customerId;
});

const create = (values: Partial<Pick<DeliveryKey, 'name' | 'presetsOnly' | 'expiresAt'>> = {}, of = acme) =>
  createDeliveryKey(here, operatorFor(of), { name: 'shop', presetsOnly: false, expiresAt: null, ...values });
const tomorrow = () => after(here.clock.now(), DAY);
const save = (name: string, options: string, of = acme) => savePreset(here, operatorFor(of), { name, options });
const entries = async () => {
  const all = await here.store.query(acme, ({ audit }) => audit.list(null, 100));
  return all.toReversed().map(({ action, subjectId, subjectName }) => [action, subjectId, subjectName]);
};
const invalid = (field: string, code: unknown = expect.any(String)) => ({
  code: 'invalid_request',
  details: { errors: [expect.objectContaining({ field, code })] },
});

describe('a delivery key', () => {
  test('is found by the id in addresses, with the secret that was shown once', async () => {
    const { key, secret } = await create({
      name: ' Shop ',
      presetsOnly: true,
      expiresAt: tomorrow(),
    });
    expect(key).toMatchObject({ customerId: acme, name: 'Shop', presetsOnly: true });
    expect(isPublicId(key.publicId)).toBe(true);
    expect(secret).toMatch(/^phs_sign_[\w-]{43}$/);
    expect(await openDeliveryKey(here, key.publicId)).toEqual({ key, secret });
    expect(await listDeliveryKeys(here, acme)).toEqual([key]);
  });

  test('has an id and a secret of its own', async () => {
    const made = [await create(), await create()];
    expect(new Set(made.map(({ key }) => key.publicId)).size).toBe(2);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(2);
  });

  test('is stored with its secret encrypted, and no audit entry or event contains the secret', async () => {
    const { key, secret } = await create();
    await deleteDeliveryKey(here, operatorFor(acme), key.id);
    const { deliveryKeys, auditEntries, deliveries } = here.database;
    const stored = JSON.stringify([key, deliveryKeys.all(), auditEntries.all(), deliveries.all()]);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(secret.slice('phs_sign_'.length));
  });

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['expiresAt', { expiresAt: new Date(0) }],
  ])('is refused for its %s', async (field, values) => {
    await expect(create(values)).rejects.toMatchObject(invalid(field));
    expect(await listDeliveryKeys(here, acme)).toEqual([]);
  });

  test('can be edited, which affects its URLs immediately, and keeps its secret', async () => {
    const { key, secret } = await create();
    const edit = (changes: Partial<DeliveryKeySettings>) => editDeliveryKey(here, operatorFor(acme), key.id, changes);
    expect(await edit({ presetsOnly: true, name: ' Kiosk ' })).toEqual({ ...key, presetsOnly: true, name: 'Kiosk' });
    expect(await openDeliveryKey(here, key.publicId)).toMatchObject({ key: { presetsOnly: true }, secret });
    const expiresAt = tomorrow();
    expect(await edit({ expiresAt })).toMatchObject({ presetsOnly: true, expiresAt });
    here.clock.pass(2 * DAY);
    expect(await edit({ presetsOnly: false })).toMatchObject({ presetsOnly: false, expiresAt });
    expect(await edit({ expiresAt: null })).toMatchObject({ expiresAt: null });
    await edit({});
    expect((await entries()).filter(([action]) => action === 'delivery_key.edited')).toHaveLength(4);
    await expect(edit({ name: '' })).rejects.toMatchObject(invalid('name'));
    await expect(edit({ expiresAt: here.clock.now() })).rejects.toMatchObject(invalid('expiresAt'));
    const other = (await Account.open(here)).caller.customerId;
    const theirs = editDeliveryKey(here, operatorFor(other), key.id, { presetsOnly: true });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that two people edit at once has the changes of both, and for the same field the later value', async () => {
    const { key } = await create();
    const edit = (changes: Partial<DeliveryKeySettings>) => editDeliveryKey(here, operatorFor(acme), key.id, changes);
    await Promise.all([edit({ name: 'Kiosk' }), edit({ presetsOnly: true }), edit({ expiresAt: tomorrow() })]);
    const expected = { name: 'Kiosk', presetsOnly: true, expiresAt: tomorrow() };
    expect(await readDeliveryKey(here, acme, key.id)).toMatchObject(expected);
    await edit({ name: 'Window' });
    await edit({ name: 'Door' });
    expect(await readDeliveryKey(here, acme, key.id)).toMatchObject({ ...expected, name: 'Door' });
    const all = await here.store.query(acme, ({ audit }) => audit.list(null, 100));
    const edits = all.toReversed().filter(({ action }) => action === 'delivery_key.edited');
    expect(edits.map(({ changes }) => changes)).toEqual([['name'], ['presetsOnly'], ['expiresAt'], ['name'], ['name']]);
  });

  test(`cannot be created beyond ${MAX_DELIVERY_KEYS}, however many are requested at once`, async () => {
    const made = await Promise.allSettled(Array.from({ length: MAX_DELIVERY_KEYS + 3 }, () => create()));
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(3);
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: 'limit_reached', details: { limit: MAX_DELIVERY_KEYS } });
    }
    await deleteDeliveryKey(here, operatorFor(acme), present((await listDeliveryKeys(here, acme))[0]).id);
    await create();
  });

  test('is not found once it is deleted, and its creation and deletion are in the audit log', async () => {
    const { key } = await create();
    await deleteDeliveryKey(here, operatorFor(acme), key.id);
    expect(await openDeliveryKey(here, key.publicId)).toBeNull();
    await expect(readDeliveryKey(here, acme, key.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(deleteDeliveryKey(here, operatorFor(acme), key.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await entries()).slice(-2)).toEqual([
      ['delivery_key.created', key.id, 'shop'],
      ['delivery_key.deleted', key.id, 'shop'],
    ]);
  });

  test('of another customer can neither be read nor deleted', async () => {
    const { key } = await create();
    const { customerId: other } = (await Account.open(here)).caller;
    await expect(readDeliveryKey(here, other, key.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(deleteDeliveryKey(here, operatorFor(other), key.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await openDeliveryKey(here, key.publicId)).not.toBeNull();
  });

  test('that has expired is still found, so that only a valid signer learns of it', async () => {
    const { key } = await create({ expiresAt: tomorrow() });
    here.clock.pass(2 * DAY);
    expect((await openDeliveryKey(here, key.publicId))?.key).toEqual(key);
  });

  test('works for a suspended customer, and not for one that is being closed', async () => {
    const { key } = await create();
    await suspendCustomer(here, commandLine, acme);
    expect(await openDeliveryKey(here, key.publicId)).not.toBeNull();
    await closeCustomer(here, commandLine, acme);
    expect(await openDeliveryKey(here, key.publicId)).toBeNull();
  });

  test.each(['', 'dk_', 'dk_short', `dk_${'x'.repeat(17)}`, `dk_${'-'.repeat(16)}`, `phs_live_${'x'.repeat(16)}`])(
    'is not looked up for the malformed id %j',
    async (publicId) => {
      const refusing = { find: () => Promise.reject(new Error('looked')) };
      expect(await openDeliveryKey({ ...here, deliveryKeys: refusing }, publicId)).toBeNull();
    },
  );

  test('is encrypted anew when SECRET_KEY gets a new first secret, so that the old one can be removed', async () => {
    const { key, secret } = await create();
    const newest = 'another secret that is long enough too';
    const added: World = { ...here, secrets: [newest, here.secrets[0]] };
    await resealSecrets(added, [deliverySecrets]);
    const { secret: sealed } = await readDeliveryKey(here, acme, key.id);
    expect(sealed).not.toBe(key.secret);
    await resealSecrets(added, [deliverySecrets]);
    expect((await readDeliveryKey(here, acme, key.id)).secret).toBe(sealed);
    expect(await openDeliveryKey({ ...here, secrets: [newest] }, key.publicId)).toMatchObject({ secret });
  });

  test('is encrypted anew by the worker', async () => {
    const { key } = await create();
    const added: World = { ...here, secrets: ['another secret that is long enough too', here.secrets[0]] };
    for (const task of upkeep(added, [deliverySecrets])) await task.run(new AbortController().signal);
    expect((await readDeliveryKey(here, acme, key.id)).secret).not.toBe(key.secret);
  });

  test('whose SECRET_KEY is lost is unavailable with that reason, and stays stored', async () => {
    const { key, secret } = await create();
    const lost: World = { ...here, secrets: ['a wholly different secret of 32 chars'] };
    await resealSecrets(lost, [deliverySecrets]);
    await expect(openDeliveryKey(lost, key.publicId)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('SECRET_KEY'),
    });
    expect(await openDeliveryKey(here, key.publicId)).toMatchObject({ secret });
  });
});

describe('a preset', () => {
  test('is stored in its canonical spelling, and listed by name', async () => {
    const saved = await save('card', 'fit=cover,h=200,w=300');
    expect(saved).toMatchObject({ customerId: acme, name: 'card', options: 'w=300,h=200,fit=cover' });
    const other = await save('avatar', 'w=64');
    expect(await listPresets(here, acme)).toEqual([other, saved]);
  });

  test('can be changed to other options, which is in the audit log if they differ', async () => {
    const before = await save('card', 'w=300,q=70');
    here.clock.pass(DAY);
    expect(await save('card', 'q=70,w=300')).toEqual(before);
    const edited = await save('card', 'w=301');
    expect(edited).toEqual({ ...before, options: 'w=301', updatedAt: here.clock.now() });
    await deletePreset(here, operatorFor(acme), 'card');
    expect((await entries()).slice(-3)).toEqual([
      ['preset.created', null, 'card'],
      ['preset.edited', null, 'card'],
      ['preset.deleted', null, 'card'],
    ]);
  });

  test.each([
    ['name', 'Card', 'w=1'],
    ['name', '', 'w=1'],
    ['name', 'x'.repeat(41), 'w=1'],
    ['p', 'card', 'p=other'],
    ['w', 'card', 'w=0'],
    ['options', 'card', ''],
    ['w', 'card', 'w=4096,dpr=2'],
  ])('is refused for its %s: %s %s', async (field, name, options) => {
    await expect(save(name, options)).rejects.toMatchObject(invalid(field));
    expect(await listPresets(here, acme)).toEqual([]);
  });

  test('that is new replaces none of the same name, not even one that is created at the same time', async () => {
    const create = (options: string) => savePreset(here, operatorFor(acme), { name: 'card', options, isNew: true });
    const [first, second] = await Promise.allSettled([create('w=300'), create('w=400')]);
    const saved = present([first, second].find(({ status }) => status === 'fulfilled'));
    const refused = [first, second].filter(({ status }) => status === 'rejected');
    const taken = invalid('name', 'conflict');
    expect(refused).toEqual([{ status: 'rejected', reason: expect.objectContaining(taken) }]);
    await expect(create('w=300')).rejects.toMatchObject(taken);
    expect(await listPresets(here, acme)).toEqual([(saved as PromiseFulfilledResult<Preset>).value]);
  });

  test(`cannot be created beyond ${MAX_PRESETS}, while existing ones can be changed`, async () => {
    for (let at = 0; at < MAX_PRESETS; at += 1) await save(`p${at}`, 'w=1');
    await expect(save('more', 'w=1')).rejects.toMatchObject({ code: 'limit_reached', details: { limit: MAX_PRESETS } });
    expect(await save('p0', 'w=2')).toMatchObject({ options: 'w=2' });
  });

  test('of another customer can neither be read nor deleted', async () => {
    await save('card', 'w=1');
    const { customerId: other } = (await Account.open(here)).caller;
    await expect(readPreset(here, other, 'card')).rejects.toMatchObject({ code: 'not_found' });
    await expect(deletePreset(here, operatorFor(other), 'card')).rejects.toMatchObject({ code: 'not_found' });
    expect(await readPreset(here, acme, 'card')).toMatchObject({ options: 'w=1' });
  });
});

describe('the options of an address', () => {
  const resolve = async (text: string, presetsOnly = false, customerId = acme) =>
    resolveOptions(here, { customerId, presetsOnly }, parseDeliveryOptions(text));

  test('override those of its preset', async () => {
    await save('card', 'w=300,h=200,q=70');
    expect(await resolve('p=card')).toEqual({ w: 300, h: 200, q: 70 });
    expect(await resolve('q=90,p=card,f=webp')).toEqual({ w: 300, h: 200, q: 90, f: 'webp' });
    expect(await resolve('w=1')).toEqual({ w: 1 });
  });

  test('follow the present state of the preset', async () => {
    await save('card', 'w=300');
    await save('card', 'w=400');
    expect(await resolve('p=card')).toEqual({ w: 400 });
    await deletePreset(here, operatorFor(acme), 'card');
    await expect(resolve('p=card')).rejects.toMatchObject(invalid('p'));
  });

  test('cannot use a preset of another customer', async () => {
    await save('card', 'w=300');
    const { customerId: other } = (await Account.open(here)).caller;
    await expect(resolve('p=card', false, other)).rejects.toMatchObject(invalid('p'));
  });

  test('must be only a preset if the key requires that', async () => {
    await save('card', 'w=300');
    expect(await resolve('p=card', true)).toEqual({ w: 300 });
    await expect(resolve('p=card,q=90', true)).rejects.toMatchObject(invalid('options'));
    await expect(resolve('w=300', true)).rejects.toMatchObject(invalid('options'));
  });
});
