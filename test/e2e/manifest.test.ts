/* @slow @rest */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import sharp from 'sharp';
import { Client, sha256 } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';

interface Facts {
  readonly width: number;
  readonly height: number;
  readonly mime: string;
  /** As EXIF writes it: `2022:08:14 14:12:31`. */
  readonly date_time_original?: string;
  readonly offset_time_original?: string;
  readonly sub_sec?: string | number;
  readonly gps?: { readonly lat: number; readonly lon: number; readonly alt: number | null };
  readonly make?: string;
  readonly model?: string;
}

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expected: 'accept' | 'accept_or_unsupported' | 'either' | 'contained' | 'refuse';
  readonly facts: Facts;
}

interface Item {
  readonly id: number;
  readonly filename: string;
  readonly status: string;
  readonly photoId: number | null;
  readonly error: { readonly code: string } | null;
}

const folder = join(__dirname, '../fixtures/photos');
const manifest: { files: { file: string; expected: Sample['expected']; facts: Facts }[] } = JSON.parse(
  readFileSync(join(folder, 'MANIFEST.json'), 'utf8'),
);
const listed = manifest.files.map(({ file, expected, facts }): Sample => {
  return { name: file, bytes: new Uint8Array(readFileSync(join(folder, file))), expected, facts };
});
const renamed = listed
  .filter(({ name }) => name === 'html-script.html')
  .map((html): Sample => ({ ...html, name: 'photo.jpg' }));
const samples = [...listed, ...renamed];

/** Why each of the files is refused that must be. */
const reasons: Readonly<Record<string, string>> = {
  'bomb-huge-canvas.gif': 'too_many_pixels',
  'zero-width.gif': 'decode_failed',
  'svg-with-script.svg': 'not_an_image',
  'html-script.html': 'not_an_image',
  'photo.jpg': 'not_an_image',
  'made-zero-byte.jpg': 'file_empty',
  'made-text-renamed.jpg': 'not_an_image',
  'made-declares-60000x60000.jpg': 'too_many_pixels',
};

const SIDES = { thumb: 320, large: 2560 };

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
});
afterAll(() => installation.remove());

describe.each([
  ['registered and uploaded', bringRegistered],
  ['sent inline', bringInline],
])('every file of the manifest, %s', (way, bring) => {
  let client: Client;
  /** What became of each file, rejected ones included. */
  let items: ReadonlyMap<string, Item>;

  beforeAll(async () => {
    client = await newCustomer(way);
    items = await bring(client);
  });

  const itemOf = ({ name }: Sample) => items.get(name) ?? fail(`${name} is not in the import`);
  const photoOf = async (sample: Sample) => (await client.get(`/photos/${itemOf(sample).photoId}`)).body;

  const sound = samples.filter(({ expected }) => expected.startsWith('accept'));
  it.each(sound.map((sample) => [sample.name, sample] as const))('%s is a photo with its facts', async (_, sample) => {
    expect(itemOf(sample)).toMatchObject({ status: 'imported', error: null });
    const photo = await photoOf(sample);
    expect(photo).toMatchObject({ id: itemOf(sample).id, filename: sample.name, damaged: false });
    expectFacts(photo, sample);
    await expectBytes(client, photo.id, sample);
  });

  it.each(samples.flatMap((each) => (each.expected === 'refuse' ? [[each.name, each] as const] : [])))(
    '%s is refused for a stable reason',
    (_, sample) => {
      expect(itemOf(sample)).toMatchObject({ status: 'failed', photoId: null, error: { code: reasons[sample.name] } });
    },
  );

  const doubtful = samples.filter(({ expected }) => expected === 'either' || expected === 'contained');
  it.each(doubtful.map((each) => [each.name, each] as const))('%s is a whole photo or none', async (_, sample) => {
    const { status, error } = itemOf(sample);
    if (status !== 'imported') return expect([status, error?.code]).toEqual(['failed', 'decode_failed']);
    const photo = await photoOf(sample);
    expect(photo).toMatchObject({ width: sample.facts.width, height: sample.facts.height });
    if (sample.facts.gps === undefined) expect(photo.location).toBeNull();
    await expectBytes(client, photo.id, sample);
  });

  it('is in the library, and nothing else is', async () => {
    const imported = [...items.values()].filter(({ status }) => status === 'imported').map(({ id }) => id);
    const { data, pagination } = (await client.get('/photos?sort=id&limit=100&trashed=any')).body;
    expect(data.map(({ id }: Item) => id)).toEqual(imported.sort((a, b) => a - b));
    expect(pagination.hasMore).toBe(false);
  });

  it('is found by a second import', async () => {
    const photos = samples.filter((sample) => itemOf(sample).status === 'imported');
    const { id } = (await client.post('/imports')).body;
    const again = (await client.post(`/imports/${id}/photos`, { photos: photos.map(announced) })).body.data;
    expect(again.map(({ outcome, photo }: { outcome: string; photo: Item }) => [outcome, photo.photoId])).toEqual(
      photos.map((sample) => ['duplicate', itemOf(sample).id]),
    );
    // Where the client does not say the hash, the bytes do.
    const { id: other } = (await client.post('/imports')).body;
    const [sample] = photos;
    if (sample === undefined) return fail('nothing was imported');
    const answer = await client.post(`/imports/${other}/photos`, {
      photos: [{ filename: sample.name, sizeBytes: sample.bytes.length }],
    });
    expect(answer.body.data[0]).toMatchObject({ outcome: 'created', photo: { status: 'awaiting_upload' } });
    await client.upload(answer.body.data[0].photo.upload, sample.bytes);
    const [ended] = await finalized(client, other);
    expect(ended).toMatchObject({ status: 'duplicate', photoId: itemOf(sample).id });
    await finalized(client, id);
    expect((await client.get('/customer')).body.usage.photos).toBe(photos.length);
  });
});

