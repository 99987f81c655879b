import { currentTraceContext, withTraceContext } from '../../src/adapters/trace-context.js';
import { deleteKey } from '../../src/core/access/keys.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import type { ImportSteps, InspectionResult } from '../../src/core/imports/import-steps.js';
import type { Uses } from '../../src/core/ports.js';
import type { Repositories } from '../../src/core/shared/transactional.js';
import { type MemoryPorts, memoryPorts } from '../../testing/memory-ports.js';
import { Account, announced, picture } from '../support/core-world.js';
import { sampleFacts } from '../support/samples.js';
import { present } from '../support/tenant.js';

/** What `ImportSteps` promises. `open` is called for each test. */
export function importStepsContract(name: string, open: (uses: Uses<'store' | 'keys' | 'clock'>) => ImportSteps): void {
  describe(`ImportSteps: ${name}`, () => {
    let here: MemoryPorts;
    let acme: Account;
    let steps: ImportSteps;
    let importId: number;
    beforeEach(async () => {
      here = memoryPorts();
      acme = await Account.open(here);
      steps = open(here);
      importId = (await acme.start()).id;
    });

    const error = { code: 'decode_failed', message: 'It could not be decoded.' } as const;
    const itemsOf = (ids: readonly number[]) =>
      here.store.query(acme.id, ({ importPhotos }) => importPhotos.getMany(importId, ids));
    const waiting = async (count: number) => {
      const files = Array.from({ length: count }, (_, at) => announced(picture(`${at}.jpg`)));
      return itemsOf((await acme.items(importId, ...files)).map(({ id }) => id));
    };
    const processing = async (count: number) => {
      const files = Array.from({ length: count }, (_, at) => picture(`${at}.jpg`));
      return itemsOf((await acme.send(importId, files)).map(({ id }) => id));
    };
    const receive = (by: ImportSteps, item: { id: number; uploadId: number }, uploadId: number) => {
      const grant = { customerId: acme.id, importId, itemId: item.id, uploadId: item.uploadId };
      const measure = { sizeBytes: 9, sha256: 'a'.repeat(64), head: new Uint8Array() };
      return by.receive(grant, async (hasArrived) => {
        hasArrived();
        return { measure, uploadId };
      });
    };
    const jobs = () => here.database.jobs.all().map(({ work }) => work.kind);
    /** Fails every change of an item. */
    const failingFor = (id: number): ImportSteps => {
      const store: MemoryPorts['store'] = Object.create(here.store);
      store.transaction = (customerId, work) =>
        here.store.transaction(customerId, (transaction) => {
          const importPhotos: Repositories['importPhotos'] = Object.create(transaction.importPhotos);
          importPhotos.update = async (...items) => {
            if (items.some((item) => item.id === id)) throw new Error('on purpose');
            return transaction.importPhotos.update(...items);
          };
          return work(Object.assign(Object.create(transaction), { importPhotos }));
        });
      return open({ ...here, store });
    };

    it('finds a key and an item as they are at the time of the call', async () => {
      const [item] = await waiting(1);
      const { id } = present(item);
      const early = await Promise.all([1, 2, 3].map(() => steps.readItem(acme.id, importId, id)));
      expect(early.map((each) => each?.status)).toEqual(Array(3).fill('awaiting_upload'));
      const reading = steps.readItem(acme.id, importId, id);
      await acme.edit({ id, importId }, { status: 'cancelled' });
      expect(await Promise.all([reading, steps.readItem(acme.id, importId, id)])).toMatchObject([
        {},
        { status: 'cancelled' },
      ]);
      expect(await steps.readItem(acme.id, importId, id + 1000)).toBeNull();
      expect(await steps.findKey(acme.keyId)).toMatchObject({ key: { id: acme.keyId } });
      await deleteKey(here, operatorFor(acme.id), acme.keyId);
      expect(await Promise.all([1, 2].map(() => steps.findKey(acme.keyId)))).toEqual([null, null]);
    });

    it('receives the bytes of each item once, and requests its inspection with the trace of its upload', async () => {
      const [first, second] = (await waiting(2)).map(present) as [ImportPhoto, ImportPhoto];
      const received = await Promise.all([
        withTraceContext('00-1-1-01', () => receive(steps, first, 101)),
        withTraceContext('00-2-2-01', () => receive(steps, second, 102)),
        receive(steps, second, 103),
        receive(steps, { id: second.id + 1000, uploadId: 1 }, 104),
      ]);
      expect(received.map(({ became }) => became)).toEqual(['taken', 'taken', 'unused', 'unused']);
      expect(received.map(({ item }) => item?.uploadId ?? null)).toEqual([101, 102, 102, null]);
      expect(jobs()).toEqual(['inspect', 'inspect']);
      expect(here.database.jobs.all().map(({ traceContext }) => traceContext)).toEqual(['00-1-1-01', '00-2-2-01']);
      expect(currentTraceContext()).toBeNull();
    });

    it('does not let an error of one upload affect the others', async () => {
      const items = await waiting(4);
      const failing = failingFor(present(items[2]).id);
      const outcomes = await Promise.allSettled(items.map((item, at) => receive(failing, item, 100 + at)));
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    });

    it('applies the result of an inspection to the bytes that were inspected, and to no others', async () => {
      const [item] = await processing(1);
      const seen = present(item);
      const outcomes = await Promise.all([
        steps.inspecting(seen, (apply) => apply({ item: { ...seen, uploadId: seen.uploadId + 1 }, error })),
        steps.inspecting(seen, (apply) => apply({ item: seen, error })),
      ]);
      expect(outcomes).toEqual(['decided', 'unused']);
      expect(await acme.item(seen)).toMatchObject({ status: 'failed', error });
    });

    it('does not let an error of one result affect the others, nor an inspection without a result', async () => {
      const items = await processing(4);
      const failing = failingFor(present(items[1]).id);
      const measure = { sizeBytes: 9, sha256: 'b'.repeat(64) };
      const resultOf = (at: number): InspectionResult =>
        at < 3
          ? { item: present(items[at]), error }
          : { item: present(items[at]), error: null, facts: sampleFacts(), measure };
      const broken = failing.inspecting(present(items[0]), () => Promise.reject(new Error('no result')));
      const outcomes = await Promise.allSettled([
        ...items.map((item, at) => failing.inspecting(item, (apply) => apply(resultOf(at)))),
        broken,
      ]);
      const values = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message,
      );
      expect(values).toEqual(['unused', 'on purpose', 'unused', 'used', 'no result']);
    });

    it('requests publishing for an import that has been finalized, and for no other', async () => {
      const [first, second] = await processing(2);
      expect(await steps.apply({ item: present(first), error })).toBe('unused');
      expect(jobs()).toEqual(['inspect', 'inspect']);
      await acme.finalize(importId);
      await here.database.transaction(async () => here.database.jobs.deleteWhere(() => true));
      expect(await steps.apply({ item: present(first), error })).toBe('decided');
      expect(jobs()).toEqual([]);
      expect(await steps.apply({ item: present(second), error })).toBe('unused');
      expect(jobs()).toEqual(['publish']);
    });
  });
}
