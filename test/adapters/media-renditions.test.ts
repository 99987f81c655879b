/* @slow @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExifReader from 'exifreader';
import sharp from 'sharp';
import {
  type MediaReader,
  type RenditionFormat,
  type RenditionName,
  renditionSizes,
} from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import type { PhotoWithTags } from '../../src/core/photos/photo.js';
import { downloadRendition } from '../../src/core/photos/renditions/rendition.js';
import { Account, blobsUnder, collected, expectSound, fileOf, type World, world } from '../support/core-world.js';
import { type OpenMedia, openMedia } from '../support/media.js';
import { present } from '../support/tenant.js';

/** Every rendition of photos with a position, from the import to the bytes: none reveals it. */

const photos = join(__dirname, '../fixtures/photos');
const orders = Object.keys(renditionSizes).flatMap((name) =>
  (['jpeg', 'webp'] as const).map((format) => [name as RenditionName, format] as const),
);

let media: OpenMedia;
let ports: World;
let acme: Account;
let renders: number;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());
beforeEach(async () => {
  renders = 0;
  const counting = Object.create(media.reader) as MediaReader;
  counting.sniff = (head) => media.reader.sniff(head);
  counting.inspect = (bytes, bounds) => media.reader.inspect(bytes, bounds);
  counting.render = (bytes, order) => {
    renders += 1;
    return media.reader.render(bytes, order);
  };
  ports = world({ media: counting });
  acme = await Account.open(ports);
});
afterEach(() => expectSound(ports));

async function bring(name: string): Promise<PhotoWithTags> {
  return acme.addPhoto(fileOf(name, await readFile(join(photos, name))));
}

async function rendition(id: number, name: RenditionName, format: RenditionFormat): Promise<Buffer> {
  const { open } = await downloadRendition(ports, acme.caller, id, { name, format });
  return Buffer.from(await collected((await open()).bytes));
}

/** Names of the segments of a JPEG up to its scan (ISO/IEC 10918-1, B.1). */
function jpegSegments(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    expect(bytes[at]).toBe(0xff);
    const marker = present(bytes[at + 1]);
    if (marker === 0xda) return names;
    if (marker >= 0xe0 && marker <= 0xef) names.push(`APP${marker - 0xe0}`);
    else names.push(marker === 0xfe ? 'COM' : 'picture');
  }
  throw new Error('no scan');
}

/** Names of the chunks of a WebP (RFC 9649). */
function webpChunks(bytes: Buffer): string[] {
  expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12)).toBe('RIFFWEBP');
  const names: string[] = [];
  for (let at = 12; at < bytes.length; ) {
    names.push(bytes.toString('latin1', at, at + 4).trim());
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return names;
}

describe.each([
  ['nokia83-gps-offset.jpg', { latitude: 60.1467, words: ['Nokia', 'HMD Global', '2022:08:14'] }],
  ['iphone7-gps.heic', { latitude: 41.2203, words: ['Apple', 'iPhone', '2019:03:21'] }],
])('of %s', (name, { latitude, words }) => {
  test('all sizes in both formats say nothing of where, when and with what it was taken', async () => {
    const photo = await bring(name);
    expect(photo.location?.latitude).toBeCloseTo(latitude, 3);
    const longest = Math.max(photo.width, photo.height);
    for (const [size, format] of orders) {
      const bytes = await rendition(photo.id, size, format);
      const header = await sharp(bytes).metadata();
      expect(header.format).toBe(format);
      expect(Math.max(header.width, header.height)).toBe(Math.min(longest, renditionSizes[size]));
      expect(header.width / header.height).toBeCloseTo(photo.width / photo.height, 1);
      const { exif, xmp, iptc, gps, icc } = ExifReader.load(bytes, { expanded: true });
      expect([exif, xmp, iptc, gps, icc]).toEqual(Array(5).fill(undefined));
      const parts = format === 'jpeg' ? jpegSegments(bytes) : webpChunks(bytes);
      // What is there is the picture, and JFIF's own header, which has nothing but a density.
      const known = ['picture', 'APP0', 'VP8', 'VP8L', 'VP8X', 'ALPH'];
      expect(parts.filter((part) => !known.includes(part))).toEqual([]);
      for (const word of ['Exif\0', 'http://ns.adobe.com', 'Photoshop', '<x:xmpmeta', ...words]) {
        expect([size, format, word, bytes.includes(word)]).toEqual([size, format, word, false]);
      }
    }
    // The thumb was made by the import.
    expect(renders).toBe(orders.length - 1);
    expect(Buffer.from(await acme.original(photo.id))).toEqual(await readFile(join(photos, name)));
  });
});

