import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { withoutTransaction } from '../../src/adapters/typeorm/database/transaction.js';
import { PhotoCache } from '../../src/adapters/typeorm/photos/photo-cache.js';
import { listPhotos } from '../../src/adapters/typeorm/photos/photo-list.js';
import { photosWithTags } from '../../src/adapters/typeorm/photos/photo-rows.js';
import { changePhotos } from '../../src/core/photos/change-photos.js';
import { markLost, markRecovered, type Photo, restore, rotate, trash } from '../../src/core/photos/photo.js';
import type { PhotoQuery } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import { foldKey } from '../../src/core/shared/text.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { later, sampleInstant } from '../support/samples.js';
import { present, Tenant } from '../support/tenant.js';

/** Two processes with caches of their own on one database. */
let database: TestDatabase;
let sources: readonly DataSource[];
let nodes: readonly TypeormCustomerStore[];
let customers: TypeormCustomerDirectory;

beforeAll(async () => {
  database = await testDatabase();
  sources = [await openDataSource(database), await openDataSource(database)];
  nodes = sources.map((source) => new TypeormCustomerStore(source));
  customers = new TypeormCustomerDirectory(present(sources[0]));
});
afterAll(async () => {
  for (const source of sources) await source.destroy();
  await database.close();
});

const newTenant = () => Tenant.of({ store: present(nodes[0]), customers });

const page = (values: Partial<PhotoQuery>): PhotoQuery => ({
  filters: { trashed: 'false' },
  sort: '-createdAt',
  window: { after: null, limit: 51 },
  ...values,
});

const pages = (tagIds: readonly Id[]): readonly PhotoQuery[] => [
  page({}),
  page({ window: { after: null, limit: 4 } }),
  page({ sort: 'updatedAt', filters: { trashed: 'any' } }),
  page({ sort: 'takenAt', filters: { trashed: 'true' } }),
  page({ filters: { trashed: 'any', anyTagIds: tagIds } }),
];

/** Every page and photo of the customer, as each node returns them and as they are read past the caches. */
async function expectSame(tenant: Tenant, ids: readonly Id[], tagIds: readonly Id[]): Promise<void> {
  const source = present(sources[0]);
  for (const query of pages(tagIds)) {
    const plain = await withoutTransaction(source, (manager) => listPhotos(manager, tenant.id, query));
    // Plain for the first time, cached for the second, by their stamps from then on.
    for (const node of [...nodes, ...nodes]) {
      expect(await node.query(tenant.id, ({ photos }) => photos.list(query))).toEqual(plain);
    }
  }
  const all = await withoutTransaction(source, (manager) => photosWithTags(manager, tenant.id, ids));
  const byId = new Map(all.map((photo) => [photo.id, photo]));
  for (const node of nodes) {
    const found = await Promise.all(ids.map((id) => node.query(tenant.id, ({ photos }) => photos.get(id))));
    expect(found).toEqual(ids.map((id) => byId.get(id) ?? null));
  }
}

/** A customer with some photos and tags, and what is needed to change them. */
interface World {
  readonly tenant: Tenant;
  readonly photoIds: Id[];
  readonly tagIds: Id[];
  /** A number that no other change has. */
  readonly number: number;
}

type Writer = (world: World, photoId: Id, tagId: Id) => Promise<unknown>;

const at = ({ number }: World) => later(number);

function change(world: World, photoId: Id, next: (photo: Photo) => Photo, tagIds: readonly Id[] | null = null) {
  return world.tenant.transaction(async (transaction) => {
    const [photo] = await transaction.photos.lock([photoId]);
    if (photo) await changePhotos(transaction, [{ photo, next: next(photo), tagIds }], at(world));
  });
}

function onTag(world: World, tagId: Id, when: Date | null) {
  return world.tenant.transaction(async ({ tags }) => {
    if ((await tags.lock([tagId])).length > 0) await tags.delete(tagId, when);
  });
}

