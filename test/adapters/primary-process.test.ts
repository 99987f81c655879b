import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryRateWindowStore } from '../../src/adapters/memory/memory-rate-window-store.js';
import { mediaMethods, PrimaryMediaReader } from '../../src/adapters/primary-process/primary-media-reader.js';
import {
  PrimaryRateWindowStore,
  rateWindowMethods,
} from '../../src/adapters/primary-process/primary-rate-window-store.js';
import { type Channel, Rpc } from '../../src/adapters/primary-process/rpc.js';
import { type PictureBytes, ReaderFailure, type RenditionOrder } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { MemoryMediaReader, pictureBytes } from '../../testing/memory/memory-media-reader.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { rateWindowStoreContract } from '../contracts/rate-window-store.contract.js';
import { type IpcPair, ipcPair } from '../support/ipc-pair.js';
import { bytesOf } from '../support/media.js';

rateWindowStoreContract('the memory of the primary process', async () => {
  const clock = new SettableClock();
  const memory = new MemoryRateWindowStore(clock);
  const { primary, process, close } = ipcPair();
  new Rpc(primary).serve(rateWindowMethods(memory));
  return {
    store: new PrimaryRateWindowStore(new Rpc(process)),
    passTime: async (seconds) => clock.pass(seconds * 1000),
    now: async () => clock.now().getTime(),
    remembered: async () => memory.size,
    close,
  };
});

describe('calls between the processes of a service', () => {
  let pair: IpcPair;
  let primary: Rpc;
  let own: Rpc;
  beforeAll(() => {
    pair = ipcPair();
    primary = new Rpc(pair.primary);
    own = new Rpc(pair.process);
  });
  afterAll(() => pair.close());

  it('are made in one message for all requests of a turn', async () => {
    const messages: object[] = [];
    const counting: Channel = {
      ...pair.process,
      send(message) {
        messages.push(message);
        pair.process.send(message);
      },
    };
    primary.serve(rateWindowMethods(new MemoryRateWindowStore(new SettableClock())));
    const store = new PrimaryRateWindowStore(new Rpc(counting));
    const budget = { name: 'read:1', limit: 30 };
    const states = await Promise.all(Array.from({ length: 50 }, () => store.hit(budget)));
    expect(states.filter(({ allowed }) => allowed)).toHaveLength(30);
    expect(messages).toHaveLength(1);
  });

  it('fail with errors of the same class, and with what they say', async () => {
    const failing = (error: Error) => async () => {
      throw error;
    };
    primary.serve({
      domain: failing(new DomainError('limit_reached', 'Too many.', { limit: 3 })),
      reader: failing(new ReaderFailure('It died.')),
      other: failing(new TypeError('It is wrong.')),
    });
    const errorOf = (method: string) => own.call(method, null).catch((error: unknown) => error);
    expect(await errorOf('domain')).toEqual(new DomainError('limit_reached', 'Too many.', { limit: 3 }));
    expect(await errorOf('domain')).toMatchObject({ code: 'limit_reached', details: { limit: 3 } });
    expect(await errorOf('reader')).toBeInstanceOf(ReaderFailure);
    expect(await errorOf('other')).toEqual(new Error('It is wrong.'));
    expect(await errorOf('unknown')).toEqual(new Error('There is no method unknown.'));
  });

  it('go in both directions at the same time', async () => {
    const other = ipcPair();
    const [primary, own] = [new Rpc(other.primary), new Rpc(other.process)];
    primary.serve({ double: async (number: number) => 2 * (await primary.call<number>('increment', number)) });
    own.serve({ increment: async (number: number) => number + 1 });
    const results = await Promise.all([1, 2, 3].map((number) => own.call('double', number)));
    await other.close();
    expect(results).toEqual([4, 6, 8]);
  });

  it('fail when the other process ends, both waiting calls and later ones', async () => {
    const other = ipcPair();
    const rpc = new Rpc(other.process);
    const waiting = rpc.call('anything', null).catch((error: unknown) => error);
    await other.close();
    expect(await waiting).toMatchObject({ code: 'service_unavailable' });
    await expect(rpc.call('anything', null)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

/** Prefers the files of pictures, as readers in other processes do. */
class FileMediaReader extends MemoryMediaReader {
  override async render(bytes: PictureBytes, order: RenditionOrder) {
    const path = (await bytes.file?.()) ?? null;
    return super.render(path === null ? bytes : createReadStream(path), order);
  }
}

describe('pictures read by the primary process', () => {
  let pair: IpcPair;
  let scratchDir: string;
  let reader: PrimaryMediaReader;
  beforeEach(async () => {
    pair = ipcPair();
    scratchDir = await mkdtemp(join(tmpdir(), 'phs-primary-'));
    const primary = new Rpc(pair.primary);
    primary.serve(mediaMethods(new FileMediaReader(), primary));
    reader = new PrimaryMediaReader(new Rpc(pair.process), scratchDir);
  });
  afterEach(async () => {
    await reader.close();
    await pair.close();
    await rm(scratchDir, { recursive: true });
  });

  const order = { customerId: 1, ...within(100, 'jpeg'), rotation: 0 };
  const files = async () => (await readdir(scratchDir, { recursive: true })).filter((name) => name.includes('picture'));

  it('leave no file behind', async () => {
    const picture = pictureBytes({ width: 950, height: 634 });
    expect(await reader.render(bytesOf(picture), order)).toMatchObject({ contentType: 'image/jpeg' });
    expect(await files()).toEqual([]);
  });

  it('are read from the file of their bytes, if there is one', async () => {
    const path = join(scratchDir, 'original');
    await writeFile(path, pictureBytes({ width: 950, height: 634 }));
    const unread = {
      file: async () => path,
      [Symbol.asyncIterator]: () => {
        throw new Error('These bytes are in a file.');
      },
    };
    expect(await reader.render(unread, order)).toMatchObject({ contentType: 'image/jpeg' });
  });

  it('fail with the very error of the source of their bytes, and leave no file behind', async () => {
    const error = new DomainError('checksum_mismatch', 'These are other bytes.');
    async function* failing() {
      yield new Uint8Array(10);
      throw error;
    }
    expect(await reader.render(failing(), order).catch((thrown: unknown) => thrown)).toBe(error);
    expect(await files()).toEqual([]);
  });
});
