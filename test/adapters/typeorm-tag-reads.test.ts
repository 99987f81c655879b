import type { DataSource } from 'typeorm';
import { measured } from '../../bench/scale/rows-read.mjs';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { withoutTransaction } from '../../src/adapters/typeorm/database/transaction.js';
import { TypeormTagRepository } from '../../src/adapters/typeorm/tags/tag.repository.js';
import type { Id } from '../../src/core/shared/ids.js';
import { type TagFilters, tagPosition, tagSorts } from '../../src/core/tags/tag.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { sampleCustomer } from '../support/samples.js';
import { present } from '../support/tenant.js';

/** Of one customer; others have as many. */
const TAGS = 5_000;
const OTHERS = 5;
const LIMIT = 51;

let database: TestDatabase;
let source: DataSource;
let customerId: Id;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
  for (let count = 0; count <= OTHERS; count += 1) {
    customerId = (
      await new TypeormCustomerDirectory(source).transaction((creation) => creation.insert(sampleCustomer()))
    ).id;
    await source.query(
      `WITH made AS (
         INSERT INTO tags (customer_id, name, name_key, search_key, created_at, updated_at)
         SELECT $1, name, name, name, now(), now() FROM generate_series(1, $2::integer) AS n, concat('tag ', n) AS name RETURNING *
       ) INSERT INTO tag_counts (customer_id, tag_id, photos) SELECT customer_id, id, (id % 2)::integer FROM made`,
      [customerId, TAGS],
    );
  }
  await source.query('VACUUM ANALYZE tags');
  await source.query('VACUUM ANALYZE tag_counts');
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

describe.each(tagSorts)('GET /tags sorted by %s', (sort) => {
  const page = (filters: TagFilters, after: Parameters<typeof tagPosition>[0] | null = null) =>
    withoutTransaction(source, (manager) =>
      measured(manager, (explained) =>
        new TypeormTagRepository(explained, customerId).list({
          filters,
          sort,
          window: { after: after && tagPosition(after, sort), limit: LIMIT },
        }),
      ),
    );

  test.each<[string, TagFilters]>([
    ['no filter', {}],
    ['name', { nameKey: 'tag 77' }],
    ['q, in every name', { q: 'tag' }],
    ['unused', { unused: true }],
    ['used', { unused: false }],
  ])('%s: a page, and the one after it, read what a page needs', async (_, filters) => {
    const first = await page(filters);
    expect(first.rows).toBeLessThan(10 * LIMIT);
    const last = present(first.answer.at(-1));
    expect((await page(filters, last)).rows).toBeLessThan(10 * LIMIT);
  });

  test.each<[string, TagFilters]>([
    ['q, in no name', { q: 'nothing' }],
    ['q, in some names', { q: '99' }],
  ])('%s: a page reads at most the tags of the customer, who has no more than 10,000', async (_, filters) => {
    expect((await page(filters)).rows).toBeLessThan(2.5 * TAGS);
  });
});
