import { createHash } from 'node:crypto';
import { WebauthnPasskeyReader } from '../../src/adapters/webauthn/webauthn-passkey-reader.js';
import { type Caller, type Scope, scopes } from '../../src/core/access/caller.js';
import { issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { Limits } from '../../src/core/customers/limits.js';
import type { Registration } from '../../src/core/imports/candidate.js';
import { createImport, type ImportCreation } from '../../src/core/imports/create.js';
import { editImportPhoto, type ImportPhotoPatch } from '../../src/core/imports/edit-item.js';
import { type Finalization, finalizeImport } from '../../src/core/imports/finalize.js';
import { type ImportDetails, type ItemDetails, listImportPhotos, readImport } from '../../src/core/imports/read.js';
import { receiveUpload } from '../../src/core/imports/receive/upload.js';
import { type InlineFile, type InlineInput, receiveInline } from '../../src/core/imports/register/inline.js';
import { registerPhotos } from '../../src/core/imports/register/register.js';
import type { PictureFacts } from '../../src/core/media/media-reader.js';
import { downloadOriginal } from '../../src/core/photos/original.js';
import type { PhotoWithTags } from '../../src/core/photos/photo.js';
import { readPhoto } from '../../src/core/photos/read-photo.js';
import { renditionOf } from '../../src/core/photos/renditions/rendition.js';
import type { Ports } from '../../src/core/ports.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createTag } from '../../src/core/tags/create-tags.js';
import type { Tag } from '../../src/core/tags/tag.js';
import { runJob } from '../../src/worker/pools.js';
import { pictureBytes } from '../../testing/memory/memory-media-reader.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { type MemoryPorts, memoryPorts } from '../../testing/memory-ports.js';
import { claimJob } from './claim.js';
import { present } from './tenant.js';

/** Every port, in memory, and passkeys by the library. The clock stands still until a test moves it. */
export type World = MemoryPorts;

type Changes = Partial<Pick<World, 'clock' | 'blobs' | 'media'>> & { limits?: Partial<Limits> };

export function world(changes: Changes = {}): World {
  return memoryPorts({ passkeys: new WebauthnPasskeyReader(), ...changes }) as World;
}

/** A file on a client's disk. */
export interface ClientFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export function fileOf(filename: string, bytes: Uint8Array): ClientFile {
  return { filename, bytes, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

let pictures = 0;

/** A sound picture whose bytes no other has. */
export function picture(filename: string, facts: Partial<PictureFacts> = {}): ClientFile {
  pictures += 1;
  return fileOf(filename, pictureBytes({ width: 400, height: 300, exif: { Serial: pictures }, ...facts }));
}

/** A file that is no picture. */
export function note(filename: string, text = `${filename} is a text`): ClientFile {
  return fileOf(filename, new TextEncoder().encode(text));
}

/** What a client announces of a file. */
export function announced({ filename, sizeBytes, sha256 }: ClientFile, more: Partial<Registration> = {}): Registration {
  return { filename, sizeBytes, sha256, ...more };
}

export async function* bytesOf(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

export async function collected(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export interface Sending {
  readonly address?: string;
  readonly declaredBytes?: number | null;
  readonly isGone?: () => boolean;
}

/** A customer with a key, and what programs do with it. */
export class Account {
  private constructor(
    private readonly world: Ports,
    readonly caller: Caller,
  ) {}

  static async open(
    world: Ports,
    {
      customerId,
      ipList = [],
      allowed = ['all'],
      storageBytes = null,
    }: { customerId?: Id; ipList?: string[]; allowed?: string[]; storageBytes?: number | null } = {},
  ): Promise<Account> {
    const customer = { name: 'ACME', timeZone: 'Europe/Paris', storageBytesLimit: storageBytes, photosLimit: null };
    const owner = customerId ?? (await createCustomer(world, commandLine, customer)).id;
    const defaults = { readLimit: null, writeLimit: null, expiresAt: null };
    const { key } = await issueKey(world, operatorFor(owner), {
      name: 'key',
      scopes: allowed,
      ipList,
      ...defaults,
    });
    return new Account(world, {
      customerId: owner,
      apiKeyId: key.id,
      scopes: key.scopes,
      ipRestricted: ipList.length > 0,
      actor: { kind: 'api_key', id: key.id, name: key.name, address: '203.0.113.9' },
    });
  }

  /** The same caller, through other ports. */
  on(world: Ports): Account {
    return new Account(world, this.caller);
  }

  get id(): Id {
    return this.caller.customerId;
  }

  get keyId(): Id {
    return present(this.caller.apiKeyId);
  }

  /** The same key, but for one scope. */
  without(scope: Scope): Account {
    return new Account(this.world, { ...this.caller, scopes: scopes.filter((each) => each !== scope) });
  }

  /** The same key, where other ports stand in for some. */
  over(world: Ports): Account {
    return new Account(world, this.caller);
  }

  async start(creation: ImportCreation = {}): Promise<ImportDetails> {
    return (await createImport(this.world, this.caller, creation)).import;
  }

  /** Announces files; answers what became of each. */
  register(importId: Id, ...registrations: readonly Registration[]) {
    return registerPhotos(this.world, this.caller, importId, registrations);
  }

  /** Announces files that are all taken; answers the items. */
  async items(importId: Id, ...registrations: readonly Registration[]): Promise<ItemDetails[]> {
    const { results } = await this.register(importId, ...registrations);
    return results.map(({ photo }) => present(photo));
  }

  inline(importId: Id, files: readonly ClientFile[] | AsyncIterable<InlineFile>, words: InlineInput[] | null = null) {
    const sent = Symbol.asyncIterator in files ? files : streamed(files);
    return receiveInline(this.world, this.caller, importId, { inputs: words, files: sent, announcedBytes: null });
  }

  upload(item: ItemDetails, bytes: Uint8Array, sending: Sending = {}) {
    // Two chunks, as over a network.
    const half = Math.floor(bytes.length / 2);
    return this.uploadStream(item, bytesOf(bytes.subarray(0, half), bytes.subarray(half)), sending);
  }

  uploadStream(
    item: ItemDetails,
    bytes: AsyncIterable<Uint8Array>,
    { address = '203.0.113.9', declaredBytes = null, isGone = () => false }: Sending = {},
  ) {
    const token = present(present(item.upload).url.split('/uploads/')[1]);
    return receiveUpload(this.world, { token, address, declaredBytes, bytes, isGone });
  }

  /** Announces files and sends the bytes of those that wait for them. */
  async send(importId: Id, files: readonly ClientFile[], more: Partial<Registration> = {}): Promise<ItemDetails[]> {
    const items = await this.items(importId, ...files.map((file) => announced(file, more)));
    for (const [at, item] of items.entries()) {
      if (item.status === 'awaiting_upload') await this.upload(item, present(files[at]).bytes);
    }
    return items;
  }

  edit(item: Pick<ItemDetails, 'id' | 'importId'>, patch: ImportPhotoPatch): Promise<ItemDetails> {
    return editImportPhoto(this.world, this.caller, item.importId, item.id, patch);
  }

  finalize(importId: Id, how: Partial<Finalization> = {}): Promise<ImportDetails> {
    return finalizeImport(this.world, this.caller, importId, { action: 'commit', missingUploads: 'reject', ...how });
  }

  import(importId: Id): Promise<ImportDetails> {
    return readImport(this.world, this.caller, importId);
  }

  /** All items as they are now, by id. */
  async list(importId: Id): Promise<readonly ItemDetails[]> {
    const { page } = await listImportPhotos(this.world, this.caller, importId, { limit: 100, cursor: null });
    return page.data;
  }

  async item({ importId, id }: Pick<ItemDetails, 'id' | 'importId'>): Promise<ItemDetails> {
    return present((await this.list(importId)).find((item) => item.id === id));
  }

  /** A whole import of these files, to its end. */
  async bring(files: readonly ClientFile[], creation: ImportCreation = {}, more: Partial<Registration> = {}) {
    const { id } = await this.start(creation);
    await this.send(id, files, more);
    await this.finalize(id);
    await runJobsTwice(this.world);
    return { import: await this.import(id), items: await this.list(id) };
  }

  /** Brings one file into the library. */
  async addPhoto(file: ClientFile, more: Partial<Registration> = {}): Promise<PhotoWithTags> {
    const { items } = await this.bring([file], {}, more);
    return this.photo(present(present(items[0]).photoId));
  }

  async photo(id: Id): Promise<PhotoWithTags> {
    return (await readPhoto(this.world, this.caller, id, { trashedToo: true, withExif: false })).photo;
  }

  photos(): Promise<readonly PhotoWithTags[]> {
    const window = { after: null, limit: 100 };
    return this.world.store.query(this.id, (reader) =>
      reader.photos.list({ filters: { trashed: 'any' }, sort: 'id', window }),
    );
  }

  async original(id: Id): Promise<Uint8Array> {
    const download = await downloadOriginal(this.world, this.caller, id);
    return collected((await download.open()).bytes);
  }

  tags(): Promise<readonly Tag[]> {
    const window = { after: null, limit: 100 };
    return this.world.store.query(this.id, (reader) => reader.tags.list({ filters: {}, sort: 'id', window }));
  }

  async tag(name: string): Promise<Tag> {
    return (await createTag(this.world, this.caller, { name })).tag;
  }
}

async function* streamed(files: readonly ClientFile[]): AsyncIterable<InlineFile> {
  for (const { filename, bytes } of files) yield { filename, bytes: bytesOf(bytes) };
}

const LEASE_SECONDS = 300;

/**
 * Does all jobs that are due, and those that they make. Every one is done twice, as a worker may do that was cut off before
 * it could say that it was done. The second run must leave everything as the first one did, which is as `everythingIn` tells.
 */
export async function runJobsTwice(ports: Ports, everythingIn?: () => Promise<unknown>): Promise<void> {
  for (
    let job = await claimJob(ports.jobs, LEASE_SECONDS);
    job !== null;
    job = await claimJob(ports.jobs, LEASE_SECONDS)
  ) {
    await runJob(ports, job);
    const once = await everythingIn?.();
    // So that whatever is written again differs.
    if (ports.clock instanceof SettableClock) ports.clock.pass(1);
    await runJob(ports, job);
    expect(await everythingIn?.()).toEqual(once);
    await ports.jobs.complete(job);
  }
}

export function runJobsUntilIdle(world: World): Promise<void> {
  return runJobsTwice(world, () => everything(world));
}

/** All rows but the jobs, and the blobs. */
export async function everything({ database, blobs }: World) {
  const { customers, keys, photos, exif, links, tags, tagTombstones, tombstonePhotos } = database;
  const { imports, importPhotos, resumableUploads, sourceFetches, forgottenItems, deliveries } = database;
  const ofPhotos = [photos, exif, links, tags, tagTombstones, tombstonePhotos];
  const queued = [sourceFetches, deliveries];
  const tables = [...queued, customers, keys, ...ofPhotos, imports, importPhotos, resumableUploads, forgottenItems];
  const rows = tables.map((table) => table.all());
  return { rows, blobs: await blobsUnder(blobs, 'staging/', 'originals/', 'renditions/') };
}

export async function blobsUnder(blobs: Ports['blobs'], ...prefixes: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of prefixes) {
    for await (const { key, sizeBytes } of blobs.list(prefix)) found.push(`${key} ${sizeBytes}`);
  }
  return found.sort();
}

/**
 * What must hold whenever nothing is running: every photo has its bytes and its thumb, or can have it, every ended import has no item
 * with work left, and the photos that it says, but for those that were deleted for ever since. Whose items were forgotten says nothing
 * any more.
 */
export async function expectSound({ database, blobs, ...uses }: World, purged: readonly Id[] = []): Promise<void> {
  const photos = database.photos.all();
  for (const photo of photos) {
    const blob = await blobs.get(photo.blobKey as Parameters<typeof blobs.get>[0]);
    const bytes = await collected(present(blob).bytes);
    expect(fileOf(photo.filename, bytes)).toMatchObject({ sha256: photo.sha256, sizeBytes: photo.sizeBytes });
    expect(await renditionOf({ blobs, ...uses }, photo, { name: 'thumb' }).info()).toMatchObject({
      sizeBytes: expect.any(Number),
    });
  }
  for (const subject of database.imports.where(({ status }) => status.startsWith('completed'))) {
    if (database.forgottenItems.get(subject.id) !== undefined) continue;
    const items = database.importPhotos.where((item) => item.importId === subject.id);
    const busy = items.filter(({ status }) => ['awaiting_upload', 'fetching', 'processing', 'ready'].includes(status));
    expect(busy).toEqual([]);
    const imported = items.flatMap(({ status, id }) => (status === 'imported' && !purged.includes(id) ? [id] : []));
    const photoIds = photos.filter(({ importId }) => importId === subject.id).map(({ id }) => id);
    expect(photoIds.sort((a, b) => a - b)).toEqual(imported.sort((a, b) => a - b));
  }
}
