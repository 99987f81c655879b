/* @slow */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BlockBlobClient } from '@azure/storage-blob';
import { AzureBlobStore } from '../../src/adapters/azure-blobs/azure-blob-store.js';
import { AzureContainer, type AzureSettings } from '../../src/adapters/azure-blobs/azure-container.js';
import { AzureDirectUploads } from '../../src/adapters/azure-blobs/open-azure.js';
import { usualPatience } from '../../src/adapters/remote-blobs/outage.js';
import type { PartSizes } from '../../src/adapters/remote-blobs/remote-blob-store.js';
import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { directUploadsContract } from '../contracts/direct-uploads.contract.js';
import { Azurite } from './support/azurite.js';
import { breaking, type Fault, FaultFront } from './support/fault-front.js';
import { sendPut } from './support/send-put.js';

const BLOCK = 30_000;

/** Without a pause between attempts, of which there is one before the third. */
const patience = { ...usualPatience, attempts: 2 };

let azurite: Azurite;
let front: FaultFront;
let settings: AzureSettings;
beforeAll(async () => {
  azurite = await Azurite.start();
  front = await FaultFront.to(azurite.endpoint);
  settings = await azurite.container();
});
afterAll(async () => {
  await front?.close();
  await azurite?.stop();
});

const throughFront = () => azurite.endpoint.replace(new URL(azurite.endpoint).origin, front.endpoint);

/** The same container for each case, whose connections are kept. */
const open = (blocks?: PartSizes) => {
  let container: AzureContainer | undefined;
  afterAll(() => container?.close());
  return async () => {
    container ??= new AzureContainer(
      { ...settings, endpoint: throughFront() },
      { patience, ...(blocks && { blocks }) },
    );
    return { store: new AzureBlobStore(container), close: async () => undefined };
  };
};

blobStoreContract(
  'Azure',
  open(),
  breaking(() => front),
);
blobStoreContract('Azure, in tiny blocks', open({ sent: BLOCK, copied: 2 * BLOCK }), {
  partBytes: BLOCK,
  ...breaking(() => front),
});

directUploadsContract(
  'Azure',
  async () => {
    const container = new AzureContainer(settings);
    const uploads = new AzureDirectUploads(settings);
    return {
      uploads,
      blobs: new AzureBlobStore(container),
      send: async (url, headers, bytes) => (await sendPut(url, headers, bytes)) === 201,
      tryAs: async (method, url) => (await fetch(url, { method })).ok,
      // The address tells its end in whole seconds of the server's clock: there is nothing else to wait for.
      wait: (seconds) => delay(seconds * 1000),
      close: async () => container.close(),
    };
  },
  { bindsBytes: false },
);

describe('F11: what a store answers is not trusted', () => {
  const unavailable = { code: 'service_unavailable' };
  const short = { ...usualPatience, silence: 300, call: 1_500, sending: 1_500 };
  let store: AzureBlobStore;
  let container: AzureContainer;
  let key: BlobKey;
  beforeEach(async () => {
    container = new AzureContainer({ ...settings, endpoint: throughFront() }, { patience: short });
    store = new AzureBlobStore(container);
    key = storedKey(`t/${randomUUID()}`);
    await store.put(key, inOneChunk(Buffer.alloc(100_000, 'x')));
  });
  afterEach(() => {
    front.heal();
    container.close();
  });
  const readAll = async () => {
    for await (const chunk of (await store.get(key))?.bytes ?? []) void chunk;
  };

  it.each<Fault>([
    { kind: 'hang' },
    { kind: 'refused', status: 503, code: 'ServerBusy' },
    { kind: 'refused', status: 403, code: 'AuthorizationFailure' },
    { kind: 'refused', status: 404, code: 'ContainerNotFound' },
    { kind: 'refused', status: 404 },
    { kind: 'refused', status: 301 },
  ])('$kind $status $code is an outage and never an absence, in less than the limit', async (fault) => {
    front.spoilAll(fault);
    for (const call of [
      () => store.head(key),
      () => store.get(key),
      () => store.put(key, inOneChunk(Buffer.from('new'))),
      () => store.copy(key, storedKey(`${key}-copy`), 'any'),
      () => store.delete([key]),
      async () => {
        for await (const blob of store.list('t/')) void blob;
      },
    ])
      await expect(call()).rejects.toMatchObject(unavailable);
    front.heal();
    expect(await store.head(key)).toMatchObject({ sizeBytes: 100_000 });
  });

  it('a container that does not exist is an outage', async () => {
    const missing = new AzureContainer({ ...settings, container: 'missing' });
    const none = new AzureBlobStore(missing);
    await expect(none.head(key)).rejects.toMatchObject(unavailable);
    await expect(none.get(key)).rejects.toMatchObject(unavailable);
    await expect(none.delete([key])).rejects.toMatchObject(unavailable);
    await expect(none.list('t/')[Symbol.asyncIterator]().next()).rejects.toMatchObject(unavailable);
    missing.close();
  });

  it.each<Fault>([
    { kind: 'flipped', at: 77_777 },
    { kind: 'stuck', after: 50_000 },
  ])('a body that is $kind is never all of the bytes', async (fault) => {
    front.spoil((asked) => (asked.startsWith('GET') ? fault : null));
    await expect(readAll()).rejects.toMatchObject(unavailable);
  });

  it.each<Fault>([{ kind: 'lost' }, { kind: 'reset' }, { kind: 'refused', status: 500 }])(
    'a put goes on after one response that is $kind',
    async (fault) => {
      front.spoil((_, nth) => (nth === 1 ? fault : null));
      const info = await store.put(key, inOneChunk(Buffer.from('new')));
      expect(await store.head(key)).toEqual(info);
    },
  );

  it('a body that is read slowly is not cut off', async () => {
    const blob = await store.get(key);
    const reader = blob?.bytes[Symbol.asyncIterator]();
    let sizeBytes = (await reader?.next())?.value?.length ?? 0;
    await delay(4 * short.silence);
    for (let next = await reader?.next(); next && !next.done; next = await reader?.next())
      sizeBytes += next.value.length;
    expect(sizeBytes).toBe(100_000);
  });
});

test('a client that leases or snapshots what it has sent does not keep it from being deleted', async () => {
  const container = new AzureContainer(settings);
  const store = new AzureBlobStore(container);
  const key = storedKey(`t/${randomUUID()}`);
  const [address] = await new AzureDirectUploads(settings).sign([{ key, sizeBytes: 3, sha256: null }], 600);
  expect(await sendPut(String(address?.url), address?.headers ?? {}, Buffer.from('abc'))).toBe(201);
  const asClient = new BlockBlobClient(String(address?.url));
  await asClient.createSnapshot();
  await asClient.getBlobLeaseClient().acquireLease(-1);
  await store.delete([key]);
  expect(await store.head(key)).toBeNull();
  container.close();
});
