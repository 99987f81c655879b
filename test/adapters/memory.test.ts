import fc from 'fast-check';
import { MemoryRateWindowStore } from '../../src/adapters/memory/memory-rate-window-store.js';
import { SystemClock } from '../../src/adapters/system-clock.js';
import { WINDOW_MS } from '../../src/core/access/rolling-window.js';
import { HOUR, MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { MemoryCustomerStore } from '../../testing/memory/memory-customer-store.js';
import { MemoryCustomerDirectory } from '../../testing/memory/memory-customers.js';
import { MemoryDatabase } from '../../testing/memory/memory-database.js';
import { MemoryJobQueue } from '../../testing/memory/memory-job-queue.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { later, sampleInstant, sampleTag } from '../support/samples.js';
import { type CustomerPorts, Tenant } from '../support/tenant.js';

/** What the adapters in memory do beyond their contracts. */
describe('MemoryCustomerStore', () => {
  let ports: CustomerPorts & { database: MemoryDatabase };
  let tenant: Tenant;

  beforeEach(async () => {
    const database = new MemoryDatabase();
    const store = new MemoryCustomerStore(database, new SettableClock());
    ports = { database, store, customers: new MemoryCustomerDirectory(database) };
    tenant = await Tenant.of(ports);
  });

  const unlocked = /was not locked/;

  it('refuses to change a photo that was not locked', async () => {
    const tag = await tenant.addTag('a');
    const photo = await tenant.addPhoto();
    await expect(tenant.transaction(({ photos }) => photos.update({ ...photo, title: 'x' }))).rejects.toThrow(unlocked);
    await expect(tenant.transaction(({ photos }) => photos.setTags(photo.id, [tag.id]))).rejects.toThrow(unlocked);
    expect(await tenant.query(({ photos }) => photos.get(photo.id))).toEqual({ ...photo, tags: [] });
  });

  it('releases locks at the end of the transaction', async () => {
    const photo = await tenant.addPhoto();
    await tenant.transaction(({ photos }) => photos.lock([photo.id]));
    await expect(tenant.transaction(({ photos }) => photos.update({ ...photo, title: 'x' }))).rejects.toThrow(unlocked);
  });

  it('refuses to change an import that was not locked, or to bring items into it', async () => {
    const subject = await tenant.addImport();
    const item = await tenant.addItem(subject);
    await expect(tenant.transaction(({ imports }) => imports.update({ ...subject, name: 'x' }))).rejects.toThrow(
      unlocked,
    );
    const again = tenant.transaction(async ({ importPhotos }) => {
      const [id = 0] = await importPhotos.allocateIds(1);
      await importPhotos.insert([{ ...item, id }]);
    });
    await expect(again).rejects.toThrow(unlocked);
  });

  it('lets an item be changed by the holder of its lock, or of its import', async () => {
    const subject = await tenant.addImport();
    const item = await tenant.addItem(subject);
    const edit = (lock: 'nothing' | 'item' | 'import') =>
      tenant.transaction(async ({ imports, importPhotos }) => {
        if (lock === 'item') await importPhotos.lock(subject.id, item.id);
        if (lock === 'import') await imports.lock(subject.id);
        await importPhotos.update({ ...item, title: lock });
      });
    await expect(edit('nothing')).rejects.toThrow(unlocked);
    await edit('item');
    await edit('import');
    expect(await tenant.query(({ importPhotos }) => importPhotos.get(subject.id, item.id))).toMatchObject({
      title: 'import',
    });
  });

  it('refuses a transaction, or a read from outside, inside a transaction', async () => {
    await expect(tenant.transaction(() => tenant.addTag('a'))).rejects.toThrow('inside a transaction');
    await expect(tenant.transaction(() => tenant.query(({ tags }) => tags.count()))).rejects.toThrow(
      'inside a transaction',
    );
    await tenant.query(() => tenant.addTag('b'));
    expect(await tenant.query(({ tags }) => tags.count())).toBe(1);
  });

  it('stores only the columns of a row', async () => {
    const subject = await tenant.addImport();
    const photo = await tenant.addPhoto();
    const item = await tenant.addItem(subject);
    const shown = { ...item, tags: [], upload: { url: 'secret' } };
    await tenant.transaction(async ({ photos, imports, importPhotos }) => {
      await imports.lock(subject.id);
      const counted = await imports.get(subject.id);
      await imports.update({ ...subject, ...counted });
      await importPhotos.update(shown);
      const [held] = await photos.lock([photo.id]);
      await photos.update({ ...photo, ...held, title: 'x' });
    });
    expect(ports.database.photos.get(photo.id)).toEqual({ ...photo, title: 'x' });
    expect(ports.database.imports.get(subject.id)).toEqual(subject);
    expect(ports.database.importPhotos.get(item.id)).toEqual(item);
  });
});

describe('MemoryJobQueue', () => {
  it('wakes with the commit, before any timer can run', async () => {
    const [clock, database] = [new SettableClock(), new MemoryDatabase()];
    const store = new MemoryCustomerStore(database, clock);
    const tenant = await Tenant.of({ store, customers: new MemoryCustomerDirectory(database) });
    let timer = false;
    let wokenBeforeTimer = false;
    const stop = await new MemoryJobQueue(database, clock).listen(() => {
      wokenBeforeTimer ||= !timer;
    });
    const timed = new Promise<void>((resolve) => {
      setTimeout(() => {
        timer = true;
        resolve();
      });
    });
    await tenant.transaction((transaction) => transaction.jobs.add({ kind: 'publish', importId: 1 }));
    await timed;
    await stop();
    expect(wokenBeforeTimer).toBe(true);
  });

  it('sends no wake-up for a change that was undone', async () => {
    const [clock, database] = [new SettableClock(), new MemoryDatabase()];
    const store = new MemoryCustomerStore(database, clock);
    const tenant = await Tenant.of({ store, customers: new MemoryCustomerDirectory(database) });
    let woken = 0;
    const stop = await new MemoryJobQueue(database, clock).listen(() => {
      woken += 1;
    });
    const undone = tenant.transaction(async (transaction) => {
      await transaction.jobs.add({ kind: 'publish', importId: 1 });
      throw new Error('on purpose');
    });
    await expect(undone).rejects.toThrow('on purpose');
    await tenant.transaction(({ tags }) => tags.insert(sampleTag('a')));
    await stop();
    expect(woken).toBe(0);
  });
});

describe('MemoryRateWindowStore', () => {
  const START = 5_000;
  let clock: SettableClock;
  let elapsed: number;
  let store: MemoryRateWindowStore;
  const budget = { name: 'write:1', limit: 2 };

  beforeEach(() => {
    clock = new SettableClock(sampleInstant);
    elapsed = START;
    store = new MemoryRateWindowStore(clock, { now: () => elapsed });
  });

  const pass = (milliseconds: number) => {
    clock.pass(milliseconds);
    elapsed += milliseconds;
  };

  it.each([HOUR, -HOUR, 24 * HOUR, -24 * HOUR])(
    'admits neither more nor less when the machine’s clock is set by %i ms',
    async (jump) => {
      await store.hit(budget);
      await store.hit(budget);
      pass(10 * SECOND);
      clock.pass(jump);
      const now = clock.now().getTime() / SECOND;
      const refused = { allowed: false, remaining: 0, retryAfter: 50, reset: Math.ceil(now + 50) };
      expect(await store.hit(budget)).toMatchObject(refused);
      expect(await store.peek(budget)).toMatchObject(refused);
      pass(50 * SECOND);
      expect(await store.hit(budget)).toMatchObject({ allowed: true, remaining: 1, reset: Math.ceil(now + 110) });
    },
  );

  it('never admits more than the limit in any window, and always after Retry-After, whatever the clock does', async () => {
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 20_000 }),
      jump: fc.constantFrom(0, 0, 0, HOUR, -HOUR, MINUTE, -MINUTE),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 5 }),
        fc.uuid(),
        async (steps, limit, name) => {
          const admitted: number[] = [];
          let free = Number.POSITIVE_INFINITY;
          for (const { gap, jump } of steps) {
            pass(gap);
            clock.pass(jump);
            const state = await store.hit({ name, limit });
            if (elapsed >= free) expect(state.allowed).toBe(true);
            if (state.allowed) admitted.push(elapsed);
            free = state.allowed ? Number.POSITIVE_INFINITY : elapsed + (state.retryAfter ?? 0) * SECOND;
            const now = clock.now().getTime() / SECOND;
            expect(state.reset).toBeGreaterThanOrEqual(Math.floor(now));
            expect(state.reset).toBeLessThanOrEqual(Math.ceil(now + WINDOW_MS / SECOND));
          }
          for (const from of admitted) {
            const inWindow = admitted.filter((at) => at >= from && at < from + WINDOW_MS);
            expect(inWindow.length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });

  it('with a wall clock alone locks no one out for longer than a window when the clock is set back', async () => {
    store = new MemoryRateWindowStore(clock);
    await store.hit(budget);
    await store.hit(budget);
    clock.pass(-HOUR);
    expect(await store.hit(budget)).toMatchObject({ allowed: false, retryAfter: 60 });
    clock.pass(59 * SECOND);
    expect(await store.hit(budget)).toMatchObject({ allowed: false, retryAfter: 1 });
    clock.pass(SECOND);
    expect(await store.hit(budget)).toMatchObject({ allowed: true });
  });

  it('runs on the machine’s own clocks', async () => {
    const real = new MemoryRateWindowStore(new SystemClock(), performance);
    const before = Date.now();
    const states = [await real.hit(budget), await real.hit(budget), await real.hit(budget)];
    const after = Date.now();
    expect(states.map((state) => state.allowed)).toEqual([true, true, false]);
    for (const { reset } of states) {
      // The two clocks tick apart by less than a millisecond.
      expect(reset).toBeGreaterThanOrEqual(Math.ceil((before + WINDOW_MS - 1) / SECOND));
      expect(reset).toBeLessThanOrEqual(Math.ceil((after + WINDOW_MS + 1) / SECOND));
    }
  });

  it('forgets budgets that have been idle for a window, and those alone', async () => {
    const hit = (name: string) => store.hit({ name, limit: 300 });
    for (let address = 0; address < 1000; address += 1) await hit(`anonymous:${address}`);
    await store.peek({ name: 'anonymous:never', limit: 300 });
    await store.hit({ name: 'write:blocked', limit: 0 });
    expect(store.size).toBe(1000);
    pass(30 * SECOND);
    await hit('read:1');
    pass(31 * SECOND);
    await hit('anonymous:7');
    expect(store.size).toBe(2);
    expect(await store.peek({ name: 'read:1', limit: 300 })).toMatchObject({ remaining: 299 });
  });
});

describe('clocks', () => {
  it('a SettableClock stands until it is moved, and returns new instants', () => {
    const clock = new SettableClock(sampleInstant);
    clock.now().setTime(0);
    expect(clock.now()).toEqual(sampleInstant);
    clock.pass(5);
    expect(clock.now()).toEqual(later(5));
    clock.pass(-10);
    expect(clock.now()).toEqual(later(-5));
    clock.set(later(7));
    expect(clock.now()).toEqual(later(7));
  });

  it('a SystemClock has the time of the machine', () => {
    const before = Date.now();
    const now = new SystemClock().now().getTime();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });
});
