import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import type { Finding } from '../../src/core/integrity/findings.js';
import { verify } from '../../src/core/integrity/verify.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { world } from '../support/core-world.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { sampleInstant } from '../support/samples.js';
import { atOnce, present, Tenant } from '../support/tenant.js';

let database: TestDatabase;
let source: DataSource;
let store: TypeormCustomerStore;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
  store = new TypeormCustomerStore(source);
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

const newTenant = () => Tenant.of({ store, customers: new TypeormCustomerDirectory(source) });

/** What the photos themselves say. */
async function counted({ id }: Tenant): Promise<unknown> {
  const [row] = await source.query(
    `SELECT count(*) FILTER (WHERE NOT trashed) AS photos, coalesce(sum(size_bytes) FILTER (WHERE NOT trashed), 0)::bigint AS "storageBytes",
       count(*) FILTER (WHERE trashed) AS "trashedPhotos", coalesce(sum(size_bytes) FILTER (WHERE trashed), 0)::bigint AS "trashedBytes"
     FROM photos WHERE customer_id = $1`,
    [id],
  );
  return row;
}

/** What their usage says, without counting them. */
async function told(tenant: Tenant): Promise<unknown> {
  const { photos, storageBytes, trashedPhotos, trashedBytes } = await tenant.query((reader) => reader.usage.read());
  return { photos, storageBytes, trashedPhotos, trashedBytes };
}

async function rowsOf({ id }: Tenant): Promise<number> {
  const [row] = await source.query('SELECT count(*) AS rows FROM photo_totals WHERE customer_id = $1', [id]);
  return row.rows;
}

test('totals are those of the photos, however many change them at once, and stay few rows', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  await other.addPhoto({ sizeBytes: 7 });
  const lanes = await atOnce(6, async (lane) => {
    for (let step = 0; step < 40; step += 1) {
      const photo = await tenant.addPhoto({ sizeBytes: 1000 * lane + step });
      const trashedAt = step % 3 === 0 ? sampleInstant : null;
      await tenant.transaction(async ({ photos }) => {
        const [held] = await photos.lock([photo.id]);
        if (step % 5 === 0) await photos.delete(photo.id);
        else await photos.update({ ...present(held), title: 'changed', trashedAt, purgeAt: trashedAt });
      });
      expect(await tenant.query((reader) => reader.usage.read())).toMatchObject({ photos: expect.any(Number) });
    }
    return lane;
  });
  expect(lanes).toHaveLength(6);
  expect(await told(tenant)).toEqual(await counted(tenant));
  expect(await told(tenant)).toMatchObject({ photos: 6 * 21, trashedPhotos: 6 * 11 });
  expect(await told(other)).toEqual({ photos: 1, storageBytes: 7, trashedPhotos: 0, trashedBytes: 0 });
  // Rows that two add up at once may be passed over once.
  expect(await rowsOf(tenant)).toBeLessThan(2 * 64);
});

test('a change that is undone changes no total', async () => {
  const tenant = await newTenant();
  const photo = await tenant.addPhoto({ sizeBytes: 5 });
  const undone = tenant.transaction(async ({ photos }) => {
    await photos.lock([photo.id]);
    await photos.delete(photo.id);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await told(tenant)).toEqual({ photos: 1, storageBytes: 5, trashedPhotos: 0, trashedBytes: 0 });
});

test('totals that were corrupted are detected by counting, and corrected', async () => {
  const tenant = await newTenant();
  await tenant.addPhotos([{ sizeBytes: 5 }, { sizeBytes: 6, trashedAt: sampleInstant, purgeAt: sampleInstant }]);
  const right = { photos: 1, storageBytes: 5, trashedPhotos: 1, trashedBytes: 6 };
  expect(await tenant.query((reader) => reader.usage.photoTotals())).toEqual({ stored: right, counted: right });
  await source.query('INSERT INTO photo_totals (customer_id, photos, trashed_bytes) VALUES ($1, 3, -2)', [tenant.id]);
  const spoilt = { ...right, photos: 4, trashedBytes: 4 };
  expect(await tenant.query((reader) => reader.usage.photoTotals())).toEqual({ stored: spoilt, counted: right });
  await atOnce(3, () => tenant.transaction(({ customer, usage }) => customer.lock().then(() => usage.recountPhotos())));
  expect(await told(tenant)).toEqual(right);
});

test('I12: verify reports wrong totals, and corrects them when it is to repair', async () => {
  const { id } = await newTenant();
  await source.query('INSERT INTO photo_totals (customer_id, photos) VALUES ($1, 3)', [id]);
  const uses = withInProcess({ ...world(), store, customers: new TypeormCustomerDirectory(source) });
  const look = async (repair: boolean) => {
    const problems: Finding[] = [];
    const onProblem = (problem: Finding) => void problems.push(problem);
    await verify(uses, { repair, fast: true, graceSeconds: 0, onFinding: onProblem });
    return problems.filter(({ customerId }) => customerId === id);
  };
  const message = expect.stringMatching(
    /^The stored usage of this customer is 3 photos with 0 bytes, .* but the actual usage is 0 photos with 0 bytes/,
  );
  expect(await look(false)).toMatchObject([{ invariant: 'I12', message, repaired: false }]);
  expect(await look(true)).toMatchObject([{ invariant: 'I12', repaired: true }]);
  expect(await look(false)).toEqual([]);
});

test('a change that leaves the totals as they are adds no row', async () => {
  const tenant = await newTenant();
  const photo = await tenant.addPhoto();
  const before = await rowsOf(tenant);
  await tenant.transaction(async ({ photos }) => {
    const [held] = await photos.lock([photo.id]);
    await photos.update({ ...present(held), title: 'another' });
  });
  expect(await rowsOf(tenant)).toBe(before);
});
