import { commandLine } from '../../src/core/audit/audit-entry.js';
import { listAudit } from '../../src/core/audit/audit-log.js';
import { createCustomer, createCustomerOnce, createFirstCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import {
  closeCustomer,
  closeOwnAccount,
  resumeCustomer,
  suspendCustomer,
} from '../../src/core/customers/edit-customer.js';
import { eraseCustomer, finishErasing } from '../../src/core/customers/erase-customer.js';
import type { Ports } from '../../src/core/ports.js';
import { DAY, HOUR } from '../../src/core/shared/clock.js';
import { Account, blobsUnder, expectSound, picture, runJobsTwice, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

describe('the creation of a customer', () => {
  const request = { name: ' Été 📷 ', timeZone: 'Europe/Paris', storageBytesLimit: 2 ** 42, photosLimit: 0 };

  it('makes it active, in version 1, with 30 days of trash', async () => {
    const ports = world();
    const { storageBytesLimit, photosLimit } = request;
    const defaults = { factorsRequiredFrom: null, settingsIpList: [], admitsNewPeople: false };
    const at = ports.clock.now();
    const created = await createCustomer(ports, commandLine, request);
    expect(created).toEqual({
      ...{ id: created.id, name: 'Été 📷', status: 'active', defaultTimeZone: 'Europe/Paris', trashRetentionDays: 30 },
      ...{ storageBytesLimit, photosLimit, ...defaults, createdAt: at, updatedAt: at, version: 1 },
    });
    expect(await ports.customers.find(created.id)).toEqual(created);
    const { data } = await listAudit(ports, created.id, { limit: 10, cursor: null });
    expect(data).toMatchObject([{ action: 'customer.created', subjectId: created.id, subjectName: 'Été 📷', at }]);
  });

  it('returns the same customer for the same idempotency key, until the key has expired', async () => {
    const ports = world();
    const create = (key: string, fingerprint = 'x') =>
      createCustomerOnce(ports, commandLine, request, { key, fingerprint });
    const { customer, isNew } = await create('a');
    expect(isNew).toBe(true);
    expect(await create('a')).toEqual({ customer, isNew: false });
    await expect(create('a', 'y')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await create('b')).toMatchObject({ isNew: true });
    ports.clock.pass(DAY);
    expect(await create('a')).toEqual({ customer, isNew: false });
    ports.clock.pass(1);
    expect(await create('a', 'y')).toMatchObject({ isNew: true });
    expect(await ports.customers.list()).toHaveLength(3);
  });

  it('answers not_found for the same idempotency key when the customer was erased since', async () => {
    const ports = world();
    const create = () => createCustomerOnce(ports, commandLine, request, { key: 'gone', fingerprint: 'x' });
    const { id: other } = await createCustomer(ports, commandLine, request);
    await eraseCustomer(ports, commandLine, (await create()).customer.id);
    await expect(create()).rejects.toMatchObject({ code: 'not_found' });
    expect((await ports.customers.list()).map(({ id }) => id)).toEqual([other]);
  });

  it('as the first one makes none when one exists', async () => {
    const ports = world();
    const first = await createFirstCustomer(ports, commandLine);
    expect(await ports.customers.list()).toEqual([first]);
    expect(await createFirstCustomer(ports, commandLine)).toBeNull();
    expect(await ports.customers.list()).toEqual([first]);
  });
});

describe('the suspension of a customer', () => {
  it('changes status and version once, and so does resuming', async () => {
    const ports = world();
    const { id } = await Account.open(ports);
    const active = present(await ports.customers.find(id));
    ports.clock.pass(1000);
    const suspended = await suspendCustomer(ports, commandLine, id);
    expect(suspended).toEqual({ ...active, status: 'suspended', version: 2, updatedAt: ports.clock.now() });
    ports.clock.pass(1000);
    expect(await suspendCustomer(ports, commandLine, id)).toEqual(suspended);
    expect(await resumeCustomer(ports, commandLine, id)).toMatchObject({ status: 'active', version: 3 });
    expect(await resumeCustomer(ports, commandLine, id)).toMatchObject({ status: 'active', version: 3 });
  });

  it('is refused for an unknown customer, and for one that is being erased', async () => {
    const ports = world();
    const { id } = await Account.open(ports);
    await closeCustomer(ports, commandLine, id);
    for (const change of [suspendCustomer, resumeCustomer]) {
      await expect(change(ports, commandLine, id)).rejects.toMatchObject({ code: 'invalid_request' });
      await expect(change(ports, commandLine, id + 1)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await closeCustomer(ports, commandLine, id)).toMatchObject({ status: 'closing', version: 2 });
  });
});

describe('the closure of one’s own account', () => {
  it('requires its exact name, and is done once', async () => {
    const ports = world();
    const { id } = await Account.open(ports);
    const { name } = present(await ports.customers.find(id));
    for (const typed of ['', name.slice(1), `${name}.`]) {
      await expect(closeOwnAccount(ports, operatorFor(id), typed)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await ports.customers.find(id)).toMatchObject({ status: 'active', version: 1 });
    expect(await closeOwnAccount(ports, operatorFor(id), ` ${name} `)).toMatchObject({ status: 'closing', version: 2 });
    expect(await closeOwnAccount(ports, operatorFor(id), name)).toMatchObject({ status: 'closing', version: 2 });
    await expect(closeOwnAccount(ports, operatorFor(id + 1), name)).rejects.toMatchObject({ code: 'not_found' });
  });
});

/** Two customers with photos, tags and an unfinished import. */
async function twoCustomers(ports: World): Promise<readonly [Account, Account]> {
  const accounts = [await Account.open(ports), await Account.open(ports)] as const;
  for (const account of accounts) {
    await account.tag('kept');
    await account.bring([picture('a.jpg'), picture('b.jpg')]);
    const open = await account.start();
    await account.send(open.id, [picture('on its way.jpg')]);
  }
  await runJobsTwice(ports);
  return accounts;
}

const prefixesOf = (id: number) => ['staging', 'originals', 'renditions'].map((kind) => `${kind}/${id}/`);

async function expectGone(ports: World, id: number): Promise<void> {
  expect(await ports.customers.find(id)).toBeNull();
  expect(Object.values(await ports.customers.countRows(id)).every((rows) => rows === 0)).toBe(true);
  expect(await blobsUnder(ports.blobs, ...prefixesOf(id))).toEqual([]);
}

describe('the erasure of a customer', () => {
  it('removes every row and blob of it, proves that, and leaves other customers unchanged', async () => {
    const ports = world();
    const [gone, kept] = await twoCustomers(ports);
    const [rows, blobs] = [
      await ports.customers.countRows(kept.id),
      await blobsUnder(ports.blobs, ...prefixesOf(kept.id)),
    ];
    const erasure = await eraseCustomer(ports, commandLine, gone.id);
    expect(await ports.auditLog.operatorEntries({ until: null, tokenId: null, limit: 10 })).toMatchObject([
      { action: 'customer.erased', customerId: gone.id, subjectName: null, actorKind: 'command_line' },
    ]);
    expect(erasure).toMatchObject({ customerId: gone.id, complete: true });
    // That it was closed is an entry, too.
    expect(erasure.rowsBefore).toEqual({ ...rows, audit_entries: Number(rows.audit_entries) + 1 });
    expect(erasure.blobsRemoved).toMatchObject({ originals: 3, renditions: 3 });
    expect(erasure.blobsRemoved.bytes).toBeGreaterThan(0);
    await expectGone(ports, gone.id);
    expect(await ports.customers.countRows(kept.id)).toEqual(rows);
    expect(await blobsUnder(ports.blobs, ...prefixesOf(kept.id))).toEqual(blobs);
    await expectSound(ports);
    await expect(eraseCustomer(ports, commandLine, gone.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('continues after a crash at any step, whether or not the client got an error', async () => {
    for (let step = 1; ; step += 1) {
      const ports = world();
      const [gone, kept] = await twoCustomers(ports);
      const cut = endingAfter(ports, step);
      const ended = await eraseCustomer(cut.ports, commandLine, gone.id).then(
        () => 'whole',
        () => 'cut',
      );
      const again = await eraseCustomer(ports, commandLine, gone.id).catch(({ code }: { code: string }) => code);
      // Only where the end came after everything was gone is there nothing left to erase.
      if (again !== 'not_found') expect(again).toMatchObject({ complete: true });
      await expectGone(ports, gone.id);
      expect(await kept.photos()).toHaveLength(2);
      if (ended === 'whole') return expect(step).toBeGreaterThanOrEqual(8);
    }
  });

  it('is finished by the worker after an hour without progress', async () => {
    const ports = world();
    const [left, kept] = await twoCustomers(ports);
    await closeCustomer(ports, commandLine, left.id);
    ports.clock.pass(HOUR - 1);
    await finishErasing(ports);
    expect(await ports.customers.find(left.id)).not.toBeNull();
    ports.clock.pass(1);
    await finishErasing(ports);
    await expectGone(ports, left.id);
    expect(await kept.photos()).toHaveLength(2);
  });

  it('removes the remains of a customer that no longer exists', async () => {
    const ports = world();
    const [gone] = await twoCustomers(ports);
    await ports.database.transaction(async () => ports.database.customers.delete(gone.id));
    expect(await eraseCustomer(ports, commandLine, gone.id)).toMatchObject({ complete: true });
    await expectGone(ports, gone.id);
  });
});

/** The same ports, whose nth step that changes something is the last: it takes effect, and nobody is told. */
function endingAfter(ports: World, last: number): { ports: Ports } {
  let steps = 0;
  const watched = <T extends object>(port: T, methods: readonly (keyof T)[]): T =>
    new Proxy(port, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const act = value.bind(target);
        if (!methods.includes(name as keyof T)) return act;
        return async (...given: unknown[]) => {
          const answer = await act(...given);
          steps += 1;
          if (steps >= last) throw new Error('the end');
          return answer;
        };
      },
    });
  return {
    ports: {
      ...ports,
      store: watched(ports.store, ['transaction']),
      customers: watched(ports.customers, ['removeRows', 'remove']),
      blobs: watched(ports.blobs, ['delete']),
    },
  };
}
