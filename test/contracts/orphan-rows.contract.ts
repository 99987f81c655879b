import type { Id } from '../../src/core/shared/ids.js';
import { sampleExif, samplePhoto } from '../support/samples.js';
import { present, Tenant } from '../support/tenant.js';
import type { OpenCustomers } from './customer-store.contract.js';

export interface OpenStrays extends OpenCustomers {
  /** Ways around what keeps rows in order, which nothing in the service has. */
  readonly spoil: {
    /** Gives a photo or item an import, whosesoever it is. */
    importOf(what: 'photo' | 'item', id: Id, importId: Id): Promise<unknown>;
    blobKeyOf(photoId: Id, blobKey: string): Promise<unknown>;
    /** Gives a photo a tag, whosesoever it is. */
    tagOf(customerId: Id, photoId: Id, tagId: Id): Promise<unknown>;
    /** Deletes the row of a photo, and nothing else of it. */
    rowOf(photoId: Id): Promise<unknown>;
  };
}

/** What `OrphanReads` promises. */
export function orphanRowsContract(name: string, open: () => Promise<OpenStrays>): void {
  describe(`orphan rows: ${name}`, () => {
    let opened: OpenStrays;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    async function library() {
      const [tenant, other] = [await Tenant.of(opened), await Tenant.of(opened)];
      const tag = await tenant.addTag('a');
      const subject = await tenant.addImport();
      const photos = await tenant.addPhotos([{ importId: subject.id }, {}, {}], [tag.id]);
      const items = await tenant.addItems(subject, {}, {});
      const foreign = { import: (await other.addImport()).id, tag: (await other.addTag('b')).id };
      return { tenant, other, photos, items, foreign, subject };
    }
    const strays = (tenant: Tenant, after: Id | null = null, limit = 100) =>
      tenant.query((reader) => reader.orphanRows.list(after, limit));

    it('do not exist after ordinary work, listed a page at a time', async () => {
      const { tenant, photos, items } = await library();
      expect(await strays(tenant)).toEqual({ last: null, rows: [] });
      expect(await strays(tenant, null, 2)).toEqual({ last: present(photos[1]).id, rows: [] });
      expect(await strays(tenant, present(photos[1]).id, 2)).toEqual({ last: present(items[0]).id, rows: [] });
      expect(await strays(tenant, present(items[1]).id, 2)).toEqual({ last: null, rows: [] });
    });

    it('are photos and items whose import, original or tag is another customer’s, or does not exist', async () => {
      const { tenant, other, photos, items, foreign } = await library();
      const [a, b, c] = photos.map(({ id }) => id) as [Id, Id, Id];
      const item = present(items[1]).id;
      await opened.spoil.importOf('photo', a, foreign.import);
      await opened.spoil.blobKeyOf(b, `originals/${other.id}/x`);
      await opened.spoil.tagOf(tenant.id, b, foreign.tag);
      await opened.spoil.tagOf(tenant.id, c, 9e15);
      await opened.spoil.importOf('item', item, 9e15);
      const rows = [
        { kind: 'photo', id: a },
        { kind: 'original', id: b },
        { kind: 'tag', id: b },
        { kind: 'tag', id: c },
        { kind: 'item', id: item },
      ];
      expect(await strays(tenant)).toEqual({ last: null, rows });
      expect((await strays(tenant, a, 1)).rows).toEqual(rows.slice(1, 3));
      expect((await strays(other)).rows).toEqual([]);
    });

    it('are the remains of a deleted photo', async () => {
      const { tenant, other, subject } = await library();
      const tag = await tenant.addTag('left');
      const item = await tenant.addItem(subject, { status: 'imported' });
      await tenant.transaction(async ({ photos, importPhotos }) => {
        await importPhotos.lock(subject.id, item.id);
        await photos.insert(samplePhoto(tenant.id, item.id), [tag.id], sampleExif);
      });
      await opened.spoil.rowOf(item.id);
      expect((await strays(tenant)).rows).toEqual([{ kind: 'residue', id: item.id }]);
      expect((await strays(other)).rows).toEqual([]);
    });
  });
}
