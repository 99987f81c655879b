import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binariesIn, requirePresent } from '../../postgres/src/binaries.js';
import { SmtpMailer } from '../../src/adapters/smtp/smtp-mailer.js';
import {
  checkDataDir,
  checkMemory,
  checkNode,
  checkProxies,
  checkPublicUrl,
  checkSecret,
  checkSettings,
  judgeSpace,
} from '../../src/cli/doctor/environment.js';
import { type Finding, findingOf, ok } from '../../src/cli/doctor/finding.js';
import {
  checkBlobs,
  checkLimiter,
  checkMail,
  checkMedia,
  checkProviders,
  judgeDatabase,
  judgeIsolation,
} from '../../src/cli/doctor/services.js';
import { configOf } from '../../src/composition/blob-stores.js';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { openProviders } from '../../src/ports.module.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { MailServer } from '../support/mail-server.js';
import { openMedia } from '../support/media.js';
import { OpenIdServer } from '../support/openid-server.js';

const GIB = 1024 ** 3;

/** `level check` of each finding. Whatever is not ok says what to do. */
function told(...findings: readonly Finding[]): string[] {
  for (const { level, advice } of findings) expect(advice === '').toBe(level === 'ok');
  return findings.map(({ level, check }) => `${level} ${check}`);
}

