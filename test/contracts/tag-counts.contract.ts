import type { Id } from '../../src/core/shared/ids.js';
import { later } from '../support/samples.js';
import { atOnce, present, Tenant } from '../support/tenant.js';
import type { OpenCustomers } from './customer-store.contract.js';

export interface OpenTagCounts extends OpenCustomers {
  /** Makes the kept number of photos of a tag wrong, which nothing in the service does. */
  setCount(customerId: Id, tagId: Id, photos: number): Promise<unknown>;
}

/** What `TagRepository` promises of counts that have gone wrong. */
export function tagCountsContract(name: string, open: () => Promise<OpenTagCounts>): void {
  describe(`photo counts of tags: ${name}`, () => {
    let opened: OpenTagCounts;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const counts = (tenant: Tenant, after: Id | null = null, limit = 100) =>
      tenant.query(({ tags }) => tags.photoCounts(after, limit));
    const recount = (tenant: Tenant, id: Id) => tenant.transaction(({ tags }) => tags.recount(id));

    async function tagged() {
      const tenant = await Tenant.of(opened);
      await (await Tenant.of(opened)).addTag('theirs');
      const [a, b, unused] = (await tenant.addTags('a', 'b', 'unused')).map(({ id }) => id);
      const ids = { a: present(a), b: present(b), unused: present(unused) };
      const photos = await tenant.addPhotos([{}, {}, {}], [ids.a]);
      await tenant.addPhoto({ trashedAt: later(1), purgeAt: later(2) }, [ids.a, ids.b]);
      return { tenant, photos, ...ids };
    }

    it('shows the stored count beside the real one, by id, a page at a time', async () => {
      const { tenant, a, b, unused } = await tagged();
      await opened.setCount(tenant.id, b, 7);
      const all = [
        { id: a, stored: 3, counted: 3 },
        { id: b, stored: 7, counted: 0 },
        { id: unused, stored: 0, counted: 0 },
      ];
      expect(await counts(tenant)).toEqual(all);
      expect(await counts(tenant, null, 2)).toEqual(all.slice(0, 2));
      expect(await counts(tenant, b)).toEqual(all.slice(2));
    });

    it('corrects the stored count', async () => {
      const { tenant, a, b } = await tagged();
      await opened.setCount(tenant.id, a, 0);
      await opened.setCount(tenant.id, b, 7);
      await recount(tenant, a);
      expect((await counts(tenant)).map(({ stored }) => stored)).toEqual([3, 7, 0]);
      expect(await tenant.query(({ tags }) => tags.get(a))).toMatchObject({ photoCount: 3, version: 1 });
      await recount(tenant, 9e15);
    });

    it('corrects the stored count while others change the photos', async () => {
      const { tenant, photos, a } = await tagged();
      await atOnce(24, async (number) => {
        if (number % 3 === 0) return recount(tenant, a);
        const { id } = present(photos[number % photos.length]);
        await tenant.transaction(async (transaction) => {
          const photo = present((await transaction.photos.lock([id]))[0]);
          if (number % 2 === 0) await transaction.photos.setTags(id, number % 4 === 0 ? [a] : []);
          else await transaction.photos.update({ ...photo, trashedAt: photo.trashedAt === null ? later(1) : null });
        });
      });
      const [count] = await counts(tenant, a - 1, 1);
      expect(count?.stored).toBe(count?.counted);
    });
  });
}
