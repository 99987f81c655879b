/* @slow @rest */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Client } from './support/client.js';
import { processesOn, until } from './support/processes.js';
import { Installation } from './support/service.js';

describe('starting and stopping', () => {
  let installation: Installation;
  beforeEach(async () => {
    installation = await Installation.make();
  });
  afterEach(() => installation.remove());

  it('stops in order on SIGTERM, and leaves no process behind; a program can read its log', async () => {
    await installation.start({ LOG_LEVEL: 'info' });
    expect(await installation.stop('SIGTERM')).toBe(0);
    const [last = ''] = installation.printed().trim().split('\n').reverse();
    expect(JSON.parse(last)).toMatchObject({ level: 30, reason: 'SIGTERM', msg: 'stopping' });
    expect(processesOn(installation.dataDir)).toEqual([]);
  });

  it('stops in order on Ctrl-C, and leaves no process behind; with LOG_FORMAT=text people can read its log', async () => {
    await installation.start({ LOG_LEVEL: 'info', LOG_FORMAT: 'text' });
    expect(await installation.stop('SIGINT')).toBe(0);
    // No terminal, so no colours.
    expect(installation.printed()).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: stopping \{"reason":"SIGINT"\}$/m);
    expect(processesOn(installation.dataDir)).toEqual([]);
  });

  it('refuses a port that is in use, in words', async () => {
    const other = createServer().listen(installation.port, '127.0.0.1');
    try {
      const { status, output } = await installation.startInVain();
      expect(status).not.toBe(0);
      expect(output).toContain(`Port ${installation.port} on 127.0.0.1 is in use`);
    } finally {
      other.close();
    }
    expect(processesOn(installation.dataDir)).toEqual([]);
  });

  it('makes no customer and prints no key when it cannot listen', async () => {
    const other = createServer().listen(installation.port, '127.0.0.1');
    await installation.startInVain();
    other.close();
    await installation.start();
    expect(installation.token()).not.toBeNull();
  });

  it('has stored the first key when it is ready, and says how to make one while there is none', async () => {
    const started = installation.start();
    await until('it to be ready', async () => {
      const answer = await fetch(`${installation.url}/readyz`).catch(() => null);
      return answer?.status === 200;
    });
    expect(existsSync(join(installation.dataDir, 'first-key'))).toBe(true);
    await started;
    expect((await installation.operate('key', 'delete', '1')).status).toBe(0);
    await installation.stop('SIGINT');
    await installation.start();
    expect(installation.token()).toBeNull();
    expect(installation.printed()).toContain('npx phs key create --customer 1');
  });

  it('lists everything that is wrong in the environment', async () => {
    const wrong = await Installation.empty({ MAX_PIXELS: 'many', TRUSTED_PROXIES: '10.0.0.0/33', SECRET_KEY: 'short' });
    const { status, output } = await wrong.startInVain();
    await wrong.remove();
    expect(status).toBe(4);
    for (const name of ['MAX_PIXELS', 'TRUSTED_PROXIES', 'SECRET_KEY']) expect(output).toContain(name);
  });

  it.each(['/proc/nope/photos', '/dev/null/photos'])('refuses a DATA_DIR that cannot be: %s', async (DATA_DIR) => {
    const nowhere = await Installation.empty({ DATA_DIR });
    const { status, output } = await nowhere.startInVain();
    await nowhere.remove();
    expect(status).toBe(4);
    expect(output).toMatch(/The data folder .* cannot be used .*: choose another DATA_DIR\.$/m);
  });

  it('answers commands while it runs and when it does not', async () => {
    await installation.start();
    const customer = JSON.parse(installation.phs('customer', 'create', '--name', 'Studio', '--json').stdout);
    expect(customer).toMatchObject({ id: 2, name: 'Studio', defaultTimeZone: 'UTC' });
    await installation.stop('SIGINT');
    const listed = JSON.parse(installation.phs('customer', 'list', '--json').stdout);
    expect(listed.customers.map((each: { name: string }) => each.name)).toEqual(['First customer', 'Studio']);
  });

  it('refuses a second service on one data folder, and the first goes on', async () => {
    await installation.start();
    const client = new Client(installation.url, installation.token() ?? '');
    const { status, output } = await (await installation.rival()).startInVain();
    expect(status).toBe(4);
    expect(output).toContain(installation.dataDir);
    expect((await client.get('/me')).status).toBe(200);
  });
});

describe('the commands of an operator, while the service runs', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.empty();
    await installation.start();
  });
  afterAll(() => installation.remove());

  it('issue keys that work, and refuse them from the moment they are deleted', async () => {
    const args = [
      'key',
      'create',
      '--customer',
      '1',
      '--name',
      'reader',
      '--scopes',
      'photos:read,tags:read',
      '--json',
    ];
    const key = JSON.parse(installation.phs(...args).stdout);
    const client = new Client(installation.url, key.token);
    expect((await client.get('/photos')).status).toBe(200);
    expect((await client.get('/me')).body.error).toMatchObject({
      code: 'scope_required',
      details: { scope: 'customer:read' },
    });
    const list = (...options: string[]) => installation.operate('key', 'list', '--customer', '1', ...options);
    expect((await list()).stdout).toContain('reader');
    expect((await list('--json')).stdout).not.toContain(key.token);
    expect((await installation.command('key', 'delete', String(key.id))).status).toBe(0);
    expect((await client.get('/photos')).status).toBe(401);
  });

  it.each([
    [['key', 'create', '--customer', '1', '--name', 'x', '--scopes', 'photos:fly'], 'photos:fly is not a scope'],
    [['key', 'create', '--customer', '99', '--name', 'x', '--scopes', 'all'], 'customer'],
    [['key', 'create', '--customer', '1', '--name', 'x', '--scopes', 'all', '--ip', '10.0.0.0/33'], '10.0.0.0/33'],
    [['key', 'create', '--customer', '1', '--name', 'x', '--scopes', 'all', '--ip', ''], '--ip'],
    [['key', 'edit', '1', '--ip', ' , '], '--ip'],
    [['customer', 'create', '--name', 'x', '--time-zone', 'Mars/Olympus'], 'Europe/Paris'],
    [['key', 'delete', '99'], 'api key'],
    [['nonsense'], 'nonsense'],
  ])('explain what is wrong with phs %p', async (args, words) => {
    const { status, stderr, stdout } = await installation.command(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(stdout).toBe('');
  });
});
