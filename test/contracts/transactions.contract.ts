import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Repositories } from '../../src/core/shared/transactional.js';
import { samplePhoto, sampleTag } from '../support/samples.js';
import { atOnce, type CustomerPorts, Gate, present, Tenant } from '../support/tenant.js';

type OpenStore = CustomerPorts & { close(): Promise<void> };

/** What `CustomerStore.transaction` and `query` promise to those who meet in them. Opened once: every test has customers of its own. */
export function transactionsContract(open: () => Promise<OpenStore>): void {
  let opened: OpenStore;
  let tenant: Tenant;

  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    tenant = await Tenant.of(opened);
  });
  afterAll(() => opened.close());

  const photoIds = async (of = tenant) => {
    const window = { after: null, limit: 100 };
    const found = await of.query(({ photos }) => photos.list({ filters: { trashed: 'any' }, sort: 'id', window }));
    return found.map(({ id }) => id);
  };

  it.each([
    ['an error of the domain', new DomainError('limit_reached', 'on purpose', { limit: 1, name: 'tags' })],
    ['any other error', new TypeError('on purpose')],
  ])('throw %s unchanged', async (_, error) => {
    const fail = async () => {
      throw error;
    };
    await expect(tenant.transaction(fail)).rejects.toBe(error);
    await expect(tenant.query(fail)).rejects.toBe(error);
  });

  it('return undefined where the work does', async () => {
    await expect(tenant.transaction(async () => undefined)).resolves.toBeUndefined();
    await expect(tenant.query(async () => undefined)).resolves.toBeUndefined();
  });

  it('continue after a refusal, and after an error before any statement', async () => {
    for (let time = 0; time < 15; time += 1) {
      await expect(tenant.transaction(() => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
    }
    await tenant.addPhoto();
    expect(await photoIds()).toHaveLength(1);
  });

  it('undo changes on top of changes, in their order', async () => {
    const tag = await tenant.addTag('a');
    const photo = await tenant.addPhoto({ title: '0' }, [tag.id]);
    const work = tenant.transaction(async ({ photos, tags }) => {
      await photos.lock([photo.id]);
      for (const title of ['1', '2', '3']) await photos.update({ ...photo, title });
      await tags.delete(tag.id, photo.createdAt);
      await photos.delete(photo.id);
      await photos.insert({ ...photo, title: '4' }, [], {});
      throw new Error('on purpose');
    });
    await expect(work).rejects.toThrow('on purpose');
    expect(await tenant.query(({ photos }) => photos.get(photo.id))).toEqual({
      ...photo,
      tags: [{ id: tag.id, name: 'a' }],
    });
  });

  it('undo the changes of concurrent branches of the work', async () => {
    const ids = await tenant.photoIds(4);
    const work = tenant.transaction(async ({ photos, tags }) => {
      await Promise.all([
        ...ids.map((id) => photos.insert(samplePhoto(tenant.id, id), [], {})),
        tags.insert(sampleTag('a')),
      ]);
      throw new Error('on purpose');
    });
    await expect(work).rejects.toThrow('on purpose');
    expect(await photoIds()).toEqual([]);
    expect(await tenant.query(({ tags }) => tags.count())).toBe(0);
  });

  it('let a branch that runs on after the error change nothing', async () => {
    const id = await tenant.newId();
    const failed = new Gate();
    let late: Promise<boolean> | undefined;
    const insertLate = async ({ photos }: Repositories) => {
      await failed.opened;
      return photos.insert(samplePhoto(tenant.id, id), [], {});
    };
    const work = tenant.transaction(async (all) => {
      late = insertLate(all);
      await Promise.all([late, Promise.reject(new Error('on purpose'))]);
    });
    await expect(work).rejects.toThrow('on purpose');
    failed.open();
    await expect(late).rejects.toThrow();
    expect(await photoIds()).toEqual([]);
  });

  it('show others all of their changes or none', async () => {
    const rounds = 10;
    let running = true;
    const write = async () => {
      for (let round = 0; round < rounds; round += 1) await tenant.addPhotos([{}, {}, {}]);
      running = false;
    };
    const look = async () => {
      const seen: number[] = [];
      while (running) seen.push((await photoIds()).length);
      return seen;
    };
    const [, ...seen] = await Promise.all([write(), look(), look()]);
    const counts = [...seen.flat(), (await photoIds()).length];
    expect(counts.filter((count) => count % 3 !== 0)).toEqual([]);
    expect(counts.at(-1)).toBe(3 * rounds);
    for (const one of seen) expect(one).toEqual([...one].sort((a, b) => a - b));
  });

  it('of many customers run at once, each separately', async () => {
    const tenants = await atOnce(6, () => Tenant.of(opened));
    await atOnce(24, (number) => present(tenants[number % 6]).addPhoto());
    for (const one of tenants) expect(await photoIds(one)).toHaveLength(4);
  });

  it('that lock the same rows in opposite orders succeed within three attempts, each with one effect', async () => {
    for (let round = 0; round < 3; round += 1) {
      const ids = (await tenant.addPhotos([{ rating: 0 }, { rating: 0 }])).map(({ id }) => id);
      const attempts = [0, 0];
      await atOnce(2, (number) =>
        tenant.transaction(async ({ photos }) => {
          attempts[number] = (attempts[number] ?? 0) + 1;
          for (const id of number === 0 ? ids : [...ids].reverse()) {
            const [photo] = await photos.lock([id]);
            await photos.update({ ...present(photo), rating: (photo?.rating ?? 0) + 1 });
          }
        }),
      );
      expect(Math.max(...attempts)).toBeLessThanOrEqual(3);
      const ratings = await tenant.query(({ photos }) => photos.getMany(ids));
      expect(ratings.map(({ rating }) => rating)).toEqual([2, 2]);
    }
  });

  it('run the work once when there is no conflict', async () => {
    let runs = 0;
    const count = async () => {
      runs += 1;
      throw new Error('on purpose');
    };
    await expect(tenant.transaction(count)).rejects.toThrow('on purpose');
    expect(runs).toBe(1);
  });

  it('lock the customer, so that decisions about its usage stay true', async () => {
    const limit = 3;
    await atOnce(10, () =>
      tenant.transaction(async ({ customer, usage, photos, importPhotos }) => {
        await customer.lock();
        if ((await usage.read()).photos >= limit) return;
        const [id = 0] = await importPhotos.allocateIds(1);
        await photos.insert(samplePhoto(tenant.id, id), [], {});
      }),
    );
    expect(await photoIds()).toHaveLength(limit);
  });

  it('leave a photo unchanged when another customer stores one under its id', async () => {
    const photo = await tenant.addPhoto({ title: 'mine' });
    const other = await Tenant.of(opened);
    const theirs = samplePhoto(other.id, photo.id as Id, { title: 'theirs' });
    await other.transaction(({ photos }) => photos.insert(theirs, [], {})).catch(() => false);
    expect(await tenant.query(({ photos }) => photos.get(photo.id))).toEqual({ ...photo, tags: [] });
    expect(await tenant.query(({ photos }) => photos.exif(photo.id))).not.toEqual({});
  });
}