function merge(world: World, from: Id, into: Id, when: Date | null) {
  return world.tenant.transaction(async ({ taggedPhotos, tags }) => {
    await taggedPhotos.lockTagged([from], []);
    const found = await tags.lock([from, into]);
    if (found.length === 2) await tags.merge([from], into, when);
  });
}

const sql = (text: string, ...values: unknown[]) => present(sources[0]).query(text, values);

/** All that changes what a photo is shown as. New versions: `changePhotos` and tags; the others leave `version` and `updatedAt`. */
const writers: Readonly<Record<string, Writer>> = {
  'a patch': (world, id) => change(world, id, (photo) => ({ ...photo, title: `title ${world.number}` })),
  'a rotation': (world, id) => change(world, id, (photo) => rotate(photo, photo.rotation === 90 ? 0 : 90)),
  'the trash': (world, id) => change(world, id, (photo) => trash(photo, at(world), 30)),
  'a restored photo': (world, id) => change(world, id, restore),
  'a lost original': (world, id) => change(world, id, (photo) => markLost(photo, at(world))),
  'a recovered original': (world, id) => change(world, id, (photo) => markRecovered(photo)),
  'a new set of tags': async (world, id, tagId) => {
    const known = await world.tenant.query(({ tags }) => tags.getMany([tagId]));
    await change(
      world,
      id,
      (photo) => photo,
      known.map((tag) => tag.id),
    );
  },
  'an attached tag': (world, id, tagId) =>
    world.tenant.transaction(async ({ tags, photos }) => {
      await photos.lock([id]);
      if ((await tags.lock([tagId])).length > 0) await tags.attach(tagId, [id], at(world));
    }),
  'a detached tag': (world, id, tagId) =>
    world.tenant.transaction(async ({ tags, photos }) => {
      await photos.lock([id]);
      await tags.detach([tagId], [id], at(world));
    }),
  'a renamed tag': (world, _, tagId) =>
    world.tenant.transaction(async ({ tags }) => {
      const [tag] = await tags.lock([tagId]);
      const name = `renamed ${world.number}`;
      if (tag) await tags.update({ ...tag, name, nameKey: foldKey(name) });
    }),
  'a deleted tag': (world, _, tagId) => onTag(world, tagId, at(world)),
  'a deleted tag with photos left for later': (world, _, tagId) => onTag(world, tagId, null),
  'a merged tag': (world, _, tagId) => merge(world, tagId, present(world.tagIds[0]), at(world)),
  'a merged tag with photos left for later': (world, _, tagId) => merge(world, tagId, present(world.tagIds[0]), null),
  'new versions of photos that were left for later': (world) =>
    world.tenant.transaction(async ({ tags }) => {
      await tags.bumpVersions(await tags.tombstones(), 0, 100, at(world));
    }),
  'a purge': (world, id) => world.tenant.transaction(({ photos }) => photos.delete(id)),
  'a new photo': async (world, _, tagId) => {
    world.photoIds.push((await world.tenant.addPhoto({ createdAt: at(world), updatedAt: at(world) }, [tagId])).id);
  },
  'a new tag': async (world) => {
    world.tagIds.push((await world.tenant.addTag(`new ${world.number}`)).id);
  },
  'two changes of one transaction': (world, id) =>
    world.tenant.transaction(async ({ photos }) => {
      const [photo] = await photos.lock([id]);
      if (!photo) return;
      await photos.update({ ...photo, title: 'first' });
      await photos.list(page({}));
      await photos.update({ ...photo, title: `second ${world.number}` });
    }),
  'a change that is taken back': (world, id) =>
    world.tenant
      .transaction(async ({ photos, tags }) => {
        const [photo] = await photos.lock([id]);
        if (photo) await photos.update({ ...photo, title: 'never' });
        await photos.list(page({}));
        await photos.get(id);
        await tags.list({ filters: {}, sort: 'id', window: { after: null, limit: 1 } });
        throw new Error('taken back');
      })
      .catch(() => undefined),
  // Fields to come, and what an operator does by hand.
  'a column by itself': (world, id) =>
    sql('UPDATE photos SET thumbhash = $2 WHERE id = $1', id, `hash ${world.number}`),
  'the companion by itself': (world, id) =>
    sql('UPDATE photos SET companion = $2 WHERE id = $1', id, JSON.stringify({ type: 'video', offset: world.number })),
  'an import by itself': async (world, id) => {
    const { id: importId } = await world.tenant.addImport();
    await sql('UPDATE photos SET import_id = $2 WHERE id = $1', id, importId);
    await expectSame(world.tenant, world.photoIds, world.tagIds);
    await sql('DELETE FROM imports WHERE id = $1', importId);
  },
};

