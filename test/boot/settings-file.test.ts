import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { s3Blobs } from '../../src/adapters/s3-blobs/s3-blobs.js';
import { blobStores } from '../../src/composition/blob-stores.js';
import { ConfigError, settingNames } from '../../src/config/config.js';
import type { Environment } from '../../src/config/environment-reader.js';
import { installationName, NoInstallationError } from '../../src/config/installation.js';
import { misspeltSettings as misspelt, readSettings as read } from '../../src/config/settings-file.js';

const root = join(__dirname, '../..');
const misspeltSettings = (inEnvironment: readonly string[], inFile: readonly string[]) =>
  misspelt(inEnvironment, inFile, blobStores);
const readSettings = (env: Environment, folder: string, named?: string) => read(env, folder, blobStores, named);

test('the names of all settings are known, and the table of docs/operations.md has the same', () => {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const table = page.slice(page.indexOf('## Settings'), page.indexOf('## What lies in DATA_DIR'));
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name),
  );
  expect(documented.length).toBeGreaterThan(30);
  expect([...settingNames(blobStores)].sort()).toEqual(documented.sort());
});

describe('a name that is probably misspelt', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATA_DIRR', 'DATA_DIR'],
    ['SECERT_KEY', 'SECRET_KEY'],
    ['TRUSTED_PROXY_', undefined],
    ['PROT', 'PORT'],
    ['S3_BUKET', 'S3_BUCKET'],
    ['database_url', 'DATABASE_URL'],
  ])('%s of the environment: %s', (name, meant) => {
    expect(misspeltSettings([name], [])).toEqual(
      meant === undefined ? [] : [`${name} is not a setting and has no effect. Did you mean ${meant}?`],
    );
  });

  test('is also any name that begins like one of ours', () => {
    expect(misspeltSettings(['S3_USE_SSL', 'PHS_WHATEVER', 'TO_S3_THING'], [])).toHaveLength(3);
  });

  test('is none of the names that environments usually have', () => {
    const usual = [
      'HOME',
      'PATH',
      'PWD',
      'USER',
      'SHELL',
      'TERM',
      'LANG',
      'HOSTNAME',
      'MAIL',
      'OLDPWD',
      'TZ',
      'LC_ALL',
      'LOGNAME',
    ];
    const neighbours = [
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'PGHOST',
      'PGPORT',
      'REDISCLI_AUTH',
      'XDG_DATA_DIRS',
      'NODE_ENV',
    ];
    const clients = ['PHOTO_SERVICE_URL', 'PHOTO_SERVICE_TOKEN', 'WEBHOOK_SECRET', 'POSTGRES_PASSWORD'];
    const own = [...settingNames(blobStores), 'TO_S3_ENDPOINT', 'TO_S3_SECRET_ACCESS_KEY'];
    expect(misspeltSettings([...usual, ...neighbours, ...clients, ...own], [])).toEqual([]);
  });

  test('is any unknown name in a settings file', () => {
    expect(misspeltSettings([], ['COLOUR', 'PORT', 'AWS_PROFILE', 'OTEL_SERVICE_NAME', 'PGSSLROOTCERT'])).toEqual([
      'COLOUR is not a setting and has no effect.',
    ]);
  });
});

describe('F30: the file of settings', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'phs-settings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test('has no values where it does not exist', () => {
    expect(readSettings({ PORT: '1' }, folder)).toMatchObject({ env: { PORT: '1' }, file: null, warnings: [] });
  });

  test('sets what the environment does not set', () => {
    const file = write('phs.env', '# ours\nPORT=1\nHOST="0.0.0.0"\nCOLOUR=red\n');
    expect(readSettings({ PORT: '2' }, folder)).toEqual({
      env: { PORT: '2', HOST: '0.0.0.0', COLOUR: 'red' },
      file,
      fileNames: expect.arrayContaining(['PORT', 'HOST', 'COLOUR']),
      warnings: ['COLOUR is not a setting and has no effect.'],
    });
  });

  test('is that of the data folder where the environment names one, and not that of the folder one stands in', () => {
    write('phs.env', 'PORT=1\n');
    mkdirSync(join(folder, 'data'));
    expect(readSettings({ DATA_DIR: 'data' }, folder)).toMatchObject({ file: null });
    const file = write('data/phs.env', 'PORT=2\n');
    expect(readSettings({ DATA_DIR: join(folder, 'data') }, '/')).toMatchObject({ file, env: { PORT: '2' } });
  });

  test('is the one that is named, of all; a relative DATA_DIR in it is meant from its own folder', () => {
    write('phs.env', 'PORT=1\n');
    mkdirSync(join(folder, 'etc'));
    const file = write('etc/other.env', 'DATA_DIR=../photos\n');
    const dataDir = join(folder, 'photos');
    expect(readSettings({}, folder, 'etc/other.env')).toMatchObject({ env: { DATA_DIR: dataDir }, file, warnings: [] });
    // As Node 20 has read it already.
    expect(readSettings({ DATA_DIR: '../photos' }, folder, file).env).toEqual({ DATA_DIR: dataDir });
    expect(readSettings({ DATA_DIR: '/elsewhere' }, folder, file).env).toEqual({ DATA_DIR: '/elsewhere' });
  });

  test('is refused when it is named and cannot be read, or found and no file', () => {
    expect(() => readSettings({}, folder, 'nothing.env')).toThrow(ConfigError);
    mkdirSync(join(folder, 'phs.env'));
    expect(() => readSettings({}, folder)).toThrow(ConfigError);
  });

  test.each(['./my-store.mjs', '../my-store.mjs', '/srv/my-store.mjs'])(
    'names no module as a blob store, found or named, whatever the environment says: %s',
    (path) => {
      const file = write('phs.env', `BLOB_STORE=${path}\n`);
      const sentence = `BLOB_STORE in ${file} names a module, which a file of settings may not. Set it in the environment of the process instead, or name one of the stores that are there: local, s3`;
      for (const env of [{}, { BLOB_STORE: path }, { BLOB_STORE: 'local' }]) {
        expect(() => readSettings(env, folder)).toThrow(sentence);
        expect(() => readSettings(env, tmpdir(), file)).toThrow(sentence);
      }
    },
  );
});

test('an installation is named without its password', () => {
  const databaseUrl = 'postgres://photos:secret-word@db.example.com:5433/library';
  const settings = {
    endpoint: null,
    region: 'us-east-1',
    bucket: 'originals',
    credentials: null,
    forcePathStyle: false,
    publicEndpoint: null,
  };
  expect(installationName({ databaseUrl, dataDir: '/srv/photos', blobStore: { store: s3Blobs, settings } })).toBe(
    'the installation in the database library at db.example.com:5433, data folder /srv/photos, photos in the bucket originals',
  );
  expect(new NoInstallationError('/srv/photos').message).toMatch(/^there is no installation in \/srv\/photos\. /);
});
