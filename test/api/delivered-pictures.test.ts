/* @rest */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ExifReader from 'exifreader';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createDeliveryKey, type DeliveryKeyWithSecret } from '../../src/core/delivery/delivery-key.js';
import { deliverySignature } from '../../src/core/delivery/signed-address.js';
import { type OpenMedia, openMedia } from '../support/media.js';
import { present } from '../support/tenant.js';
import { postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

type Format = 'jpeg' | 'webp' | 'avif' | 'png';

interface Facts {
  readonly width: number;
  readonly height: number;
  readonly mime: string | null;
  readonly alpha?: boolean;
}

interface Sample {
  readonly file: string;
  readonly expected: 'accept' | 'accept_or_unsupported' | 'either' | 'contained' | 'refuse';
  readonly facts: Facts;
}

const folder = join(__dirname, '../fixtures/photos');
const bytesOf = (file: string) => readFileSync(join(folder, file));
const { files }: { files: readonly Sample[] } = JSON.parse(bytesOf('MANIFEST.json').toString());

/** Every real and hostile file of the manifest, delivered in every way by its real reader. */
let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
let key: DeliveryKeyWithSecret;
/** Of each file: what `/img/` calls it, and whether it became a photo. */
const items = new Map<string, { readonly id: number; readonly status: string }>();

beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
  actor = await app.customer();
  const { customerId } = actor;
  const named = { name: 'site', presetsOnly: false, expiresAt: null };
  key = await createDeliveryKey(app.ports, { customerId, actor: commandLine }, named);
  for (let at = 0; at < files.length; at += 20) await importFiles(files.slice(at, at + 20));
});
afterAll(async () => {
  await app.close();
  await media.close();
});

async function importFiles(samples: readonly Sample[]): Promise<void> {
  const { id } = (await actor.post('/imports', { duplicatePolicy: 'allow' })).body;
  const parts = samples.map(({ file }) => ({ filename: file, content: bytesOf(file) }));
  expect((await postFiles(actor, id, parts)).status).toBe(201);
  await app.work();
  await actor.post(`/imports/${id}/finalize`);
  await app.work();
  const { data } = (await actor.get(`/imports/${id}?include=photos&limit=100`)).body.photos;
  for (const item of data) items.set(item.filename, item);
}

function request(id: number, options: string) {
  const path = `/img/${key.key.publicId}/${id}/${options}`;
  return app.send({ path: `${path}?sig=${deliverySignature(key.secret, path)}` });
}

async function delivered(id: number, options: string): Promise<Buffer> {
  const answer = await request(id, options);
  expect([options, answer.status]).toEqual([options, 200]);
  return answer.bytes;
}

type Size = readonly [number, number];
type Expected = (photo: Facts) => Size;

/** Scaled down to fit into a box, with the shape of the photo. */
const inside =
  (width: number, height: number): Expected =>
  (photo) => {
    const scale = Math.min(1, width / photo.width, height / photo.height);
    return [photo.width * scale, photo.height * scale];
  };
/** With the shape of the box, and as large as it, unless the photo is smaller. */
const cover =
  (width: number, height: number): Expected =>
  (photo) => {
    const scale = Math.min(1, photo.width / width, photo.height / height);
    return [width * scale, height * scale];
  };
const exactly =
  (width: number, height: number): Expected =>
  () => [width, height];
const ANY = Number.POSITIVE_INFINITY;

/** `auto`: what a client without `Accept` gets. */
const cases: readonly (readonly [string, Format | 'auto', Expected])[] = [
  ['w=64', 'auto', inside(64, ANY)],
  ['w=64,h=64,f=jpeg,q=40', 'jpeg', inside(64, 64)],
  ['h=4096,w=60,fit=inside,f=webp', 'webp', inside(60, 4096)],
  ['w=60,h=40,fit=cover,f=avif', 'avif', cover(60, 40)],
  ['w=20,h=30,fit=cover,g=auto,f=jpeg', 'jpeg', cover(20, 30)],
  ['w=36,h=36,fit=cover,g=center,f=png', 'png', cover(36, 36)],
  ['w=36,h=36,fit=cover,g=focus,f=jpeg', 'jpeg', cover(36, 36)],
  ['w=90,h=30,fit=contain,bg=ff8800,f=jpeg', 'jpeg', exactly(90, 30)],
  ['w=90,h=30,fit=contain,f=webp', 'webp', exactly(90, 30)],
  ['w=90,h=30,fit=fill,f=jpeg', 'jpeg', exactly(90, 30)],
  ['w=30,dpr=2.5,f=webp', 'webp', inside(75, ANY)],
  ['w=64,blur=3,f=jpeg', 'jpeg', inside(64, ANY)],
];

const photos = files.filter(({ expected }) => expected.startsWith('accept'));
const doubtful = files.filter(({ expected }) => expected === 'either' || expected === 'contained');
const refused = files.filter(({ expected }) => expected === 'refuse');
const named = (samples: readonly Sample[]) => samples.map((sample) => [sample.file, sample] as const);

