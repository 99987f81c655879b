// Pages of many customers in turn, each by its own key, against pages of one; and what memory the service keeps of them. Needs wrk.
//   npm run bench -- customers [customers, default 10000] [seconds of each measurement, default 5]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { newToken } from '../dist/core/access/api-key.js';
import { hashRandomToken } from '../dist/core/shared/secrets.js';
import { fill } from './library.mjs';
import { keyed, load } from './load.mjs';
import { memoryBytes, residentBytes, root, startService } from './service.mjs';

const [customers, seconds] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 5)];
const PHOTOS_OF_EACH = 60;
const ROUNDS = 3;

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-customers-'));
  const service = await startService();
  const database = await openEmbeddedPostgres(service.dataDir, 'share', () => undefined);
  try {
    const tokens = Array.from({ length: customers }, newToken);
    await fill(database.connection, PHOTOS_OF_EACH);
    await addCustomers(database.connection, tokens);
    process.env.TOKENS = join(folder, 'tokens');
    writeFileSync(process.env.TOKENS, tokens.join('\n'));
    // Not the first: its photos alone have tags.
    const one = keyed({ ...service, token: tokens.at(-1) }, '/api/v1/photos?limit=50');
    const all = { url: one.url, script: join(root, 'bench', 'clients', 'customers.lua') };
    await load(one, seconds);
    console.log(`${customers} customers of ${PHOTOS_OF_EACH} photos, ${ROUNDS} turns`);
    console.log(`one customer: ${memory(service)}`);
    for (let turn = 1; turn <= ROUNDS; turn += 1) {
      const alone = await load(one, seconds);
      const began = await load(all, seconds);
      // Every customer has asked at least once before memory is looked at.
      await load(all, Math.ceil((1.1 * customers) / began.rate));
      const { rate } = await load(all, seconds);
      const told = `${rate.toFixed(0)} pages a second of all in turn, ${alone.rate.toFixed(0)} of one`;
      console.log(`turn ${turn}: ${(rate / alone.rate).toFixed(2)} (${told}); ${memory(service)}`);
    }
  } finally {
    await database.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function memory(service) {
  return `${Math.round(residentBytes(service) / 1e6)} MB in the service, ${Math.round(memoryBytes(service) / 1e6)} MB with the database`;
}

/** The first customer's photos are copied to all others, without their tags; every customer has one key with budgets that are far away. */
async function addCustomers(connection, tokens) {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    `INSERT INTO customers (name, status, default_time_zone, trash_retention_days, created_at, updated_at, version)
     SELECT concat('customer ', n), 'active', 'UTC', 30, now(), now(), 1 FROM generate_series(2, $1::integer) AS n`,
    [tokens.length],
  );
  await client.query(
    `INSERT INTO api_keys (customer_id, name, token_hash, last_four, scopes, ip_list, read_limit, created_at)
     SELECT c.id, 'bench', hash, '0000', '{photos:read}', '{}', 1000000, now()
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM customers) c
     JOIN unnest($1::text[]) WITH ORDINALITY AS h (hash, n) USING (n)`,
    [tokens.map(hashRandomToken)],
  );
  const own = {
    customer_id: 'c.id',
    id: "nextval('photo_id_seq')",
    blob_key: "concat('originals/', c.id, '/', p.id)",
    import_id: 'NULL',
  };
  const { rows } = await client.query(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'photos' AND is_generated = 'NEVER'`,
  );
  const names = rows.map(({ name }) => name);
  await client.query(
    `INSERT INTO photos (${names.join(', ')}) SELECT ${names.map((name) => own[name] ?? `p.${name}`).join(', ')}
     FROM customers c, photos p WHERE c.id > 1 AND p.customer_id = 1`,
  );
  await client.query('VACUUM ANALYZE');
  await client.end();
}

await main();
