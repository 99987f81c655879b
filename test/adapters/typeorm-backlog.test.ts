import type { DataSource } from 'typeorm';
import { withTraceContext } from '../../src/adapters/trace-context.js';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { requireAnswer, requireMigrated } from '../../src/adapters/typeorm/database-state.js';
import { poolUse, readBacklog } from '../../src/adapters/typeorm/jobs/backlog.js';
import { TypeormJobQueue } from '../../src/adapters/typeorm/jobs/job.repository.js';
import { claimJob } from '../support/claim.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { sampleCustomer } from '../support/samples.js';

let database: TestDatabase;
let source: DataSource;
beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

test('the metrics of a new database show no waiting jobs', async () => {
  expect(await readBacklog(source)).toEqual({
    jobs: [],
    deliveries: { waiting: 0, oldestSeconds: 0 },
    itemsUnderWay: {},
    itemsEstimated: {},
  });
});

test('jobs are reported by kind and state, with the wait of the first one that is due', async () => {
  const { id } = await new TypeormCustomerDirectory(source).transaction((creation) =>
    creation.insert(sampleCustomer()),
  );
  const store = new TypeormCustomerStore(source);
  await store.transaction(id, async ({ jobs }) => {
    for (const photoId of [1, 2, 3]) await jobs.add({ kind: 'inspect', importId: 1, photoId });
    await jobs.add({ kind: 'publish', importId: 1 });
  });
  await source.query(`UPDATE job_queue SET due_at = due_at - interval '90 s' WHERE key = 'inspect/1/1'`);
  const queue = new TypeormJobQueue(source);
  expect(await claimJob(queue, 60)).toMatchObject({ work: { photoId: 1 } });
  await source.query(`UPDATE job_queue SET due_at = due_at - interval '40 s' WHERE key = 'inspect/1/2'`);
  await source.query(`UPDATE job_queue SET dead_at = now() WHERE key = 'publish/1'`);
  const { jobs } = await readBacklog(source);
  const [inspect, publish] = [...jobs].sort((a, b) => a.kind.localeCompare(b.kind));
  expect(inspect).toMatchObject({ kind: 'inspect', waiting: 2, running: 1, dead: 0 });
  expect(inspect?.oldestSeconds).toBeGreaterThanOrEqual(40);
  expect(publish).toEqual({ kind: 'publish', waiting: 0, running: 0, dead: 1, oldestSeconds: 0 });
});

test('a job stores the trace context of the request or job that adds it, and none without a trace', async () => {
  const { id } = await new TypeormCustomerDirectory(source).transaction((creation) =>
    creation.insert(sampleCustomer()),
  );
  const store = new TypeormCustomerStore(source);
  const add = (importId: number) => store.transaction(id, ({ jobs }) => jobs.add({ kind: 'publish', importId }));
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await withTraceContext(traceparent, () => add(1));
  await add(2);
  const claimed = await new TypeormJobQueue(source).claim('jobs', { leaseSeconds: 60, count: 9 });
  const own = claimed.filter(({ customerId }) => customerId === id);
  expect(own.map(({ traceContext }) => traceContext)).toEqual([traceparent, null]);
});

test('the metrics show the connection pool', async () => {
  const { open, idle, waiting } = poolUse(source);
  expect([open >= 1, idle <= open, waiting]).toEqual([true, true, 0]);
});

test('a database that lacks a migration of this program is reported', async () => {
  await requireAnswer(source);
  await requireMigrated(source);
  await source.query(`DELETE FROM migrations WHERE name = 'Tags1764000000005'`);
  await expect(requireMigrated(source)).rejects.toThrow('The database lacks Tags1764000000005');
});