test.each(named(photos))(
  '%s is delivered in every way with the right size, format and transparency, upright and without metadata',
  async (file, sample) => {
    const { id, status } = present(items.get(file));
    expect(status).toBe('imported');
    await expectEveryWay(id, sample);
    await expectUpright(id, sample);
  },
);

test.each(named(doubtful))('%s is delivered in every way, or in none', async (file, sample) => {
  const { id, status } = present(items.get(file));
  if (status === 'imported') await expectEveryWay(id, sample);
  else await expectNoPhoto(id);
});

test.each(named(refused))('%s is delivered in no way', async (file) => {
  const { id = 0, status } = items.get(file) ?? { status: 'rejected' };
  expect(status).not.toBe('imported');
  await expectNoPhoto(id);
});

async function expectNoPhoto(id: number): Promise<void> {
  for (const options of ['w=64', 'f=png', 'w=90,h=30,fit=fill']) {
    const { status, body } = await request(id, options);
    expect([options, status, body.error.code]).toEqual([options, 404, 'not_found']);
  }
}

async function expectEveryWay(id: number, { facts }: Sample): Promise<void> {
  const hasAlpha = facts.alpha ?? false;
  for (const [options, format, sizeOf] of cases) {
    const bytes = await delivered(id, options);
    const actual = format === 'auto' ? (hasAlpha ? 'png' : 'jpeg') : format;
    const header = await sharp(bytes).metadata();
    expect([options, header.format]).toEqual([options, actual === 'avif' ? 'heif' : actual]);
    expectSize(options, header, sizeOf(facts));
    expectNoMetadata(options, header, bytes);
    const isClear = actual !== 'jpeg' && (hasAlpha || options.includes('contain'));
    expect([options, await isSomewhereClear(bytes)]).toEqual([options, isClear]);
  }
}

/** Rounded in either direction; no side is less than a pixel. */
function expectSize(options: string, { width, height }: Metadata, [wide, high]: Size): void {
  const isRounded = (side: number, exact: number) => Math.abs(side - Math.max(1, exact)) < 1;
  expect({ options, width, height, isRight: isRounded(width, wide) && isRounded(height, high) }).toEqual({
    options,
    width,
    height,
    isRight: true,
  });
}

function expectNoMetadata(options: string, header: Metadata, bytes: Buffer): void {
  for (const part of ['exif', 'xmp', 'iptc', 'icc', 'orientation', 'comments'] as const) {
    expect([options, part, header[part]]).toEqual([options, part, undefined]);
  }
  const { exif, xmp, iptc, gps } = ExifReader.load(bytes, { expanded: true });
  expect([exif, xmp, iptc, gps]).toEqual([undefined, undefined, undefined, undefined]);
}

async function isSomewhereClear(bytes: Buffer): Promise<boolean> {
  const { channels, isOpaque } = await sharp(bytes).stats();
  return !isOpaque && (channels.at(-1)?.min ?? 255) < 255;
}

/** Like what sharp itself shows of the file, which turns it as its metadata says. It does not decode HEIC. */
async function expectUpright(id: number, { file, facts }: Sample): Promise<void> {
  if (facts.mime === 'image/heic') return;
  const expected = await pixels(sharp(bytesOf(file)).autoOrient().toColorspace('srgb'));
  const shown = await pixels(sharp(await delivered(id, 'w=32,h=32,fit=fill,f=png')));
  expect(difference(expected, shown)).toBeLessThan(6);
}

test('photos of one scene are the same upright, however their files are turned', async () => {
  const [first, ...others] = await Promise.all(
    photos.filter(({ file }) => file.startsWith('orientation-landscape-')).map(({ file }) => shown(file)),
  );
  const portraits = await Promise.all([3, 6, 8].map((turn) => shown(`orientation-portrait-${turn}.jpg`)));
  expect(others).toHaveLength(7);
  for (const other of others) expect(difference(present(first), other)).toBeLessThan(6);
  for (const other of portraits) expect(difference(present(portraits[0]), other)).toBeLessThan(6);
});

async function shown(file: string): Promise<Buffer> {
  return pixels(sharp(await delivered(present(items.get(file)).id, 'w=32,h=32,fit=fill,f=png')));
}

function pixels(picture: Sharp): Promise<Buffer> {
  return picture.flatten().resize(32, 32, { fit: 'fill' }).raw().toBuffer();
}

/** The mean one of two pictures' values, 0 to 255. */
function difference(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}

test('transparency is flattened on the background that the URL names', async () => {
  const { id } = present(items.get('png-alpha.png'));
  const source = await sharp(bytesOf('png-alpha.png')).ensureAlpha().raw().toBuffer();
  const shown = await delivered(id, 'f=jpeg,bg=2040ff,q=95');
  const flat = await sharp(shown).raw().toBuffer();
  const clear = Array.from({ length: source.length / 4 }, (_, at) => at).filter((at) => source[4 * at + 3] === 0);
  expect(clear.length).toBeGreaterThan(100);
  const means = [0, 1, 2].map(
    (channel) => clear.reduce((sum, at) => sum + (flat[3 * at + channel] ?? 0), 0) / clear.length,
  );
  expect(means).toEqual([0x20, 0x40, 0xff].map((value) => expect.closeTo(value, -1)));
});