test('a picture that is smaller than its renditions stays as it is', async () => {
  const photo = await bring('hopper.gif');
  for (const [size, format] of orders) {
    const header = await sharp(await rendition(photo.id, size, format)).metadata();
    expect(header).toMatchObject({ width: photo.width, height: photo.height });
  }
});

test('20 first requests at once decode once; later ones not at all; each gets the same bytes', async () => {
  const { id } = await bring('rating-xmp.jpg');
  const first = await Promise.all(Array.from({ length: 20 }, () => rendition(id, 'medium', 'webp')));
  expect(renders).toBe(1);
  expect(new Set(first.map((bytes) => bytes.toString('base64'))).size).toBe(1);
  expect(await rendition(id, 'medium', 'webp')).toEqual(first[0]);
  expect(renders).toBe(1);
  await Promise.all([rendition(id, 'medium', 'jpeg'), rendition(id, 'small', 'webp')]);
  expect(renders).toBe(3);
});

test('a lost rendition is made again, and so is the thumb of the import', async () => {
  const { id } = await bring('rating-xmp.jpg');
  const kept = await Promise.all([rendition(id, 'thumb', 'jpeg'), rendition(id, 'small', 'jpeg')]);
  expect(renders).toBe(1);
  const stored = (await blobsUnder(ports.blobs, 'renditions/')).map((line) => line.split(' ')[0]);
  expect(stored).toHaveLength(2);
  await ports.blobs.delete(stored as Parameters<typeof ports.blobs.delete>[0][number][]);
  const again = await Promise.all([rendition(id, 'thumb', 'jpeg'), rendition(id, 'small', 'jpeg')]);
  expect(renders).toBe(3);
  expect(again).toEqual(kept);
  expect(await blobsUnder(ports.blobs, 'renditions/')).toHaveLength(2);
});

test('a photo that is turned has renditions that are turned, each way its own', async () => {
  const photo = await bring('orientation-landscape-6.jpg');
  const small = async (picture: Buffer, turn = 0) =>
    sharp(await sharp(picture).rotate(turn).png().toBuffer())
      .resize(16, 16, { fit: 'fill' })
      .removeAlpha()
      .raw()
      .toBuffer();
  const apart = (a: Buffer, b: Buffer) =>
    a.reduce((sum, value, index) => sum + Math.abs(value - present(b[index])), 0) / a.length;
  const lying = await small(await rendition(photo.id, 'small', 'jpeg'));
  for (const rotation of [90, 180, 270] as const) {
    await editPhoto(ports, acme.caller, photo.id, { rotation });
    for (const name of ['thumb', 'small'] as const) {
      const turned = await rendition(photo.id, name, 'jpeg');
      expect(apart(await small(turned, 360 - rotation), lying)).toBeLessThan(6);
      expect(apart(await small(turned), lying)).toBeGreaterThan(10);
    }
  }
  const made = renders;
  await editPhoto(ports, acme.caller, photo.id, { rotation: 0 });
  expect(await small(await rendition(photo.id, 'small', 'jpeg'))).toEqual(lying);
  expect(renders).toBe(made);
});

test('a picture that is a file is copied from there, and read once the file is gone', async () => {
  const path = join(photos, 'hopper.gif');
  const bytes = await readFile(path);
  const order = { ...within(320, 'jpeg'), rotation: 0, customerId: 1 };
  let reads = 0;
  const source = (file: string) => ({
    file: async () => file,
    async *[Symbol.asyncIterator]() {
      reads += 1;
      yield bytes;
    },
  });
  const there = await media.reader.render(source(path), order);
  expect(reads).toBe(0);
  const gone = await media.reader.render(source(`${path}.gone`), order);
  expect(reads).toBe(1);
  expect(there?.bytes).toEqual(gone?.bytes);
  expect(await readFile(path)).toEqual(bytes);
});
