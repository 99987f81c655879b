import type { ApiKey, NewApiKey } from '../../src/core/access/api-key.js';
import type { NewCustomer } from '../../src/core/customers/customer.js';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import type { Import, NewImport } from '../../src/core/imports/import.js';
import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import type { Photo } from '../../src/core/photos/photo.js';
import type { CustomerStore } from '../../src/core/ports.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Reads, Repositories } from '../../src/core/shared/transactional.js';
import type { NewTag, Tag } from '../../src/core/tags/tag.js';
import { sampleCustomer, sampleExif, sampleImport, sampleItem, sampleKey, samplePhoto, sampleTag } from './samples.js';

/** Where customers and what is theirs are kept, on any adapter. */
export interface CustomerPorts {
  readonly store: CustomerStore;
  readonly customers: CustomerDirectory;
}

/** One customer, and short ways to arrange what it has. Each way is a transaction of its own. */
export class Tenant {
  private constructor(
    private readonly store: CustomerStore,
    readonly id: Id,
  ) {}

  static async of({ store, customers }: CustomerPorts, values: NewCustomer = sampleCustomer()): Promise<Tenant> {
    return new Tenant(store, (await customers.transaction((transaction) => transaction.insert(values))).id);
  }

  transaction<T>(work: (transaction: Repositories) => Promise<T>): Promise<T> {
    return this.store.transaction(this.id, work);
  }

  query<T>(work: (reader: Reads) => Promise<T>): Promise<T> {
    return this.store.query(this.id, work);
  }

  photoIds(count: number): Promise<readonly Id[]> {
    return this.transaction((transaction) => transaction.importPhotos.allocateIds(count));
  }

  async newId(): Promise<Id> {
    return present((await this.photoIds(1))[0]);
  }

  async addPhoto(values: Partial<Photo> = {}, tagIds: readonly Id[] = []): Promise<Photo> {
    const [photo] = await this.addPhotos([values], tagIds);
    return present(photo);
  }

  addPhotos(all: readonly Partial<Photo>[], tagIds: readonly Id[] = []): Promise<Photo[]> {
    return this.transaction(async ({ photos, importPhotos }) => {
      const ids = await importPhotos.allocateIds(all.length);
      const added = all.map((values, at) => samplePhoto(this.id, present(ids[at]), values));
      for (const photo of added) {
        if (!(await photos.insert(photo, tagIds, sampleExif))) throw new Error('a sample photo was not stored');
      }
      return added;
    });
  }

  addKey(values: Partial<NewApiKey> = {}): Promise<ApiKey> {
    return this.transaction(({ keys }) => keys.insert(sampleKey(values)));
  }

  async addTag(name: string, values: Partial<NewTag> = {}): Promise<Tag> {
    return present(await this.transaction(({ tags }) => tags.insert(sampleTag(name, values))));
  }

  async addTags(...names: readonly string[]): Promise<Tag[]> {
    const added: Tag[] = [];
    for (const name of names) added.push(await this.addTag(name));
    return added;
  }

  async addImport(values: Partial<NewImport> = {}): Promise<Import> {
    return present(await this.transaction(({ imports }) => imports.insert(sampleImport(this.id, values))));
  }

  async addItem(subject: Pick<Import, 'id' | 'customerId'>, values: Partial<ImportPhoto> = {}): Promise<ImportPhoto> {
    return present((await this.addItems(subject, values))[0]);
  }

  addItems(
    subject: Pick<Import, 'id' | 'customerId'>,
    ...all: readonly Partial<ImportPhoto>[]
  ): Promise<readonly ImportPhoto[]> {
    return this.transaction(async ({ imports, importPhotos }) => {
      await imports.lock(subject.id);
      const ids = await importPhotos.allocateIds(all.length);
      const items = all.map((values, at) => sampleItem(subject, present(ids[at]), values));
      await importPhotos.insert(items);
      return items;
    });
  }
}

/** The value, where a test cannot go on without one. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a value that the test needs is not there');
  return value;
}

/** So many times at once; the answers in the order of the calls. */
export function atOnce<T>(count: number, act: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => act(number)));
}

/** Lets a test hold up a step of another until it says so. */
export class Gate {
  open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