it('uploads through targets and in the request have the same results, and the service survives', async () => {
  const [one, two] = outcomes;
  expect(two).toEqual(one);
  expect((await (await installation.client()).get('/me')).status).toBe(200);
});

it('the store has bytes of photos only', async () => {
  const blobs = join(installation.dataDir, 'blobs');
  const kept = (kind: string) =>
    readdirSync(blobs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(blobs, join(parentPath, name)))
      .filter((path) => path.startsWith(kind));
  // They go after the rows that made them needless.
  await until('nothing to be staged', () => kept('staging').length === 0);
  const imported = outcomes.flat().filter(([, outcome]) => outcome === 'imported');
  await until('the originals of photos to be left', () => kept('originals').length === imported.length);
});

/** Name and end of every file, per way in. */
const outcomes: [name: string, outcome: string][][] = [];

async function newCustomer(name: string): Promise<Client> {
  const customer = JSON.parse((await installation.operate('customer', 'create', '--name', name, '--json')).stdout);
  const limits = ['--read-limit', '100000', '--write-limit', '100000'];
  const owner = ['--customer', String(customer.id), '--name', 'test'];
  const key = await installation.operate('key', 'create', ...owner, '--scopes', 'all', ...limits, '--json');
  return new Client(installation.url, JSON.parse(key.stdout).token);
}

function announced({ name, bytes }: Sample) {
  return { filename: name, sizeBytes: bytes.length, sha256: sha256(bytes), contentType: 'image/jpeg' };
}

async function bringRegistered(client: Client): Promise<ReadonlyMap<string, Item>> {
  const { id } = (await client.post('/imports')).body;
  // The renamed one would be taken for a duplicate of the other by its hash, and its bytes never be looked at.
  const photos = samples.map((sample) =>
    renamed.includes(sample) ? { ...announced(sample), sha256: null } : announced(sample),
  );
  const { data } = (await client.post(`/imports/${id}/photos`, { photos })).body;
  for (const [at, { bytes }] of samples.entries()) {
    if (data[at].photo !== null) expect((await client.upload(data[at].photo.upload, bytes)).status).toBe(204);
  }
  return remember(samples, data, await finalized(client, id));
}

async function bringInline(client: Client): Promise<ReadonlyMap<string, Item>> {
  const { id } = (await client.post('/imports')).body;
  const data = [];
  for (let at = 0; at < samples.length; at += 20) {
    const answer = await client.inline(id, samples.slice(at, at + 20));
    expect(answer.status).toBe(201);
    data.push(...answer.body.data);
  }
  return remember(samples, data, await finalized(client, id));
}

