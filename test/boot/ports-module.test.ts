import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import pg from 'pg';
import { pino } from 'pino';
import { FAILURE_MINUTES } from '../../src/adapters/decorators/shared-rendition-maker.js';
import { configOf } from '../../src/composition/blob-stores.js';
import type { Config } from '../../src/config/config.js';
import { issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { fixedRendition } from '../../src/core/photos/renditions/rendition.js';
import type { Ports } from '../../src/core/ports.js';
import { MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { PORTS, portToken } from '../../src/http/ports-token.js';
import { openPorts, PortsModule, sealedRows } from '../../src/ports.module.js';
import { initialize, openApp } from '../../src/start/serving/open-app.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryMediaReader } from '../../testing/memory/memory-media-reader.js';
import { MemoryGazetteer } from '../../testing/memory/photos/memory-gazetteer.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { claimJob } from '../support/claim.js';
import { Account, picture } from '../support/core-world.js';
import { pgConfig, type TestDatabase, testDatabase, urlOf } from '../support/postgres.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let dataDir: string;
let config: Config;
const log: string[] = [];
beforeEach(async () => {
  database = await testDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'ports-'));
  config = configOf({ DATABASE_URL: urlOf(database), DATA_DIR: dataDir, RATE_LIMIT_STORE: 'memory' });
});
afterEach(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

const forRoot = () =>
  PortsModule.forRoot(config, { ownership: 'share', create: true, log: (line) => void log.push(line) });

/** Waits until nothing is connected to the database but this question. */
async function nothingConnected(): Promise<void> {
  const client = new pg.Client(pgConfig(database));
  await client.connect();
  const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  await until(async () => (await client.query(others)).rowCount === 0).finally(() => client.end());
}

describe('a port that is overridden', () => {
  /** Reads pictures in memory, as long as it can. */
  class Reader extends MemoryMediaReader {
    isAble = true;

    override async render(...order: Parameters<MemoryMediaReader['render']>) {
      return this.isAble ? super.render(...order) : null;
    }
  }

  const clock = new SettableClock(new Date('2031-05-06T07:08:09.000Z'));
  const media = new Reader();
  const blobs = new MemoryBlobStore();
  let container: TestingModule;
  let ports: Ports;
  let acme: Account;
  beforeEach(async () => {
    container = await Test.createTestingModule({ imports: [forRoot()] })
      .overrideProvider(portToken('clock'))
      .useValue(clock)
      .overrideProvider(portToken('gazetteer'))
      .useValue(new MemoryGazetteer())
      .overrideProvider(portToken('media'))
      .useValue(media)
      .overrideProvider(portToken('blobs'))
      .useValue(blobs)
      .compile();
    ports = container.get(PORTS);
    acme = await Account.open(ports);
  });
  afterEach(() => container.close());

  test('is the one that the container gives to all', () => {
    expect(ports).toMatchObject({ clock, media, blobs });
  });

  test('measures the windows of rate limits if it is the clock', async () => {
    const budget = { name: 'read:1', limit: 1 };
    const now = clock.now().getTime() / SECOND;
    expect(await ports.rateWindows.hit(budget)).toMatchObject({ allowed: true, reset: now + 60 });
    expect(await ports.rateWindows.hit(budget)).toMatchObject({ allowed: false, retryAfter: 60 });
    clock.pass(MINUTE);
    expect(await ports.rateWindows.hit(budget)).toMatchObject({ allowed: true, reset: now + 120 });
  });

  test('says when rows were created, and when a job ended the import that brought a photo, if it is the clock', async () => {
    const customer = await createCustomer(ports, commandLine, {
      name: 'A customer',
      storageBytesLimit: null,
      photosLimit: null,
    });
    expect((await ports.customers.find(customer.id))?.createdAt).toEqual(clock.now());
    clock.pass(MINUTE);
    const begun = clock.now();
    const brought = await acme.bring([picture('a.jpg')]);
    const photo = await acme.photo(present(present(brought.items[0]).photoId));
    expect(brought.import).toMatchObject({ status: 'completed', createdAt: begun });
    const published = photo.createdAt.getTime() - begun.getTime();
    expect(published).toBeGreaterThanOrEqual(0);
    expect(published).toBeLessThan(SECOND);
  });

  test('does not decide when a job is due: that is the clock of the database, which all processes share', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    clock.pass(-60 * MINUTE);
    expect(await claimJob(ports.jobs, 60)).toMatchObject({ work: { kind: 'inspect', importId: id } });
  });

  test('says when what failed may be tried again if it is the clock', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'));
    let tries = 0;
    const make = () => {
      const rendition = fixedRendition(photo, 'large', 'webp');
      return ports.renditionMaker.make(photo, rendition, () => {
        tries += 1;
      });
    };
    media.isAble = false;
    await expect(make()).rejects.toMatchObject({ code: 'not_found' });
    media.isAble = true;
    await expect(make()).rejects.toMatchObject({ code: 'not_found' });
    expect(tries).toBe(1);
    clock.pass(FAILURE_MINUTES * MINUTE);
    const { key } = fixedRendition(photo, 'large', 'webp');
    expect(await make()).toEqual(await blobs.head(key));
    expect(tries).toBe(2);
  });

  test('names the places of photos if it is the gazetteer', async () => {
    // The real one knows no place so close to the pole.
    const location = { latitude: -86, longitude: 0, altitude: null };
    const photo = await acme.addPhoto(picture('a.jpg', { location }));
    expect(photo).toMatchObject({ place: { country: 'AQ', region: null, city: null } });
  });
});