describe('phs doctor on its surroundings', () => {
  it.each([
    ['v20.18.0', 'fail'],
    ['v20.19.0', 'ok'],
    ['v24.1.0', 'ok'],
    ['v18.20.0', 'fail'],
  ])('Node %s: %s', (version, level) => {
    expect(told(checkNode(version))).toEqual([`${level} node`]);
  });

  it.each([
    ['http://127.0.0.1:3000', '127.0.0.1', 'ok'],
    ['https://photos.example.com', '0.0.0.0', 'ok'],
    ['http://localhost:3000', '0.0.0.0', 'warn'],
    ['http://[::1]:3000', '::', 'warn'],
    ['http://photos.example.com', '0.0.0.0', 'warn'],
    ['http://0.0.0.0:3000', '0.0.0.0', 'fail'],
    ['https://example.com/photos', '0.0.0.0', 'ok'],
  ])('PUBLIC_URL %s on %s: %s', (publicUrl, host, level) => {
    expect(told(checkPublicUrl({ publicUrl, host }))).toEqual([`${level} PUBLIC_URL`]);
  });

  it.each([
    [['10.0.0.0/8', '2001:db8::/32'], 'https://a.example', 'ok'],
    [[], 'http://127.0.0.1:3000', 'ok'],
    [[], 'https://a.example', 'warn'],
    [['0.0.0.0/1'], 'https://a.example', 'warn'],
    [['10.0.0.0/8', '0.0.0.0/0'], 'https://a.example', 'fail'],
    [['::/0'], 'https://a.example', 'fail'],
  ])('TRUSTED_PROXIES %j: %s %s', (trustedProxies, publicUrl, level) => {
    expect(told(checkProxies({ trustedProxies, publicUrl }))).toEqual([`${level} TRUSTED_PROXIES`]);
  });

  it.each([
    [64 * GIB, 2, 'ok'],
    [2 * GIB, 2, 'warn'],
  ])('%d bytes of memory for %d pictures: %s', (total, workerConcurrency, level) => {
    const config = {
      workerConcurrency,
      role: 'all',
      media: { isolation: 'auto' as const, maxMemoryBytes: GIB, timeoutMs: 1, priority: 'idle' as const },
    } as const;
    expect(told(checkMemory(config, total, total))).toEqual([`${level} memory`]);
  });

  it.each([
    [100 * GIB, 'ok'],
    [GIB, 'warn'],
    [1000, 'fail'],
  ])('%d bytes of room: %s', (left, level) => {
    expect(told(judgeSpace('/data', left))).toEqual([`${level} disk space`]);
  });

  it('reports rate limits in memory where there are several processes', () => {
    const one = { rateLimitStore: { kind: 'memory' }, databaseUrl: null, role: 'all' } as const;
    expect(told(checkLimiter(one))).toEqual(['ok rate limits']);
    expect(told(checkLimiter({ ...one, role: 'api' }))).toEqual(['warn rate limits']);
    expect(told(checkLimiter({ ...one, databaseUrl: 'postgres://x/y' }))).toEqual(['warn rate limits']);
    expect(told(checkLimiter({ ...one, rateLimitStore: { kind: 'postgres' }, role: 'api' }))).toEqual([
      'ok rate limits',
    ]);
  });

  it('finds a mail server that can be used, one that does not encrypt, and none, and sends nothing', async () => {
    const server = await MailServer.start();
    const { port } = server;
    const check = (encrypted: boolean) => {
      const from = { name: '', address: 'photos@example.com' };
      const smtp = { host: '127.0.0.1', port, implicitTls: false, credentials: null, from };
      return checkMail(smtp, new SmtpMailer({ ...smtp, plaintextAllowed: !encrypted }));
    };
    const found = await check(false);
    expect(told(...found)).toEqual(['ok mail']);
    expect(found[0]?.message).toBe(`127.0.0.1:${port}, as photos@example.com`);
    const unencrypted = await check(true);
    expect(told(...unencrypted)).toEqual(['fail mail']);
    expect(unencrypted[0]?.message).toContain('it offers no encryption (STARTTLS)');
    expect(server.received).toEqual([]);
    await server.close();
    const gone = await check(false);
    expect([told(...gone), gone[0]?.advice]).toEqual([['fail mail'], expect.stringContaining('SMTP_URL')]);
  });

  it('finds a sign-in provider that answers, and one that does not', async () => {
    const server = await OpenIdServer.start('http://127.0.0.1:3000/settings');
    const env = {
      OIDC_ISSUER: server.issuer,
      OIDC_CLIENT_ID: 'photos',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_NAME: 'ACME',
    };
    const check = () => checkProviders(openProviders(configOf(env)), 'http://127.0.0.1:3000');
    expect(await check()).toEqual([{ level: 'ok', check: 'sign-in', message: `ACME, ${server.issuer}`, advice: '' }]);
    await server.close();
    const [gone] = await check();
    expect([gone?.level, gone?.advice]).toEqual(['fail', expect.stringContaining('no one can sign in with ACME')]);
  });

  describe('with a data folder', () => {
    let dataDir: string;
    beforeEach(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'phs-doctor-'));
    });
    afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

    it('finds a file in place of the folder, and a folder that all users may write to', async () => {
      expect((await checkDataDir({ dataDir }))[0]?.level).toBe('ok');
      chmodSync(dataDir, 0o777);
      expect((await checkDataDir({ dataDir }))[0]).toMatchObject({ level: 'warn', check: 'DATA_DIR' });
      writeFileSync(join(dataDir, 'file'), '');
      expect(told(...(await checkDataDir({ dataDir: join(dataDir, 'file') })))).toEqual(['fail DATA_DIR']);
    });

    it('finds secrets that are weak, open to others, or not shared', async () => {
      const given = (secretKeys: [string] | null, databaseUrl: string | null = null) =>
        checkSecret({ secretKeys, databaseUrl, dataDir });
      expect(told(await given(null))).toEqual(['ok SECRET_KEY']);
      expect(told(await given(null, 'postgres://x/y'))).toEqual(['warn SECRET_KEY']);
      expect(told(await given(['a'.repeat(40)]))).toEqual(['fail SECRET_KEY']);
      expect(told(await given(['0123456789abcdef0123456789abcdef']))).toEqual(['ok SECRET_KEY']);
      writeFileSync(join(dataDir, 'secret-key'), 'x', { mode: 0o600 });
      expect(told(await given(null))).toEqual(['ok SECRET_KEY']);
      chmodSync(join(dataDir, 'secret-key'), 0o644);
      expect(told(await given(null))).toEqual(['fail SECRET_KEY']);
    });

    it('finds binaries that are missing', async () => {
      const look = async () => [ok('x', requirePresent(binariesIn(dataDir)).postgres)];
      expect(told(...(await findingOf('embedded database', 'install', look)))).toEqual(['fail embedded database']);
    });
  });
});

