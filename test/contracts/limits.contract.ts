import { type Caller, scopes } from '../../src/core/access/caller.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import type { NewCustomer } from '../../src/core/customers/customer.js';
import { defaultLimits, type Limits } from '../../src/core/customers/limits.js';
import type { Registration } from '../../src/core/imports/candidate.js';
import { createImport } from '../../src/core/imports/create.js';
import { editImportPhoto, type ImportPhotoPatch } from '../../src/core/imports/edit-item.js';
import { fail } from '../../src/core/imports/import-photo.js';
import { publishImport } from '../../src/core/imports/publish.js';
import { registerPhotos } from '../../src/core/imports/register/register.js';
import { setPhotoTags } from '../../src/core/photos/edit-photo.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createTag, createTags } from '../../src/core/tags/create-tags.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryGazetteer } from '../../testing/memory/photos/memory-gazetteer.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { sampleCustomer, sampleFacts, sampleHash, sampleInstant } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';

export interface OpenForLimits extends CustomerPorts {
  close(): Promise<void>;
}

/** What holds on every adapter however many requests come at once: quotas, and the limits on counts. */
export function limitsContract(name: string, open: () => Promise<OpenForLimits>): void {
  describe(`limits under concurrency: ${name}`, () => {
    let opened: OpenForLimits;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const subscriber = (quota: Partial<NewCustomer>, limits: Partial<Limits> = {}) =>
      Subscriber.of(opened, quota, { ...defaultLimits, ...limits });

    describe('a quota', () => {
      it('of photos is never exceeded by concurrent registrations', async () => {
        const customer = await subscriber({ photosLimit: 5 });
        const imports = [await customer.start(), await customer.start()];
        const answers = await atOnce(12, (number) => settled(customer.register(present(imports[number % 2]), [100])));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(5);
        const details = { quota: 'photos', limit: 5, used: 5, requested: 1 };
        expect(answers.filter((answer) => answer !== 'done')).toEqual(
          Array(7).fill(expect.objectContaining({ code: 'quota_exceeded', details })),
        );
        expect(await customer.use()).toEqual({ photos: 5, storageBytes: 500 });
      });

      it('of bytes admits of each batch what fits, and no byte more', async () => {
        const customer = await subscriber({ storageBytesLimit: 10_000 });
        const importId = await customer.start();
        await atOnce(8, () => settled(customer.register(importId, [1500, 900, 600])));
        const { storageBytes } = await customer.use();
        expect(storageBytes).toBeLessThanOrEqual(10_000);
        expect(storageBytes).toBeGreaterThan(10_000 - 600);
      });

      it('counts photos in the library and the trash', async () => {
        const customer = await subscriber({ photosLimit: 3, storageBytesLimit: 10_000 });
        await customer.tenant.addPhotos([
          { sizeBytes: 4000 },
          { sizeBytes: 4000, trashedAt: sampleInstant, purgeAt: sampleInstant },
        ]);
        const importId = await customer.start();
        const answers = await atOnce(4, () => settled(customer.register(importId, [1000])));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
        expect(await customer.use()).toEqual({ photos: 3, storageBytes: 9000 });
      });

      it('has space again when items end, each used by one request', async () => {
        const customer = await subscriber({ photosLimit: 3 });
        const importId = await customer.start();
        const items = await customer.register(importId, [10, 10, 10]);
        await customer.edit(importId, present(items[0]), { status: 'cancelled' });
        await customer.fail(importId, present(items[1]));
        const answers = await atOnce(6, () => settled(customer.register(importId, [10])));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(2);
        expect(await customer.use()).toEqual({ photos: 3, storageBytes: 30 });
      });

      it('is checked again when a failed item is tried once more', async () => {
        const customer = await subscriber({ photosLimit: 3 });
        const importId = await customer.start();
        const items = await customer.register(importId, [10, 10, 10]);
        for (const id of items) await customer.fail(importId, id);
        await customer.register(importId, [10, 10]);
        const retries = await Promise.all(
          items.map((id) => settled(customer.edit(importId, id, { status: 'awaiting_upload' }))),
        );
        expect(retries.filter((answer) => answer === 'done')).toHaveLength(1);
        expect(retries.filter((answer) => answer !== 'done')).toEqual(
          Array(2).fill(expect.objectContaining({ code: 'quota_exceeded' })),
        );
        expect(await customer.use()).toEqual({ photos: 3, storageBytes: 30 });
      });

      it('is checked when declared sizes grow, and released when they shrink', async () => {
        const customer = await subscriber({ storageBytesLimit: 1000 });
        const importId = await customer.start();
        const items = await customer.register(importId, [300, 300, 300]);
        const larger = await Promise.all(items.map((id) => settled(customer.edit(importId, id, { sizeBytes: 400 }))));
        expect(larger.filter((answer) => answer === 'done')).toHaveLength(1);
        expect(await customer.use()).toEqual({ photos: 3, storageBytes: 1000 });
        for (const id of items) await customer.edit(importId, id, { sizeBytes: 100 });
        expect(await customer.use()).toEqual({ photos: 3, storageBytes: 300 });
      });

      it('always counts items on their way into the library', async () => {
        const customer = await subscriber({ photosLimit: 20 });
        const { id: processing, items } = await customer.processing(10);
        const importId = await customer.start();
        const [answers] = await Promise.all([
          atOnce(20, () => settled(customer.register(importId, [10]))),
          publishImport(customer.uses, customer.caller.customerId, processing, false),
        ]);
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(10);
        expect(await customer.use()).toMatchObject({ photos: 20 });
        const library = await customer.tenant.query(({ photos }) => photos.getMany(items));
        expect(library).toHaveLength(10);
      });

      it('that is lower than the usage refuses everything, and changes no existing photo', async () => {
        const customer = await subscriber({ photosLimit: 1, storageBytesLimit: 10 });
        await customer.tenant.addPhotos([{}, {}]);
        const answer = await settled(customer.register(await customer.start(), [1]));
        expect(answer).toMatchObject({ code: 'quota_exceeded', details: { quota: 'photos', limit: 1, used: 2 } });
        expect(await customer.use()).toMatchObject({ photos: 2 });
      });
    });

    describe('a limit of', () => {
      it('tags holds under concurrent creations', async () => {
        const customer = await subscriber({}, { tags: 25 });
        for (let tag = 1; tag <= 20; tag += 1) await customer.tag(`old ${tag}`);
        const answers = await atOnce(20, (number) => settled(customer.tag(`new ${number}`)));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(5);
        expect(answers.filter((answer) => answer !== 'done')).toEqual(Array(15).fill(limitReached('tags', 25)));
        expect(await customer.tenant.query(({ tags }) => tags.count())).toBe(25);
      });

      it('tags holds under concurrent creations of lists, and each name is created once', async () => {
        const customer = await subscriber({}, { tags: 12 });
        const lists = await atOnce(8, (number) => {
          const names = [`own ${number}`, 'a', 'b', 'c'];
          return createTags(
            customer.uses,
            customer.caller,
            (number % 2 === 0 ? names : names.toReversed()).map((name) => ({ name })),
          );
        });
        const created = lists.flat().flatMap((result) => (result.outcome === 'created' ? [result.tag.name] : []));
        expect(created.filter((name) => !name.startsWith('own')).sort()).toEqual(['a', 'b', 'c']);
        expect(new Set(created).size).toBe(11);
        const more = await atOnce(4, (number) =>
          createTags(customer.uses, customer.caller, [{ name: `x ${number}` }, { name: `y ${number}` }]),
        );
        expect(more.flat().filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
        expect(await customer.tenant.query(({ tags }) => tags.count())).toBe(12);
      });

      it('tags holds when many photos get new ones at once', async () => {
        const customer = await subscriber({}, { tags: 5 });
        const photos = await customer.tenant.addPhotos(Array.from({ length: 20 }, () => ({})));
        const answers = await atOnce(20, (number) =>
          settled(
            setPhotoTags(customer.uses, customer.caller, present(photos[number]).id, { tagNames: [`tag ${number}`] }),
          ),
        );
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(5);
        expect(answers.filter((answer) => answer !== 'done')).toEqual(Array(15).fill(limitReached('tags', 5)));
        expect(await customer.tenant.query(({ tags }) => tags.count())).toBe(5);
      });

      it('tags holds when all kinds of requests name new ones at once', async () => {
        const customer = await subscriber({}, { tags: 12 });
        const { id: known } = await customer.tag('known');
        const importId = await customer.start();
        const photos = await customer.tenant.addPhotos([{}, {}, {}, {}, {}]);
        const kinds: ((number: number) => Promise<unknown>)[] = [
          (number) => customer.tag(`tag ${number}`),
          (number) =>
            setPhotoTags(customer.uses, customer.caller, present(photos[number % 5]).id, {
              tagIds: [known],
              tagNames: [`tag ${number}`],
            }),
          (number) => customer.register(importId, [10], { tagIds: [known], tagNames: [`tag ${number}`] }),
          (number) => customer.start({ tagIds: [known], tagNames: [`tag ${number}`] }),
        ];
        const answers = await atOnce(20, (number) => settled(present(kinds[number % 4])(number)));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(11);
        expect(answers.filter((answer) => answer !== 'done')).toEqual(Array(9).fill(limitReached('tags', 12)));
        expect(await customer.tenant.query(({ tags }) => tags.count())).toBe(12);
      });

      it('tags gives one name to one of many requests, and the others learn that it is taken', async () => {
        const customer = await subscriber({}, { tags: 1 });
        const answers = await atOnce(20, () => settled(customer.tag('same')));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
        expect(answers.filter((answer) => answer !== 'done')).toEqual(
          Array(19).fill(expect.objectContaining({ code: 'tag_name_taken' })),
        );
      });

      it('open imports holds under concurrent requests', async () => {
        const customer = await subscriber({}, { openImports: 3 });
        const answers = await atOnce(10, () => settled(customer.start()));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(3);
        expect(answers.filter((answer) => answer !== 'done')).toEqual(Array(7).fill(limitReached('openImports', 3)));
      });

      it('open imports does not count for one whose clientRef names an open import', async () => {
        const customer = await subscriber({}, { openImports: 1 });
        const ids = await atOnce(8, () => customer.start({ clientRef: 'nightly' }));
        expect(new Set(ids).size).toBe(1);
      });

      it('items of one import holds under concurrent requests', async () => {
        const customer = await subscriber({}, { importMaxPhotos: 10 });
        const importId = await customer.start();
        const answers = await atOnce(8, () => settled(customer.register(importId, [1, 1, 1])));
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(3);
        expect(answers.filter((answer) => answer !== 'done')).toEqual(
          Array(5).fill(limitReached('importMaxPhotos', 10)),
        );
        expect(await customer.tenant.query(({ importPhotos }) => importPhotos.count(importId))).toBe(9);
      });
    });
  });
}

function limitReached(name: string, limit: number) {
  return expect.objectContaining({ code: 'limit_reached', details: { limit, name } });
}

/** `done`, or the refusal. Whatever else comes is a fault. */
async function settled(work: Promise<unknown>): Promise<'done' | DomainError> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** A customer with a quota, and what programs ask for in its name. */
class Subscriber {
  readonly uses;

  private constructor(
    { store }: CustomerPorts,
    limits: Limits,
    readonly tenant: Tenant,
    readonly caller: Caller,
  ) {
    const clock = new SettableClock();
    const secrets = ['a secret of the tests that is long enough'] as const;
    this.uses = {
      store,
      clock,
      limits,
      secrets,
      blobs: new MemoryBlobStore(clock),
      gazetteer: new MemoryGazetteer(),
      directUploads: null,
      sourceReader: { problem: () => null },
      addresses: new PublicAddresses('https://photos.example.com'),
    };
  }

  static async of(ports: CustomerPorts, quota: Partial<NewCustomer>, limits: Limits): Promise<Subscriber> {
    const tenant = await Tenant.of(ports, sampleCustomer(quota));
    const caller = { customerId: tenant.id, apiKeyId: null, scopes, ipRestricted: false, actor: commandLine };
    return new Subscriber(ports, limits, tenant, caller);
  }

  async start(creation: Parameters<typeof createImport>[2] = {}): Promise<Id> {
    return (await createImport(this.uses, this.caller, creation)).import.id;
  }

  /** Announces files of these sizes, and answers the ids of those that were taken. */
  async register(importId: Id, sizes: readonly number[], more: Partial<Registration> = {}): Promise<Id[]> {
    const files = sizes.map((sizeBytes) => ({ filename: 'a.jpg', sizeBytes, sha256: sampleHash(), ...more }));
    const { results } = await registerPhotos(this.uses, this.caller, importId, files);
    return results.flatMap(({ photo }) => photo?.id ?? []);
  }

  edit(importId: Id, id: Id, patch: ImportPhotoPatch) {
    return editImportPhoto(this.uses, this.caller, importId, id, patch);
  }

  async fail(importId: Id, id: Id): Promise<void> {
    await this.tenant.transaction(async ({ importPhotos }) => {
      const item = present(await importPhotos.lock(importId, id));
      const error = { code: 'upload_missing', message: 'It never came.' } as const;
      await importPhotos.update(fail(item, error, sampleInstant));
    });
  }

  /** An import that is finalized, with so many items that are ready to be published. */
  async processing(count: number): Promise<{ id: Id; items: Id[] }> {
    const subject = await this.tenant.addImport({ status: 'processing', expiresAt: null, finalizedAt: sampleInstant });
    const ready = Array.from({ length: count }, () => ({ status: 'ready' as const, facts: sampleFacts() }));
    const items = await this.tenant.addItems(subject, ...ready);
    return { id: subject.id, items: items.map((item) => item.id) };
  }

  async tag(name: string) {
    return (await createTag(this.uses, this.caller, { name })).tag;
  }

  use() {
    return this.tenant.query((reader) => reader.usage.quotaUse());
  }
}
