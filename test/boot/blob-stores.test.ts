import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { blobStores, blobStoresOf, configOf } from '../../src/composition/blob-stores.js';
import { ConfigError, readSome, settingNames, settingsOf } from '../../src/config/config.js';
import { misspeltSettings } from '../../src/config/settings-file.js';

/** A value for every setting of every store, none of which may be shown. */
const SECRET = 'not-for-others';
const everything = Object.fromEntries(
  blobStores.flatMap(settingsOf).map((name) => [name, name.endsWith('ENDPOINT') ? 'https://example.com' : SECRET]),
);
const account = { AZURE_STORAGE_ACCOUNT: 'acme', AZURE_STORAGE_KEY: SECRET };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    configOf(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe.each(blobStores)('the store $kind', (store) => {
  it('is a lower-case word, advises what to check, and shows settings of its own alone', () => {
    expect(store.kind).toMatch(/^[a-z][a-z0-9]*$/);
    expect(store.advice).toMatch(/^[A-Z].*\.$/);
    for (const name of store.shownSettings ?? []) expect(settingsOf(store)).toContain(name);
  });

  it('has settings whose names are known, also with TO_ in front, and no other store has', () => {
    const names = settingsOf(store);
    expect(settingNames(blobStores)).toEqual(expect.arrayContaining([...names]));
    const targets = names.map((name) => `TO_${name}`);
    expect(misspeltSettings([], [...names, ...targets], blobStores)).toEqual([]);
    const others = blobStores.filter((each) => each !== store).flatMap(settingsOf);
    expect(names.filter((name) => others.includes(name))).toEqual([]);
    for (const name of names) expect(name.startsWith(store.prefix ?? '')).toBe(true);
  });

  it('is the target of a copy by a URL of its form, and of no other form', () => {
    const url = new URL(String(store.urlForm).replace(/[A-Z_]+$/, 'photos'));
    const env = { ...everything, ...account, AZURE_STORAGE_CONNECTION_STRING: '', S3_FORCE_PATH_STYLE: 'true' };
    const taken = readSome(env, (read) => blobStores.map((each) => each.fromUrl?.(url, read) ?? null));
    expect(taken.map((settings) => settings !== null)).toEqual(blobStores.map((each) => each === store));
    const described = store.describe(taken[blobStores.indexOf(store)], '/data');
    expect(described).toMatch(/photos/);
    expect(described).not.toContain(SECRET);
    const other = new URL('https://example.com/photos');
    expect(store.fromUrl?.(other, undefined as never)).toBeNull();
  });
});

describe('azure', () => {
  const azure = (env: Record<string, string>) => {
    const problems = problemsOf({ BLOB_STORE: 'azure', AZURE_CONTAINER: 'photos', ...env });
    if (problems.length > 0) return problems;
    return configOf({ BLOB_STORE: 'azure', AZURE_CONTAINER: 'photos', ...env }).blobStore.settings;
  };
  const settings = { account: 'acme', key: SECRET, container: 'photos', publicEndpoint: null };

  test('is an account and its key, at the place of its account unless another is named', () => {
    expect(azure(account)).toEqual({ ...settings, endpoint: 'https://acme.blob.core.windows.net' });
    const AZURE_ENDPOINT = 'http://127.0.0.1:10000/acme';
    const AZURE_PUBLIC_ENDPOINT = 'https://photos.example.com';
    expect(azure({ ...account, AZURE_ENDPOINT, AZURE_PUBLIC_ENDPOINT })).toEqual({
      ...settings,
      endpoint: AZURE_ENDPOINT,
      publicEndpoint: AZURE_PUBLIC_ENDPOINT,
    });
  });

  test.each([
    [
      `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${SECRET}==;EndpointSuffix=core.windows.net`,
      'https://acme.blob.core.windows.net',
    ],
    [
      `AccountName=acme;AccountKey=${SECRET}==;EndpointSuffix=core.chinacloudapi.cn;`,
      'https://acme.blob.core.chinacloudapi.cn',
    ],
    [
      `DefaultEndpointsProtocol=http;AccountName=acme;AccountKey=${SECRET}==;BlobEndpoint=http://127.0.0.1:10000/acme;`,
      'http://127.0.0.1:10000/acme',
    ],
  ])('is a connection string, of which nothing is repeated (%#)', (text, endpoint) => {
    const env = { AZURE_STORAGE_CONNECTION_STRING: text };
    expect(azure(env)).toEqual({ ...settings, key: `${SECRET}==`, endpoint });
  });

  test('says what is missing or too much, and repeats no secret', () => {
    expect(problemsOf({ BLOB_STORE: 'azure' })).toEqual([
      'AZURE_STORAGE_ACCOUNT must be set because AZURE_STORAGE_CONNECTION_STRING is not.',
      'AZURE_STORAGE_KEY must be set because AZURE_STORAGE_CONNECTION_STRING is not.',
      'AZURE_CONTAINER must be set because BLOB_STORE is azure.',
    ]);
    const text = `BlobEndpoint=https://acme.blob.core.windows.net;SharedAccessSignature=${SECRET}`;
    const problems = azure({ ...account, AZURE_STORAGE_CONNECTION_STRING: text }) as readonly string[];
    expect(problems).toEqual([
      'AZURE_STORAGE_CONNECTION_STRING names the account and its key: set it alone, or AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY without it.',
      'AZURE_STORAGE_CONNECTION_STRING must contain AccountName and AccountKey, as the portal of Azure shows it under "Access keys".',
    ]);
  });
});

describe('a module from outside', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'phs-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (text: string) => {
    const path = join(folder, 'my-store.mjs');
    writeFileSync(path, text);
    return path;
  };
  const expected = `It must be a module whose default export is a kind of blob store, as docs/adapters.md describes; or use one of those that are there: local, s3, azure.`;
  const whole = `kind: 'my', advice: 'Look.', settings: () => ({}), describe: () => 'my store', open: async () => ({ blobs: {} })`;

  test('is chosen by its path, from the working folder as well', () => {
    const path = write(`export default { ${whole} };`);
    for (const BLOB_STORE of [path, relative(process.cwd(), path)]) {
      const { store, settings } = configOf({ BLOB_STORE }).blobStore;
      expect([store.kind, store.describe(settings, '/data')]).toEqual([BLOB_STORE, 'my store']);
    }
  });

  test('that is missing is refused with what is expected, beside all else that is wrong', () => {
    const BLOB_STORE = join(folder, 'none.mjs');
    expect(problemsOf({ BLOB_STORE, PORT: '0' })).toEqual([
      expect.stringContaining('PORT'),
      `BLOB_STORE: there is no module ${BLOB_STORE}. ${expected}`,
    ]);
    expect(problemsOf({ BLOB_STORE: './none.mjs' })).toEqual([
      `BLOB_STORE: there is no module ${join(process.cwd(), 'none.mjs')}. ${expected}`,
    ]);
  });

  test('that is a folder or no program is refused with the reason', () => {
    const inside = join(folder, 'inside');
    mkdirSync(inside);
    expect(problemsOf({ BLOB_STORE: inside })).toEqual([
      expect.stringMatching(/^BLOB_STORE: .*inside cannot be loaded \(.*\)\. It must be a module/s),
    ]);
    const path = write('export default {');
    expect(problemsOf({ BLOB_STORE: path })).toEqual([
      expect.stringMatching(/^BLOB_STORE: .*my-store\.mjs cannot be loaded \(.*\)\. It must be a module/s),
    ]);
  });

  test.each(['', 'export const kind = 1;', 'export default null;', 'export default 7;'])(
    'that exports no store is refused: %j',
    (text) => {
      const path = write(text);
      expect(problemsOf({ BLOB_STORE: path })).toEqual([`BLOB_STORE: ${path} has no default export. ${expected}`]);
    },
  );

  test('that lacks parts of a store is refused by their names', () => {
    const path = write(`export default { kind: 'my', advice: 'Look.', settings: {}, describe: () => 'my store' };`);
    expect(problemsOf({ BLOB_STORE: path })).toEqual([
      `BLOB_STORE: the default export of ${path} lacks settings (a function), open (a function). ${expected}`,
    ]);
  });

  test('has settings whose names are known, and which are checked with the others', () => {
    const path = write(
      `export default { ${whole}, prefix: 'MY_', settings: (read) => read.needed('MY_PLACE', 'it is my store') };`,
    );
    expect(problemsOf({ BLOB_STORE: path })).toEqual(['MY_PLACE must be set because it is my store.']);
    const stores = blobStoresOf({ BLOB_STORE: path });
    expect(settingNames(stores)).toContain('MY_PLACE');
    expect(misspeltSettings(['MY_PLAEC', 'MY_OTHER', 'TO_MY_PLACE'], [], stores)).toEqual([
      'MY_PLAEC is not a setting and has no effect. Did you mean MY_PLACE?',
      'MY_OTHER is not a setting and has no effect.',
    ]);
  });
});