test.each(Object.keys(writers))('a page on any node shows %s once it is committed', async (name) => {
  await afterEach([
    [name, 0, 1],
    [name, 1, 1],
    [name, 0, 2],
  ]);
});

test('after any writes, pages and photos on all nodes are those that the database has', async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(writers)), fc.nat(20), fc.nat(20));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => afterEach(steps)),
    { numRuns: 25 },
  );
});

async function afterEach(steps: readonly (readonly [name: string, photo: number, tag: number])[]): Promise<void> {
  const tenant = await newTenant();
  const tagIds = (await tenant.addTags('a', 'b', 'c')).map(({ id }) => id);
  const added = await tenant.addPhotos([{}, {}, {}, {}, {}, {}], tagIds.slice(0, 2));
  const photoIds = added.map(({ id }) => id);
  await expectSame(tenant, photoIds, tagIds);
  for (const [index, [name, photo, tag]] of steps.entries()) {
    const world = { tenant, photoIds, tagIds, number: index + 1 };
    const [photoId, tagId] = [present(photoIds[photo % photoIds.length]), present(tagIds[tag % tagIds.length])];
    // Others read while it writes: some cache what was before, some what is after.
    const reading = nodes.map((node) => node.query(tenant.id, ({ photos }) => photos.list(page({}))));
    await present(writers[name])(world, photoId, tagId);
    const meanwhile = nodes.map((node) => node.query(tenant.id, ({ photos }) => photos.list(page({}))));
    await Promise.all([...reading, ...meanwhile]);
    await expectSame(tenant, photoIds, tagIds);
  }
}

test('a photo of a repeated page remains the same object while nothing of it changes, and is never that of another customer', async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  const photo = await one.addPhoto({ title: 'mine' });
  const list = (tenant: Tenant) => tenant.query(({ photos }) => photos.list(page({})));
  expect(Object.isFrozen((await list(one))[0])).toBe(false);
  const first = await list(one);
  for (let time = 0; time < 3; time += 1) expect((await list(one))[0]).toBe(first[0]);
  expect(await one.query(({ photos }) => photos.get(photo.id))).toBe(first[0]);
  expect(Object.isFrozen(first[0])).toBe(true);
  expect(await list(other)).toEqual([]);
  expect(await other.query(({ photos }) => photos.get(photo.id))).toBeNull();
});

test('the cache holds no more bytes than it may, and drops what was not used for longest', async () => {
  const tenant = await newTenant();
  const photos = await tenant.addPhotos(Array.from({ length: 8 }, () => ({ description: 'd'.repeat(1000) })));
  const ids = photos.map(({ id }) => id);
  const cache = new PhotoCache(40_000);
  const read = (some: readonly Id[]) =>
    withoutTransaction(present(sources[0]), (manager) => cache.photos(manager, tenant.id, some));
  const before = await read(ids);
  const again = await read([present(ids[0]), present(ids[7])]);
  expect(again.get(present(ids[7]))).toBe(before.get(present(ids[7])));
  expect(again.get(present(ids[0]))).not.toBe(before.get(present(ids[0])));
  expect(again.get(present(ids[0]))).toEqual(before.get(present(ids[0])));
  expect(sampleInstant).toEqual(before.get(present(ids[0]))?.createdAt);
});
