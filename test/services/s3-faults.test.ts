/* @slow */
import { randomBytes, randomUUID } from 'node:crypto';
import type { StoreTimeouts } from '../../src/adapters/remote-blobs/outage.js';
import { S3BlobStore } from '../../src/adapters/s3-blobs/s3-blob-store.js';
import { S3Bucket } from '../../src/adapters/s3-blobs/s3-client.js';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import { type Fault, FaultFront } from './support/fault-front.js';
import { type Gateway, sharedGateway } from './support/gateway.js';

const PART = 100_000;
const small = randomBytes(PART);
const large = randomBytes(3 * PART + 1);

/** The usual patience, shortened: what is shown is that it ends, and how. */
const short: StoreTimeouts = { connect: 2_000, silence: 1_000, call: 20_000, sending: 20_000, attempts: 3 };

let gateway: Gateway;
let front: FaultFront;
/** Past the front, for what a test begins with and ends with. */
let sound: BlobStore;
let store: BlobStore;
let impatient: BlobStore;
let close: () => void;

beforeAll(async () => {
  gateway = await sharedGateway();
  front = await FaultFront.to(gateway.endpoint);
  const settings = await gateway.bucket();
  const spoilt = { ...settings, endpoint: front.endpoint };
  const parts = { sent: PART, copied: PART };
  const open = (attempts: number) => new S3Bucket(spoilt, { patience: { ...short, attempts }, parts });
  const [direct, patient, once] = [new S3Bucket(settings, { parts }), open(3), open(1)];
  sound = new S3BlobStore(direct);
  store = new S3BlobStore(patient);
  impatient = new S3BlobStore(once);
  close = () => {
    direct.close();
    patient.close();
    once.close();
  };
});
afterAll(async () => {
  close?.();
  await front?.close();
});
afterEach(() => front.heal());

async function* of(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 30_000) yield bytes.subarray(at, at + 30_000);
}

async function read(from: BlobStore, key: BlobKey): Promise<Buffer | null> {
  const blob = await from.get(key);
  if (blob === null) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of blob.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Jest compares bytes one by one, which takes seconds. */
function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

async function keysUnder(from: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of from.list(prefix)) keys.push(key);
  return keys.sort();
}

const unavailable = { code: 'service_unavailable' };

/** A call and what it leaves when it has done its work, on a folder with `old` and `source`. */
interface Operation {
  readonly name: string;
  /** Requests that it takes. */
  readonly calls: number;
  run(on: BlobStore, at: (name: string) => BlobKey): Promise<unknown>;
  /** What is at a key afterwards. */
  readonly target?: string;
  readonly leaves?: Buffer | null;
}

const operations: readonly Operation[] = [
  { name: 'put', calls: 1, run: (on, at) => on.put(at('old'), of(small)), target: 'old', leaves: small },
  { name: 'put in parts', calls: 7, run: (on, at) => on.put(at('old'), of(large)), target: 'old', leaves: large },
  {
    name: 'copy',
    calls: 2,
    run: async (on, at) => expect(await on.copy(at('source'), at('old'), await etag(at('source')))).toBe(true),
    target: 'old',
    leaves: small,
  },
  {
    name: 'copy in parts',
    calls: 8,
    run: async (on, at) => expect(await on.copy(at('far'), at('old'), await etag(at('far')))).toBe(true),
    target: 'old',
    leaves: large,
  },
  { name: 'delete', calls: 1, run: (on, at) => on.delete([at('old')]), target: 'old', leaves: null },
  { name: 'get', calls: 1, run: async (on, at) => expect(isSame(await read(on, at('source')), small)).toBe(true) },
  {
    name: 'head',
    calls: 1,
    run: async (on, at) => expect(await on.head(at('source'))).toMatchObject({ sizeBytes: PART }),
  },
  {
    name: 'head of nothing',
    calls: 2,
    run: async (on, at) => expect(await on.head(at('never'))).toBeNull(),
  },
  {
    name: 'list',
    calls: 1,
    run: async (on, at) => expect(await keysUnder(on, at(''))).toEqual([at('far'), at('old'), at('source')]),
  },
];

const etags = new Map<BlobKey, string>();
const etag = async (key: BlobKey): Promise<string> => etags.get(key) ?? 'none';

/** A folder of its own, with blobs in it. */
async function folder(): Promise<(name: string) => BlobKey> {
  front.heal();
  const name = `t/${randomUUID()}`;
  const at = (path: string) => storedKey(`${name}/${path}`);
  await sound.put(at('old'), of(Buffer.from('old')));
  for (const [path, bytes] of [
    ['source', small],
    ['far', large],
  ] as const) {
    etags.set(at(path), (await sound.put(at(path), of(bytes))).etag);
  }
  return at;
}

const passing: readonly Fault[] = [
  { kind: 'refused', status: 503, code: 'SlowDown' },
  { kind: 'refused', status: 500, code: 'InternalError' },
  { kind: 'refused', status: 502 },
  { kind: 'hang' },
  { kind: 'reset' },
];