describe('closing', () => {
  test('a container ends every connection to the database', async () => {
    const container = await Test.createTestingModule({ imports: [forRoot()] }).compile();
    const { customers } = container.get<Ports>(PORTS);
    expect(await customers.list()).toEqual([]);
    await container.close();
    await nothingConnected();
    await expect(customers.list()).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('the application writes first what it counted of requests', async () => {
    const options = { logger: pino({ level: 'silent' }), stopping: new AbortController().signal };
    const app = await openApp(forRoot(), config, options);
    await initialize(app);
    await app.listen(0, '127.0.0.1');
    const ports = app.get<Ports>(PORTS);
    const acme = await Account.open(ports);
    const request = { name: 'used', scopes: ['all'], ipList: [] };
    const { token } = await issueKey(ports, operatorFor(acme.id), {
      ...request,
      readLimit: null,
      writeLimit: null,
      expiresAt: null,
    });
    const { port } = app.getHttpServer().address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers })).status).toBe(200);
    await app.close();
    await nothingConnected();
    const client = new pg.Client(pgConfig(database));
    await client.connect();
    const { rows } = await client.query('SELECT name FROM api_keys WHERE last_used_at IS NOT NULL');
    await client.end();
    expect(rows).toEqual([{ name: 'used' }]);
  });
});

describe('after a failure', () => {
  /** A file where the folder of blobs belongs. */
  const spoil = () => writeFileSync(join(dataDir, 'blobs'), '');

  test('to open one port, those that were opened are closed', async () => {
    spoil();
    await expect(Test.createTestingModule({ imports: [forRoot()] }).compile()).rejects.toThrow('photo storage');
    await nothingConnected();
  });

  test('to run a command, no port is left open', async () => {
    spoil();
    await expect(openPorts(config, { ownership: 'share', create: true, log: () => undefined })).rejects.toThrow(
      'photo storage',
    );
    await nothingConnected();
  });

  test('of another part of the application, the ports are closed', async () => {
    const ports = forRoot();
    const useFactory = async (): Promise<never> => {
      throw new Error('on purpose');
    };
    ports.providers.push({ provide: 'another part', inject: [PORTS], useFactory });
    const options = { logger: pino({ level: 'silent' }), stopping: new AbortController().signal };
    await expect(openApp(ports, config, options)).rejects.toThrow('on purpose');
    await nothingConnected();
  });
});

test('a command opens the same ports without a container', async () => {
  const container = await Test.createTestingModule({ imports: [forRoot()] }).compile();
  const opened = await openPorts(config, { ownership: 'share', create: true, log: () => undefined });
  const kinds = (ports: Ports) =>
    Object.entries(ports)
      .map(([name, port]) => `${name}: ${port?.constructor.name}`)
      .sort();
  expect(kinds(opened.ports)).toEqual(kinds(container.get(PORTS)));
  expect(await opened.ports.customers.list()).toEqual([]);
  await Promise.all([opened.close(), container.close()]);
  await nothingConnected();
});

test('secrets of deliveries, second factors, shares and webhooks are sealed anew', () => {
  expect(sealedRows.map(({ purpose }) => purpose).sort()).toEqual(['delivery', 'factor', 'share', 'webhook']);
});
