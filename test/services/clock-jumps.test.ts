import { type Answer, Client } from '../e2e/support/client.js';
import { liveThrough, photoNamed } from '../e2e/support/life.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';
import { atOnce, present } from '../support/tenant.js';
import { JumpingClock } from './support/jumping-clock.js';
import { Load } from './support/load.js';
import { PostgresServer } from './support/postgres-server.js';

const HOUR = 3600;

let clock: JumpingClock;
let postgres: PostgresServer;
/** Two nodes on one database and one store, each with its worker; the clock of the second jumps. */
let nodes: readonly [Installation, Installation];
let clients: readonly [Client, Client];
beforeAll(async () => {
  clock = new JumpingClock();
  postgres = await PostgresServer.start();
  const environment = { DATABASE_URL: postgres.url };
  const first = await Installation.make(environment);
  const second = (await first.rival()).with({ ...environment, ...clock.environment });
  nodes = [first, second];
  for (const node of nodes) await node.start();
  clients = await clientsWith(['--read-limit', '1000000', '--write-limit', '1000000']);
});
afterAll(async () => {
  await nodes?.[1].stop();
  await nodes?.[0].remove();
  await postgres?.stop();
  clock?.remove();
});
beforeEach(() => clock.jumpTo(0));
afterEach(() => clock.jumpTo(0));

/** One new key, shown to both nodes. */
async function clientsWith(options: readonly string[]): Promise<readonly [Client, Client]> {
  const about = ['key', 'create', '--customer', '1', '--name', 'test', '--scopes', 'all', '--json'];
  const { status, stdout, stderr } = await nodes[0].operate(...about, ...options);
  if (status !== 0) throw new Error(`no key could be made: ${stderr}`);
  const { token } = JSON.parse(stdout);
  return [new Client(nodes[0].url, token), new Client(nodes[1].url, token)];
}

describe('docs/reliability.md F18: the clock of one of two nodes', () => {
  test.each([
    ['an hour ahead', HOUR],
    ['an hour back', -HOUR],
    ['a day ahead', 24 * HOUR],
    ['five seconds ahead', 5],
    ['a leap second back', -1],
  ])('jumps %s: a budget is neither more nor less than it was', async (_, seconds) => {
    const both = await clientsWith(['--read-limit', '20']);
    const ask = (count: number) => atOnce(count, (n) => present(both[n % 2]).get('/tags'));
    const before = await ask(12);
    clock.jumpTo(seconds);
    const after = await ask(20);
    const admitted = [...before, ...after].filter(({ status }) => status === 200);
    const refused = after.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([20, 12]);
    const now = Date.now() / 1000;
    const number = ({ headers }: Answer, name: string) => Number(headers.get(name));
    for (const answer of after) {
      const reset = number(answer, 'x-ratelimit-reset');
      expect([reset >= Math.floor(now) - 1, reset <= now + 61]).toEqual([true, true]);
    }
    for (const answer of refused) {
      const wait = number(answer, 'retry-after');
      expect([wait >= 1, wait <= 60]).toEqual([true, true]);
    }
  });

  test('jumps to and fro while imports are under way: each photo comes in once, and nothing acknowledged is lost', async () => {
    const load = new Load(clients[1], 'clock', { clients: 2 });
    const patience = { addressesExpire: true };
    const lives = Promise.all(clients.map((client, n) => liveThrough(client, `clock ${n}`, patience)));
    for (const seconds of [HOUR, -HOUR, 24 * HOUR, 5, -5, 0]) {
      clock.jumpTo(seconds);
      await load.goesOn(10);
    }
    await lives;
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(await load.lost()).toEqual([]);
  });

  test('is not right: cursors are good for their 24 hours, upload addresses for their 6, and no longer', async () => {
    const [truthful, jumping] = clients;
    await atOnce(4, (n) => truthful.post('/tags', { name: `walk ${n}` }));
    const page = (await truthful.get('/tags?q=walk&limit=2')).body;
    for (const seconds of [-HOUR, HOUR, 24 * HOUR - 60]) {
      clock.jumpTo(seconds);
      const next = await jumping.get(`/tags?q=walk&limit=2&cursor=${page.pagination.nextCursor}`);
      expect([next.status, next.body.data?.length]).toEqual([200, 2]);
    }
    clock.jumpTo(0);
    const bytes = photoNamed('addressed');
    const { id } = (await truthful.post('/imports')).body;
    const photos = [{ filename: 'a.jpg', sizeBytes: bytes.length }];
    const [{ photo }] = (await truthful.post(`/imports/${id}/photos`, { photos })).body.data;
    const there = { ...photo.upload, url: photo.upload.url.replace(nodes[0].url, nodes[1].url) };
    clock.jumpTo(6 * HOUR + 60);
    const late = await jumping.upload(there, bytes);
    expect([late.status, late.body.error?.code]).toEqual([403, 'upload_forbidden']);
    for (const seconds of [6 * HOUR - 60, -HOUR]) {
      clock.jumpTo(seconds);
      expect((await jumping.upload(there, bytes)).status).toBe(204);
    }
  });

  test('leaves everything sound in the end', () => expectSound(nodes[0]));
});