describe.each(operations)('F11, F12: $name', (operation) => {
  const { calls, run, target, leaves = null } = operation;

  it(`takes ${calls} requests`, async () => {
    const at = await folder();
    front.spoil(() => null);
    await run(store, at);
    expect(front.requests).toBe(calls);
  });

  it('succeeds when any one of its requests is answered wrongly or not at all', async () => {
    for (let call = 1; call <= calls; call += 1) {
      // Each kind of fault meets some request of some operation; a lost answer every one.
      const turn = passing[(call + operations.indexOf(operation)) % passing.length] as Fault;
      for (const fault of [turn, { kind: 'lost' }] as const) {
        const at = await folder();
        front.spoil((_, nth) => (nth === call ? fault : null));
        await run(store, at);
        if (target === undefined) continue;
        expect([call, fault, isSame(await read(sound, at(target)), leaves)]).toEqual([call, fault, true]);
      }
    }
  });

  it('is an outage after a fault at any of its requests when there is no second try, and leaves the old or the new', async () => {
    for (let call = 1; call <= calls; call += 1) {
      for (const fault of [{ kind: 'reset' }, { kind: 'lost' }] as const) {
        const at = await folder();
        front.spoil((_, nth) => (nth === call ? fault : null));
        await expect(run(impatient, at)).rejects.toMatchObject(unavailable);
        front.heal();
        const [old, kept] = [Buffer.from('old'), await read(sound, at('old'))];
        const isOneOfTwo = isSame(kept, old) || (target !== undefined && isSame(kept, leaves));
        expect([call, fault.kind, isOneOfTwo]).toEqual([call, fault.kind, true]);
        await run(sound, at);
        if (target !== undefined) expect(isSame(await read(sound, at(target)), leaves)).toBe(true);
      }
    }
  });

  it.each<Fault>([
    { kind: 'hang' },
    { kind: 'refused', status: 503, code: 'SlowDown' },
    { kind: 'refused', status: 403, code: 'AccessDenied' },
    { kind: 'refused', status: 404, code: 'NoSuchBucket' },
    { kind: 'refused', status: 404 },
    { kind: 'refused', status: 301, code: 'PermanentRedirect' },
  ])('is an outage, and never an absence, while every request meets $kind $status $code', async (fault) => {
    const at = await folder();
    front.spoilAll(fault);
    await expect(run(store, at)).rejects.toMatchObject(unavailable);
    front.heal();
    expect(await read(sound, at('old'))).toEqual(Buffer.from('old'));
    await run(sound, at);
  });
});

describe('the body of a blob (API10: what a store answers is not trusted)', () => {
  const cases: readonly [string, Fault][] = [
    ['cut at once', { kind: 'cut', after: 0 }],
    ['cut half way', { kind: 'cut', after: 50_000 }],
    ['cut before its last byte', { kind: 'cut', after: PART - 1 }],
    ['stuck half way', { kind: 'stuck', after: 50_000 }],
    ['ended early with a head to match', { kind: 'short', after: 50_000 }],
    ['empty with a head to match', { kind: 'short', after: 0 }],
    ['other than what was put', { kind: 'flipped', at: 77_777 }],
  ];

  it.each(cases)('%s is an outage, and never all of the bytes', async (_, fault) => {
    const at = await folder();
    front.spoilAll(fault);
    const got: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of (await store.get(at('source')))?.bytes ?? []) got.push(chunk);
    })();
    await expect(reading).rejects.toMatchObject(unavailable);
    expect(Buffer.concat(got).length).toBeLessThan(PART);
  });

  it.each(cases.slice(0, 6))('%s is an outage in a range too', async (_, fault) => {
    const at = await folder();
    front.spoilAll(fault);
    const range = { start: 1, end: PART };
    const reading = (async () => {
      for await (const chunk of (await store.get(at('far'), range))?.bytes ?? []) void chunk;
    })();
    await expect(reading).rejects.toMatchObject(unavailable);
  });

  it('has no time limit while it is not read', async () => {
    const at = await folder();
    const blob = await store.get(at('far'));
    const iterator = blob?.bytes[Symbol.asyncIterator]();
    const chunks = [(await iterator?.next())?.value as Uint8Array];
    // A reader that is slower than the store may ever be.
    await new Promise((wake) => setTimeout(wake, short.silence * 3));
    for (let next = await iterator?.next(); next && !next.done; next = await iterator?.next()) chunks.push(next.value);
    expect(Buffer.concat(chunks).equals(large)).toBe(true);
  });

  it('of another range than the one that was asked for is refused', async () => {
    const at = await folder();
    front.spoilAll({ kind: 'short', after: 10 });
    await expect(store.get(at('source'), { start: 0, end: 99 })).rejects.toMatchObject(unavailable);
  });
});

describe('deleting', () => {
  it('removes more than a store takes in one call', async () => {
    const at = await folder();
    const many = Array.from({ length: 2100 }, (_, n) => at(`many/${n}`));
    front.spoil(() => null);
    await store.delete([...many, at('old')]);
    expect(front.requests).toBe(3);
    expect(await keysUnder(store, at(''))).toEqual([at('far'), at('source')]);
  });
});
