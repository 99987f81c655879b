import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExifReader from 'exifreader';
import sharp from 'sharp';
import { commandLine } from '../../src/core/audit/actor.js';
import { createDeliveryKey, type DeliveryKeyWithSecret } from '../../src/core/delivery/create-delivery-key.js';
import { deliverySignature } from '../../src/core/delivery/delivery-signature.js';
import { type OpenMedia, openMedia } from '../support/media.js';
import { importPhotos } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Delivery of real files by their real reader. */
let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
let key: DeliveryKeyWithSecret;
beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
  actor = await app.customer();
  const { customerId } = actor;
  key = await createDeliveryKey(
    app.ports,
    { customerId, actor: commandLine },
    { name: 'site', presetsOnly: false, expiresAt: null },
  );
});
afterAll(async () => {
  await app.close();
  await media.close();
});

async function photoOf(name: string): Promise<{ id: number; width: number; height: number }> {
  const content = await readFile(join(__dirname, '../fixtures/photos', name));
  return (await importPhotos(app, actor, [{ filename: name, content }]))[0];
}

async function delivered(id: number, options: string): Promise<Buffer> {
  const path = `/img/${key.key.publicId}/${id}/${options}`;
  const answer = await app.send({ path: `${path}?sig=${deliverySignature(key.secret, path)}` });
  expect([options, answer.status]).toEqual([options, 200]);
  return answer.bytes;
}

type Size = readonly [number, number];
type Photo = { readonly width: number; readonly height: number };

/** Scaled to this width. */
const wide = (width: number) => (photo: Photo) => [width, Math.round((photo.height * width) / photo.width)] as const;
const exactly = (width: number, height: number) => () => [width, height] as const;
/** As large as fits into a square. */
const within =
  (side: number) =>
  ({ width, height }: Photo): Size => {
    const scale = side / Math.max(width, height);
    return [Math.round(width * scale), Math.round(height * scale)];
  };

const cases: readonly (readonly [string, 'jpeg' | 'webp' | 'avif' | 'png', (photo: Photo) => Size])[] = [
  ['w=64', 'jpeg', wide(64)],
  ['w=64,h=64,f=jpeg,q=40', 'jpeg', within(64)],
  ['h=4096,w=60,fit=inside,f=webp', 'webp', wide(60)],
  ['w=60,h=40,fit=cover,f=avif', 'avif', exactly(60, 40)],
  ['w=20,h=30,fit=cover,g=auto,f=jpeg', 'jpeg', exactly(20, 30)],
  ['w=36,h=36,fit=cover,g=center,f=png', 'png', exactly(36, 36)],
  ['w=36,h=36,fit=cover,g=focus,f=jpeg', 'jpeg', exactly(36, 36)],
  ['w=90,h=30,fit=contain,bg=ff8800,f=jpeg', 'jpeg', exactly(90, 30)],
  ['w=90,h=30,fit=contain,f=webp', 'webp', exactly(90, 30)],
  ['w=90,h=30,fit=fill,f=jpeg', 'jpeg', exactly(90, 30)],
  ['w=30,dpr=2.5,f=webp', 'webp', wide(75)],
  ['w=64,blur=3,f=jpeg', 'jpeg', wide(64)],
];

/** Each kind of file that is read in a way of its own, with orientations that are read in different places. */
const sources: readonly (readonly [string, boolean])[] = [
  ['orientation-landscape-6.jpg', false],
  ['orientation-portrait-8.jpg', false],
  ['cmyk.jpg', false],
  ['grayscale.jpg', false],
  ['png-alpha.png', true],
  ['webp-orientation-6.webp', false],
  ['hopper.gif', false],
  ['tiff-16bit.tiff', false],
  ['avif-irot.avif', false],
  ['iphone7-gps.heic', false],
];

test.each(sources)('%s in every way: size, format, upright, no metadata, transparency', async (name, hasAlpha) => {
  const photo = await photoOf(name);
  for (const [options, format, sizeOf] of cases) {
    const bytes = await delivered(photo.id, options.includes('f=') || !hasAlpha ? options : `${options},f=jpeg`);
    const header = await sharp(bytes).metadata();
    expect([options, header.format]).toEqual([options, format === 'avif' ? 'heif' : format]);
    const [width, height] = sizeOf(photo);
    expect([options, header.width, Math.abs(header.height - height) <= 1]).toEqual([options, width, true]);
    for (const part of ['exif', 'xmp', 'iptc', 'icc', 'orientation', 'comments'] as const) {
      expect([options, part, header[part]]).toEqual([options, part, undefined]);
    }
    const { exif, xmp, iptc, gps } = ExifReader.load(bytes, { expanded: true });
    expect([exif, xmp, iptc, gps]).toEqual([undefined, undefined, undefined, undefined]);
    const isClear = format !== 'jpeg' && (hasAlpha || options.includes('contain'));
    expect([options, await isSomewhereClear(bytes)]).toEqual([options, isClear]);
  }
});

async function isSomewhereClear(bytes: Buffer): Promise<boolean> {
  const { channels, isOpaque } = await sharp(bytes).stats();
  return !isOpaque && (channels.at(-1)?.min ?? 255) < 255;
}

test('the same picture upright, however its file says so', async () => {
  const [one, other] = [await photoOf('orientation-landscape-1.jpg'), await photoOf('orientation-landscape-5.jpg')];
  const pixels = async (id: number) =>
    sharp(await delivered(id, 'w=32,f=png'))
      .removeAlpha()
      .raw()
      .toBuffer();
  const [a, b] = [await pixels(one.id), await pixels(other.id)];
  const difference = a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
  expect(difference).toBeLessThan(6);
});