/** What became of each file by its end, or at once when it was rejected. */
function remember(
  sent: readonly Sample[],
  results: readonly { photo: Item | null; error: Item['error'] }[],
  ended: readonly Item[],
): ReadonlyMap<string, Item> {
  const byId = new Map(ended.map((item) => [item.id, item]));
  const rejected = { id: 0, status: 'failed', photoId: null };
  const items = sent.map(({ name }, at): Item => {
    const { photo = null, error = null } = results[at] ?? {};
    return (photo && byId.get(photo.id)) ?? { ...rejected, filename: name, error };
  });
  outcomes.push(items.map(({ filename, status, error }) => [filename, error?.code ?? status]));
  return new Map(items.map((item) => [item.filename, item]));
}

/** Finalizes, waits for the end, and answers all items. */
async function finalized(client: Client, importId: number): Promise<Item[]> {
  await client.post(`/imports/${importId}/finalize`);
  const ended = await until('the import to end', async () => {
    const now = (await client.get(`/imports/${importId}?include=photos&limit=100`)).body;
    return now.status === 'processing' ? false : now;
  });
  expect(ended.status).toMatch(/^completed/);
  return ended.photos.data;
}

// biome-ignore lint/suspicious/noExplicitAny: photos are looked into field by field.
function expectFacts(photo: any, { facts, bytes }: Sample): void {
  const { width, height, mime, make = null, model = null, gps } = facts;
  const size = { sizeBytes: bytes.length, sha256: sha256(bytes) };
  expect(photo).toMatchObject({ width, height, contentType: mime, ...size });
  expect([photo.camera?.make ?? null, photo.camera?.model ?? null]).toEqual([make, model]);
  if (facts.date_time_original) expect(photo.takenAtLocal).toBe(wallClock(facts));
  if (facts.offset_time_original) {
    expect([photo.timeZone, photo.takenAtSource]).toEqual([facts.offset_time_original, 'exif_offset']);
    expect(new Date(photo.takenAt)).toEqual(new Date(`${wallClock(facts)}${facts.offset_time_original}`));
  }
  const near = (value: number, digits: number) => expect.closeTo(value, digits);
  expect(photo.location).toEqual(
    gps ? { latitude: near(gps.lat, 4), longitude: near(gps.lon, 4), altitude: gps.alt && near(gps.alt, 2) } : null,
  );
}

/** `2022-08-14T14:12:31`, with milliseconds where the file has fractions of a second. */
function wallClock({ date_time_original = '', sub_sec }: Facts): string {
  const [date = '', time] = date_time_original.split(' ');
  const fraction = sub_sec === undefined ? '' : `.${String(sub_sec).padEnd(3, '0').slice(0, 3)}`;
  return `${date.replaceAll(':', '-')}T${time}${fraction}`;
}

/** The original byte for byte, and upright renditions that hold nothing but the picture. */
async function expectBytes(client: Client, id: number, { bytes, facts }: Sample): Promise<void> {
  const original = await client.download(`/photos/${id}/download`);
  expect(sha256(original.bytes)).toBe(sha256(bytes));
  expect(original.headers.get('content-type')).toBe(facts.mime);
  expect(original.headers.get('x-content-type-options')).toBe('nosniff');
  for (const [name, side] of Object.entries(SIDES)) {
    const rendition = await client.bytes(`/photos/${id}/download?rendition=${name}`);
    const seen = await sharp(rendition).metadata();
    const scale = Math.min(1, side / Math.max(facts.width, facts.height));
    expect(Math.abs(seen.width - facts.width * scale)).toBeLessThanOrEqual(1);
    expect(Math.abs(seen.height - facts.height * scale)).toBeLessThanOrEqual(1);
    expect([seen.exif, seen.xmp, seen.iptc, seen.orientation]).toEqual([undefined, undefined, undefined, undefined]);
    const text = Buffer.from(rendition).toString('latin1');
    for (const mark of ['Exif\0\0', 'ns.adobe.com/xap', 'Photoshop 3.0']) expect(text).not.toContain(mark);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
