import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../../src/composition/blob-stores.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import type { Ports } from '../../src/core/ports.js';
import { banner, openBrowser, prepareWelcome } from '../../src/start/serving/welcome.js';
import { world } from '../support/core-world.js';
import { until } from '../support/until.js';

const config = {
  databaseUrl: null,
  dataDir: '/srv/photos',
  publicUrl: 'https://photos.example.com',
  role: 'all',
  blobStore: configOf({}).blobStore,
} as const;
const first = {
  customerId: 1,
  userId: 1,
  token: 'phs_live_hidden',
  link: 'https://photos.example.com/settings/link/x',
};

test('a person sees eight lines, the link on top, and no key', () => {
  const lines = banner(config, first, first.link).split('\n');
  expect(lines).toHaveLength(8);
  expect(lines[0]).toBe(`Open  ${first.link}  (signs in one person, once, within a week)`);
  expect(lines.at(-1)).toMatch(/is ready at https:\/\/photos\.example\.com$/);
  expect(lines.join()).toContain('/srv/photos/first-key');
  expect(lines.join()).not.toContain(first.token);
});

test('a person sees where the photos are when they are not in the data folder', () => {
  const { blobStore } = configOf({ BLOB_STORE: 's3', S3_BUCKET: 'photos' });
  const data = (own: Partial<Parameters<typeof banner>[0]>) =>
    banner({ ...config, ...own }, first, first.link)
      .split('\n')
      .find((line) => line.startsWith('Data'));
  expect(data({})).toBe('Data  everything is stored in /srv/photos');
  expect(data({ blobStore })).toBe('Data  the database in /srv/photos, photos in the bucket photos');
  expect(data({ databaseUrl: 'postgres://photos:hidden@db/photos' })).toBe(
    'Data  the database in DATABASE_URL, photos in /srv/photos/blobs',
  );
});

test('later starts lead to the sign-in and to the keys, and show nothing of a database server', () => {
  const url = 'postgres://photos:hidden@db/photos';
  const lines = banner({ ...config, databaseUrl: url }, null, `${config.publicUrl}/settings`).split('\n');
  expect(lines).toHaveLength(8);
  expect(lines[0]).toBe('Open  https://photos.example.com/settings');
  expect(lines).toContain('Keys  https://photos.example.com/settings/keys');
  expect(lines.join()).not.toContain('hidden');
});

test('without a key, the hint names the command that works in this folder', async () => {
  const ports = world();
  await createCustomer(ports, commandLine, { name: 'ACME', storageBytesLimit: null, photosLimit: null });
  const folder = mkdtempSync(join(tmpdir(), 'phs-welcome-'));
  const printed = jest.spyOn(console, 'log').mockReturnValue();
  const working = jest.spyOn(process, 'cwd').mockReturnValue(folder);
  try {
    (await prepareWelcome(ports as unknown as Ports, configOf({}), { open: false }))();
    expect(String(printed.mock.calls)).toContain('Create one: npx photo-service key create --customer 1');
  } finally {
    working.mockRestore();
    printed.mockRestore();
    rmSync(folder, { recursive: true });
  }
});

describe('--open', () => {
  const before = process.env['BROWSER'];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'phs-browser-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    if (before === undefined) delete process.env['BROWSER'];
    else process.env['BROWSER'] = before;
  });

  test('gives the address to the browser as it is', async () => {
    const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')];
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}.draft && mv ${opened}.draft ${opened}\n`);
    chmodSync(browser, 0o755);
    process.env['BROWSER'] = browser;
    openBrowser(`${first.link}?a=1&b=$HOME`);
    await until(() => existsSync(opened));
    expect(readFileSync(opened, 'utf8')).toBe(`${first.link}?a=1&b=$HOME`);
  });

  test('reports that there is no browser, and continues', async () => {
    const said = jest.spyOn(console, 'error').mockImplementation(() => {});
    process.env['BROWSER'] = join(folder, 'missing');
    openBrowser(first.link);
    await until(() => said.mock.calls.length > 0);
    expect(String(said.mock.calls[0])).toMatch(/^phs: no browser could be opened: .*ENOENT/);
    said.mockRestore();
  });
});
