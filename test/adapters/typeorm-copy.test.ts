import pg from 'pg';
import { copyIn, copyOut } from '../../src/adapters/typeorm/backup/copy.js';
import { pgConfig, type TestDatabase, testDatabase } from '../support/postgres.js';

describe('COPY over one connection', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await testDatabase();
  });
  beforeEach(async () => {
    client = new pg.Client(pgConfig(database));
    client.on('error', () => {});
    await client.connect();
  });
  afterEach(() => client.end());
  afterAll(() => database.close());

  const many = `COPY (SELECT n, repeat('é', 500) FROM generate_series(1, 20000) n) TO STDOUT`;

  async function* doubled(): AsyncIterable<Uint8Array> {
    for (let n = 0; n < 20_000; n += 1) yield Buffer.from(`${n}\t${'é'.repeat(500)}\n`);
  }

  it('streams more than any buffer holds, both ways, and the connection goes on', async () => {
    let bytes = 0;
    for await (const chunk of copyOut(client, many)) {
      bytes += chunk.length;
      // A reader that is slower than the server.
      await new Promise((wake) => setImmediate(wake));
    }
    expect(bytes).toBeGreaterThan(20_000 * 1000);
    await client.query('CREATE TEMP TABLE copied (n integer, filling text)');
    await copyIn(client, 'COPY copied FROM STDIN', doubled());
    const { rows } = await client.query(
      'SELECT count(*)::integer AS count, min(length(filling)) AS length FROM copied',
    );
    expect(rows).toEqual([{ count: 20_000, length: 500 }]);
  });

  it('fails with the words of the server', async () => {
    const read = async () => {
      for await (const _ of copyOut(client, 'COPY (SELECT 1/0) TO STDOUT'));
    };
    await expect(read()).rejects.toThrow('division by zero');
    await expect(copyIn(client, 'COPY nowhere FROM STDIN', doubled())).rejects.toThrow('nowhere');
    await client.query('CREATE TEMP TABLE copied (n integer)');
    await expect(copyIn(client, 'COPY copied FROM STDIN', doubled())).rejects.toThrow('extra data');
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('writes nothing when the bytes end early', async () => {
    await client.query('CREATE TEMP TABLE copied (n integer)');
    async function* cut() {
      yield Buffer.from('1\n2\n');
      throw new Error('the file is damaged');
    }
    await expect(copyIn(client, 'COPY copied FROM STDIN', cut())).rejects.toThrow('the file is damaged');
    expect((await client.query('SELECT * FROM copied')).rows).toEqual([]);
  });

  it('ends the connection of a reader who goes away', async () => {
    for await (const _ of copyOut(client, many)) break;
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });

  it('fails both ways when the connection ends', async () => {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const other = new pg.Client(pgConfig(database));
    await other.connect();
    async function* endless() {
      for (let n = 0; ; n += 1) {
        yield Buffer.from(`${n}\n`);
        if (n === 10) await other.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
        await new Promise((wake) => setImmediate(wake));
      }
    }
    await client.query('CREATE TEMP TABLE copied (n integer)');
    await expect(copyIn(client, 'COPY copied FROM STDIN', endless())).rejects.toThrow();
    await other.end();
  });
});
