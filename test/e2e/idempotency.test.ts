/* @rest */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { CLAIM_LEASE_SECONDS } from '../../src/core/idempotency/claim-key.js';
import { pgConfig, type TestDatabase, testDatabase, urlOf } from '../support/postgres.js';
import type { Answer, Client } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { expectSound } from './support/sound.js';

const WRITES = 40;

describe('F28: kill -9 in the middle of writes with an Idempotency-Key', () => {
  it('leaves each done with its answer, or not at all', async () => {
    const installation = await Installation.make();
    try {
      await installation.start();
      const client = await installation.client();
      const keys = Array.from({ length: WRITES }, () => randomUUID());
      const post = (key: string) => client.post('/imports', { name: key }, { 'Idempotency-Key': key });
      const sent = keys.map((key) => post(key).catch(() => null));
      // Some are answered by then, some under way, some not begun.
      await Promise.race(sent);
      await installation.killEverything();
      const answered = await Promise.all(sent);

      await installation.start();
      const again = await Promise.all(keys.map(post));
      expect(again.map(({ status }) => status)).toEqual(again.map(() => 201));
      for (const [at, first] of answered.entries()) if (first) expectReplayed(again[at], first);
      // Whatever was committed before has an answer, and nothing was done twice.
      expect(new Set(again.map((answer) => answer.body.id)).size).toBe(WRITES);
      expect((await client.get('/customer')).body.usage.openImports).toBe(WRITES);
      for (const answer of again) {
        const repeated = await post(answer.body.name);
        expectReplayed(repeated, answer);
      }
      await expectSound(installation, { graceSeconds: 0 });
    } finally {
      await installation.remove();
    }
  });
});

describe('F28: one of two nodes on one database, after kill -9,', () => {
  let server: TestDatabase;
  let database: pg.Client;
  let nodes: readonly [Installation, Installation];
  beforeAll(async () => {
    server = await testDatabase();
    database = new pg.Client(pgConfig(server));
    await database.connect();
    const settings = { DATABASE_URL: urlOf(server) };
    nodes = [await Installation.make(settings), await Installation.make(settings)];
    for (const node of nodes) await node.start();
  });
  afterAll(async () => {
    for (const node of nodes) await node.remove();
    await database.end();
    await server.close();
  });

  const post = (client: Client, key: string) => client.post('/tags', { name: key }, { 'Idempotency-Key': key });

  /** Kills the first node in the middle of writes, as often as it takes to leave a key claimed. All keys, and how many are claimed. */
  async function killed(): Promise<{ keys: readonly string[]; left: number }> {
    const client = await nodes[0].client();
    const keys: string[] = [];
    return until('a key to be left claimed', async () => {
      const more = Array.from({ length: WRITES }, () => randomUUID());
      keys.push(...more);
      const sent = more.map((key) => post(client, key).catch(() => null));
      await Promise.race(sent);
      await nodes[0].kill();
      await Promise.all(sent);
      const { rows } = await database.query('SELECT key FROM idempotency_keys WHERE answer IS NULL');
      if (rows.length > 0) return { keys, left: rows.length };
      await nodes[0].start();
      return false;
    });
  }

  const tags = async () => Number((await database.query('SELECT count(*) FROM tags')).rows[0].count);

  async function expectDone(client: Client, keys: readonly string[], before: number): Promise<void> {
    const answers = await Promise.all(keys.map((key) => post(client, key)));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 201));
    expect(await tags()).toBe(before + keys.length);
  }

  it('frees its keys as soon as it starts again', async () => {
    const client = await nodes[1].client();
    const before = await tags();
    const { keys, left } = await killed();
    // However long this takes here: the start must free them, not the time.
    await database.query(`UPDATE idempotency_keys SET lease_until = lease_until + interval '1 hour'`);
    const held = (await Promise.all(keys.map((key) => post(client, key)))).filter(({ status }) => status === 409);
    expect(held).toHaveLength(left);
    await nodes[0].start();
    await expectDone(client, keys, before);
  });

  it('leaves them to the other node when their leases have run out', async () => {
    const client = await nodes[1].client();
    const before = await tags();
    const { keys } = await killed();
    await database.query('UPDATE idempotency_keys SET lease_until = lease_until - make_interval(secs => $1)', [
      CLAIM_LEASE_SECONDS,
    ]);
    await expectDone(client, keys, before);
  });
});

function expectReplayed(answer: Answer | undefined, first: Answer): void {
  expect([answer?.status, answer?.headers.get('idempotent-replayed')]).toEqual([first.status, 'true']);
  expect([answer?.body, answer?.headers.get('location')]).toEqual([first.body, first.headers.get('location')]);
}
