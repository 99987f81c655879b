/* @rest */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { shownSettings } from '../../src/cli/doctor/finding.js';
import { blobStores } from '../../src/composition/blob-stores.js';
import { settingNames } from '../../src/config/config.js';
import { MailServer } from '../support/mail-server.js';
import type { CommandResult } from './support/operator.js';
import { Installation } from './support/service.js';

interface Found {
  readonly check: string;
  readonly level: string;
  readonly message: string;
}

const findings = ({ stdout }: CommandResult): Found[] => JSON.parse(stdout).findings;
const failed = (result: CommandResult) =>
  findings(result).flatMap(({ check, level }) => (level === 'fail' ? [check] : []));

describe('phs doctor', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.empty();
  });
  afterAll(() => installation.remove());

  it('finds nothing wrong with a new installation, nor beside its running service', async () => {
    const fresh = await installation.command('doctor', '--json');
    expect(failed(fresh)).toEqual([]);
    expect(findings(fresh)).toContainEqual(
      expect.objectContaining({ check: 'database', message: 'created at the first start' }),
    );
    await installation.start();
    const running = await installation.command('doctor', '--json');
    expect(failed(running)).toEqual([]);
    // 1 where the machine has little room or memory.
    expect([0, 1]).toContain(running.status);
    const checks = new Set(findings(running).map(({ check }) => check));
    expect([...checks].sort()).toEqual(
      [
        ...['DATA_DIR', 'PUBLIC_URL', 'SECRET_KEY', 'TRUSTED_PROXIES', 'blob store', 'clocks', 'configuration'],
        ...[
          'database',
          'disk space',
          'embedded database',
          'isolation',
          'memory',
          'migrations',
          'node',
          'pictures',
          'rate limits',
          'row security',
        ],
      ].sort(),
    );
  });

  it('names everything that is wrong at once, ends with 4, and says what to do', async () => {
    const settings = {
      DATABASE_URL: 'postgres://nobody:secret-password@127.0.0.1:1/none',
      TRUSTED_PROXIES: '0.0.0.0/0',
      RATE_LIMIT_STORE: 'redis',
      REDIS_URL: 'redis://:secret-password@127.0.0.1:1',
      BLOB_STORE: 's3',
      S3_BUCKET: 'photos',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    };
    const result = await installation.commandWith(settings, 'doctor', '--json');
    expect(failed(result)).toEqual(['TRUSTED_PROXIES', 'database', 'redis', 'blob store']);
    expect(result.status).toBe(4);
    expect(result.stdout + result.stderr).not.toContain('secret-password');
    const people = await installation.commandWith({ ...settings, PORT: 'x' }, 'doctor');
    expect([people.status, people.stdout]).toEqual([4, expect.stringContaining('PORT must be a whole number')]);
    expect(people.stdout).toContain('→ docs/operations.md');
  });

  it('is joined by phs mail test, which sends a mail and shows the answer of the server', async () => {
    const server = await MailServer.start();
    const smtp = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'Photos <photos@example.com>' };
    const test = async (address: string, settings: Record<string, string> = smtp) => {
      const { status, stdout } = await installation.commandWith(settings, 'mail', 'test', address, '--json');
      return { status, ...JSON.parse(stdout) };
    };
    const to = 'anna@example.com';
    const whole = { to, from: 'photos@example.com', server: `127.0.0.1:${server.port}` };
    expect(await test(to)).toEqual({ status: 0, ...whole, result: 'sent', answer: expect.stringMatching(/^250 /) });
    expect(server.received.map(({ to: [recipient], headers }) => [recipient, headers.subject])).toEqual([
      [to, 'A test of your mail server'],
    ]);
    server.recipients = '550 No mailbox here';
    expect(await test(to)).toEqual({ status: 4, ...whole, result: 'refused', answer: '550 No mailbox here' });
    const plain = await installation.commandWith(smtp, 'mail', 'test', to);
    expect(plain.stdout).toBe(`127.0.0.1:${server.port} refuses mails to ${to} for good: 550 No mailbox here\n`);
    await server.close();
    expect(await test(to)).toEqual({ status: 4, ...whole, result: 'unavailable', answer: 'ECONNREFUSED' });
    expect(await test('anna')).toMatchObject({ status: 2, error: { code: 'invalid_request' } });
    expect(await test(to, {})).toMatchObject({ status: 4, error: { message: expect.stringContaining('SMTP_URL') } });
  });

  it('writes a support file that contains no secret, wherever the settings have one', async () => {
    const file = join(installation.dataDir, 'support.json');
    const secret = (name: string) => `${name}-is-not-for-others-${'x1y2z3'.repeat(5)}`;
    const own = ['secret-key', 'first-key', 'first-link'].map((name) =>
      readFileSync(join(installation.dataDir, name), 'utf8').trim(),
    );
    const addresses = {
      DATABASE_URL: `postgres://ada:${secret('database')}@127.0.0.1:1/none`,
      DATABASE_DIRECT_URL: `postgres://ada:${secret('direct')}@127.0.0.1:1/none`,
      REDIS_URL: `redis://:${secret('redis')}@127.0.0.1:1`,
      SMTP_URL: `smtp://ada:${secret('mail')}@127.0.0.1:1`,
    };
    const words = Object.fromEntries(
      settingNames(blobStores)
        .filter((name) => /SECRET|KEY|TOKEN|PASSWORD/.test(name))
        .map((name) => [name, secret(name)]),
    );
    const rest = {
      RATE_LIMIT_STORE: 'redis',
      BLOB_STORE: 's3',
      S3_BUCKET: 'photos',
      S3_ENDPOINT: 'http://127.0.0.1:1',
    };
    const sender = { MAIL_FROM: 'photos@example.com', OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'photos' };
    const all = { ...words, ...addresses, ...rest, ...sender };
    for (const settings of [{}, all, { ...all, PORT: 'x' }]) {
      const path = `${file}.${Object.keys(settings).length}`;
      await installation.commandWith(settings, 'doctor', '--bundle', path);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const text = readFileSync(path, 'utf8');
      expect(own.filter((each) => text.includes(each))).toEqual([]);
      expect(text).not.toContain('is-not-for-others');
    }
    const bundle = (settings: object) => JSON.parse(readFileSync(`${file}.${Object.keys(settings).length}`, 'utf8'));
    expect(bundle(all).settings).toMatchObject({ BLOB_STORE: 's3', REDIS_URL: '(set)', SECRET_KEY: '(set)' });
    const { versions, database, findings: found } = bundle({});
    expect(versions).toMatchObject({ photoService: expect.any(String), node: process.version });
    expect(database).toMatchObject({ pending: [], unknown: [] });
    expect(database.tables).toContainEqual({ name: 'customers', rows: expect.any(Number), bytes: expect.any(Number) });
    expect(found.map(({ check }: Found) => check)).toContain('isolation');
  });

  it('shows the values of known settings only', () => {
    expect(shownSettings(blobStores).filter((name) => !settingNames(blobStores).includes(name))).toEqual([]);
  });
});