describe('phs doctor on what the service needs', () => {
  const sound = {
    version: 180_004,
    encoding: 'UTF8',
    readOnly: false,
    aheadMs: 3,
    pending: [],
    unknown: [],
    tables: [],
    rowSecurity: null,
  };
  it.each([
    [{ rowSecurity: { role: 'x', remedy: '' } }, ['ok database', 'ok clocks', 'ok migrations', 'ok row security']],
    [{ rowSecurity: { role: null, remedy: 'y' } }, ['ok database', 'ok clocks', 'ok migrations', 'warn row security']],
    [{}, ['ok database', 'ok clocks', 'ok migrations']],
    [{ version: 140_011 }, ['fail database', 'ok clocks', 'ok migrations']],
    [{ encoding: 'SQL_ASCII' }, ['fail database', 'ok clocks', 'ok migrations']],
    [{ readOnly: true }, ['ok database', 'fail database', 'ok clocks', 'ok migrations']],
    [{ aheadMs: -5000 }, ['ok database', 'warn clocks', 'ok migrations']],
    [{ aheadMs: 3_600_000 }, ['ok database', 'fail clocks', 'ok migrations']],
    [{ pending: ['a'] }, ['ok database', 'ok clocks', 'warn migrations']],
    [{ unknown: ['b'] }, ['ok database', 'ok clocks', 'fail migrations']],
    [{ unknown: ['Customers1763700000001'], pending: ['a'] }, ['ok database', 'ok clocks', 'fail migrations']],
  ])('a database with %j', (fault, findings) => {
    expect(told(...judgeDatabase({ ...sound, ...fault }))).toEqual(findings);
  });

  const store = (fault: Partial<BlobStore>): BlobStore => {
    const memory = new MemoryBlobStore(new SettableClock());
    return new Proxy(memory, {
      get: (target, name) => {
        const value = Reflect.get(fault, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  const away = async (): Promise<never> => {
    throw new DomainError('service_unavailable', 'away');
  };
  async function* nothing() {}
  it.each<[string, Partial<BlobStore>, string]>([
    ['is sound', {}, 'ok'],
    ['takes nothing', { put: away }, 'fail'],
    ['gives nothing back', { get: async () => null }, 'fail'],
    ['lists nothing', { list: nothing }, 'fail'],
    ['deletes nothing', { delete: async () => undefined }, 'fail'],
    ['cannot be read', { get: away }, 'fail'],
  ])('a blob store that %s', async (_, fault, level) => {
    const findings = await findingOf('blob store', 'look', () => checkBlobs(store(fault), 'the store'));
    expect(told(...findings)).toEqual([`${level} blob store`]);
  });

  it('finds a settings file that others can read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'phs-doctor-'));
    const file = join(folder, 'phs.env');
    writeFileSync(file, 'SECRET_KEY=x', { mode: 0o600 });
    expect(told(...(await checkSettings({ file, warnings: [] })))).toEqual(['ok configuration']);
    chmodSync(file, 0o644);
    expect(told(...(await checkSettings({ file, warnings: [] })))).toEqual(['warn configuration', 'ok configuration']);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['sandbox', [], 'ok', 'only its image'],
    ['user', [{ level: 'sandbox', reason: 'It ended (code 127): no bwrap.' }], 'warn', 'no bwrap'],
    ['process', [], 'warn', 'everything that the service itself can'],
  ] as const)('isolation at the level %s', (level, refused, found, said) => {
    const finding = judgeIsolation({ level, refused });
    expect(told(finding)).toEqual([`${found} isolation`]);
    expect(finding.message).toContain(said);
  });

  it('reads a picture of each format, and finds readers that do not start', async () => {
    const [good, bad] = [await openMedia(), await openMedia({ childScript: '/nowhere.js', timeoutMs: 5000 })];
    try {
      const findings = await checkMedia(good.reader, 1000);
      expect(findings).toMatchObject([{ level: 'ok', message: 'read jpeg, png, webp, gif, tiff, avif, heic, jxl' }]);
      const broken = await findingOf('pictures', 'install', () => checkMedia(bad.reader, 1000));
      expect(told(...broken)).toEqual(['fail pictures']);
    } finally {
      await Promise.all([good.close(), bad.close()]);
    }
  });
});
