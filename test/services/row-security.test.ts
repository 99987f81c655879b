import { Installation } from '../e2e/support/service.js';
import { PostgresServer } from './support/postgres-server.js';

/** A database as managed Postgres gives it: its account is no superuser and owns it. */
let postgres: PostgresServer;
const installations: Installation[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.start();
});
afterAll(async () => {
  for (const installation of installations) await installation.remove();
  await postgres?.stop();
});

async function ownedBy(account: string, attributes: string): Promise<Installation> {
  await postgres.query('postgres', `CREATE ROLE ${account} LOGIN ${attributes}`);
  await postgres.query('postgres', `CREATE DATABASE ${account} OWNER ${account}`);
  const installation = await Installation.make({
    DATABASE_URL: postgres.urlOf(account).replace('photos@', `${account}@`),
  });
  installations.push(installation);
  return installation;
}

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly advice: string;
}

async function doctor(installation: Installation): Promise<Finding | undefined> {
  const { stdout } = await installation.command('doctor', '--json');
  return JSON.parse(stdout).findings.find(({ check }: Finding) => check === 'row security');
}

async function createsTag(installation: Installation): Promise<void> {
  expect((await (await installation.client()).post('/tags', { name: `tag ${Math.random()}` })).status).toBe(201);
}

test('an account that may create roles makes the one that transactions run as', async () => {
  const installation = await ownedBy('admin', 'CREATEROLE');
  await installation.start();
  await createsTag(installation);
  expect(installation.printed()).not.toContain('does not enforce the separation of customers');
  expect(await doctor(installation)).toMatchObject({ level: 'ok' });
  await installation.stop();
  await installation.start();
  await createsTag(installation);
});

test('an account that may not create roles starts, reports what an administrator has to run, and uses the role afterwards', async () => {
  const installation = await ownedBy('plain', '');
  await installation.start();
  await createsTag(installation);
  expect(installation.printed()).toContain('does not enforce the separation of customers');
  const warning = await doctor(installation);
  expect(warning).toMatchObject({ level: 'warn' });
  const sql = /run: (.*;)/.exec(warning?.advice ?? '')?.[1] ?? '';
  expect(sql).toContain('CREATE ROLE "plain_tenant" NOLOGIN');
  await installation.stop();
  await postgres.query('postgres', sql);
  await installation.start();
  await createsTag(installation);
  expect(await doctor(installation)).toMatchObject({ level: 'ok' });
});

test('a role to which the policies do not apply is not used', async () => {
  const installation = await ownedBy('careless', '');
  await postgres.query('postgres', 'CREATE ROLE careless_tenant BYPASSRLS; GRANT careless_tenant TO careless');
  await installation.start();
  expect(await doctor(installation)).toMatchObject({ level: 'warn', advice: expect.stringContaining('BYPASSRLS') });
});
