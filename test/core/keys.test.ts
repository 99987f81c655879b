import { type ApiKey, displayPrefix, isWellFormedToken, MAX_KEYS, newToken } from '../../src/core/access/api-key.js';
import { deleteKey, editKey, issueKey, listKeys, ownerOfKey } from '../../src/core/access/keys.js';
import { listAudit } from '../../src/core/audit/audit-log.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { responseOf, storeWithResponse } from '../../src/core/idempotency/claim-key.js';
import { isExpired, SECOND } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { hashRandomToken } from '../../src/core/shared/secrets.js';
import { type World, world } from '../support/core-world.js';
import { atOnce, present, Tenant } from '../support/tenant.js';

describe('the token of an API key', () => {
  it('is phs_live_ and 49 base62 characters', () => expect(newToken()).toMatch(/^phs_live_[0-9A-Za-z]{49}$/));
  it('is well formed', () => expect(isWellFormedToken(newToken())).toBe(true));
  it('differs for each key', () => expect(new Set(Array.from({ length: 1000 }, newToken)).size).toBe(1000));

  it('is refused with any one character changed', () => {
    const token = newToken();
    for (let at = 'phs_live_'.length; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect(isWellFormedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    '',
    'phs_live_',
    `phs_test_${newToken().slice(9)}`,
    `${newToken()}x`,
    newToken().slice(0, -1),
    ` ${newToken()}`,
  ])('cannot be %p', (text) => expect(isWellFormedToken(text)).toBe(false));

  it('has the CRC-32 that zlib computes', () => {
    // CRC-32 of 43 ASCII zeros, 0x7849568f, in base62.
    expect(isWellFormedToken(`phs_live_${'0'.repeat(43)}2CZclj`)).toBe(true);
  });

  it('is stored as its SHA-256', () => expect(hashRandomToken('abc')).toMatch(/^ba7816bf8f01cfea414140de5dae2223/));
  it('is shown by its last four characters', () => expect(displayPrefix({ lastFour: 'x7Qa' })).toBe('phs_live_…x7Qa'));
});

describe('the expiry of a key', () => {
  const at = new Date('2026-11-21T12:00:00Z');
  it('ends the key at that very moment', () => expect(isExpired({ expiresAt: at }, at)).toBe(true));
  it('does not end it before', () => expect(isExpired({ expiresAt: at }, new Date(at.getTime() - 1))).toBe(false));
  it('never comes if none is set', () => expect(isExpired({ expiresAt: null }, at)).toBe(false));
});

describe('keys of a customer', () => {
  let ports: World;
  let tenant: Tenant;
  beforeEach(async () => {
    ports = world();
    tenant = await Tenant.of(ports);
  });

  const request = { name: 'importer', scopes: ['all'], ipList: [], readLimit: null, writeLimit: null, expiresAt: null };
  const issue = async (of: Id = tenant.id) => (await issueKey(ports, operatorFor(of), request)).key;
  const own = () => operatorFor(tenant.id);
  const entries = async () => {
    const { data } = await listAudit(ports, tenant.id, { limit: 100, cursor: null });
    return data.map(({ action, subjectId, subjectName, at, changes }) => [action, subjectId, subjectName, at, changes]);
  };
  const missing = { code: 'not_found', details: { resource: 'api_key' } };

  it('are stored together with their jobs, and a refused key leaves no jobs', async () => {
    const work = (importId: Id) => ({ kind: 'publish', importId }) as const;
    await issueKey(ports, own(), request, [work(1), work(2)]);
    await expect(issueKey(ports, own(), { ...request, name: '' }, [work(3)])).rejects.toThrow();
    const nowhere = issueKey(ports, operatorFor(9e15), request, [work(3)]);
    await expect(nowhere).rejects.toMatchObject({ code: 'not_found', details: { resource: 'customer' } });
    expect(ports.database.jobs.all().map((job) => [job.customerId, job.work])).toEqual([
      [tenant.id, work(1)],
      [tenant.id, work(2)],
    ]);
    expect(ports.database.keys.all()).toHaveLength(1);
  });

  it('are created and deleted together with the response to the request, or not at all', async () => {
    const answered = async (key: string, token = 'run') => {
      const claim = { customerId: tenant.id, key, token };
      const rest = { fingerprint: 'f', at: ports.clock.now(), leaseSeconds: 60, expiredBefore: new Date(0) };
      const { idempotency } = ports;
      return { claim, asked: () => idempotency.claim({ ...claim, ...rest }) };
    };
    const [made, gone] = [await answered('made'), await answered('gone')];
    await made.asked();
    await gone.asked();
    const storing = (of: typeof made, token = of.claim.token) => ({
      ...ports,
      store: storeWithResponse(
        ports.store,
        responseOf({ ...of.claim, token }, () => ({ stored: of.claim.key })),
      ),
    });
    const taken = { code: 'idempotency_in_progress' };
    await expect(issueKey(storing(made, 'another run'), own(), request)).rejects.toMatchObject(taken);
    expect(await listKeys(ports, tenant.id)).toEqual([]);
    const { key } = await issueKey(storing(made), own(), request);
    expect(await made.asked()).toEqual({ outcome: 'answered', answer: { stored: 'made' } });
    await expect(deleteKey(storing(gone, 'another run'), own(), key.id)).rejects.toMatchObject(taken);
    expect(await listKeys(ports, tenant.id)).toEqual([key]);
    await deleteKey(storing(gone), own(), key.id);
    expect(await gone.asked()).toEqual({ outcome: 'answered', answer: { stored: 'gone' } });
    await expect(deleteKey(storing(gone), own(), key.id)).rejects.toMatchObject(missing);
  });

  it(`are limited to ${MAX_KEYS}, without deleted ones and those of others`, async () => {
    const all = await atOnce(MAX_KEYS, () => issue());
    const tooMany = { code: 'limit_reached', details: { limit: MAX_KEYS, name: 'apiKeys' } };
    await expect(issue()).rejects.toMatchObject(tooMany);
    await issue((await Tenant.of(ports)).id);
    await deleteKey(ports, own(), present(all[0]).id);
    await issue();
    await expect(issue()).rejects.toMatchObject(tooMany);
  });

  it('change in their settings, and in nothing else', async () => {
    const [key, other] = [await issue(), await issue()];
    const expiresAt = new Date(9e12);
    const settings = { name: 'renamed', ipList: ['203.0.113.0/24'], readLimit: 5, writeLimit: 0, expiresAt };
    const more = { id: 9, scopes: ['tags:write'], tokenHash: 'x', customerId: 9 };
    const changed = { ...key, ...settings };
    expect(await editKey(ports, own(), key.id, { ...settings, ...more })).toEqual(changed);
    expect(await ports.keys.findByHash(key.tokenHash)).toEqual({ key: changed, customerStatus: 'active' });
    const none = { ipList: [], readLimit: null, writeLimit: null, expiresAt: null };
    expect(await editKey(ports, own(), key.id, none)).toEqual({ ...key, name: 'renamed' });
    expect(await listKeys(ports, tenant.id)).toEqual([{ ...key, name: 'renamed' }, other]);
  });

  it('stay unchanged when the precondition of an edit throws', async () => {
    const key = await issue();
    const seen: ApiKey[] = [];
    const refuses = (current: ApiKey) => {
      seen.push(current);
      throw new Error('another one');
    };
    await expect(editKey(ports, own(), key.id, { name: 'renamed' }, refuses)).rejects.toThrow('another one');
    await expect(deleteKey(ports, own(), key.id, refuses)).rejects.toThrow('another one');
    expect(await listKeys(ports, tenant.id)).toEqual([key]);
    expect(seen).toEqual([key, key]);
  });

  it('are not found once they are deleted, nor in accounts of others', async () => {
    const key = await issue();
    expect(await ownerOfKey(ports, key.id)).toBe(tenant.id);
    const strange = operatorFor((await Tenant.of(ports)).id);
    await expect(editKey(ports, strange, key.id, { name: 'x' })).rejects.toMatchObject(missing);
    await expect(deleteKey(ports, strange, key.id)).rejects.toMatchObject(missing);
    await deleteKey(ports, own(), key.id);
    for (const id of [key.id, 9e15]) {
      await expect(editKey(ports, own(), id, { name: 'x' })).rejects.toMatchObject(missing);
      await expect(deleteKey(ports, own(), id)).rejects.toMatchObject(missing);
      await expect(ownerOfKey(ports, id)).rejects.toMatchObject(missing);
    }
  });

  it('leave an audit entry when they are created, changed and deleted', async () => {
    const { clock } = ports;
    const times = [0, 1, 2].map((seconds) => new Date(clock.now().getTime() + seconds * SECOND));
    const key = await issue();
    await editKey(ports, own(), key.id, { name: 'importer', expiresAt: null });
    clock.pass(SECOND);
    await editKey(ports, own(), key.id, { name: 'other', readLimit: null, expiresAt: new Date(9e12) });
    clock.pass(SECOND);
    await deleteKey(ports, own(), key.id);
    await expect(deleteKey(ports, own(), key.id)).rejects.toMatchObject(missing);
    expect(await entries()).toEqual([
      ['api_key.deleted', key.id, 'other', times[2], []],
      ['api_key.edited', key.id, 'other', times[1], ['name', 'expiresAt']],
      ['api_key.created', key.id, 'importer', times[0], []],
    ]);
  });
});
