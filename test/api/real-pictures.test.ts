/* @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExifReader from 'exifreader';
import sharp from 'sharp';
import { type OpenMedia, openMedia } from '../support/media.js';
import { film, motionPhoto } from '../support/motion-photos.js';
import { preview, rawFile } from '../support/raw-files.js';
import { BrowserClient } from './support/browser-client.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** The API with the reader of real files. */
let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
const known = new Map<string, Promise<number>>();
beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
  actor = await app.customer();
});
afterAll(async () => {
  await app.close();
  await media.close();
});

const file = (name: string) => readFile(join(__dirname, '../fixtures/photos', name));

/** The id of a file's photo, which is imported at its first use. */
function idOf(name: string): Promise<number> {
  const id =
    known.get(name) ??
    file(name).then(async (content) => (await importPhotos(app, actor, [{ filename: name, content }]))[0].id);
  known.set(name, id);
  return id;
}
const photo = async (name: string, query = '') => (await actor.get(`/photos/${await idOf(name)}${query}`)).body;
const download = async (name: string, query = ''): Promise<Answer> =>
  actor.get(`/photos/${await idOf(name)}/download${query}`);

test('a viewer gets all pixels of a file that browsers cannot display, and of a photo that was turned', async () => {
  const browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'viewer');
  const id = await idOf('iphone7-gps.heic');
  const full = async () => {
    const { bytes } = await browser.get(`/settings/photos/${id}/full`);
    const { format, width, height } = await sharp(bytes).metadata();
    return [format, width, height];
  };
  const address = async () => {
    const { text } = await browser.get(`/settings/library/tiles?ids=${id},${await idOf('cyclamen.jpg')}`);
    return [...text.matchAll(/data-original="([^"]+)"/g)].map(([, path]) => path);
  };
  expect(await address()).toEqual(expect.arrayContaining([`/settings/photos/${id}/full`]));
  expect(await full()).toEqual(['jpeg', 4032, 3024]);
  await actor.patch(`/photos/${id}`, { rotation: 90 });
  expect(await full()).toEqual(['jpeg', 3024, 4032]);
  await actor.patch(`/photos/${id}`, { rotation: 0 });
});

describe('the metadata of a file', () => {
  test('gives camera, exposure, location and time in their units', async () => {
    expect(await photo('iphone7-gps.heic')).toMatchObject({
      contentType: 'image/heic',
      width: 4032,
      height: 3024,
      takenAt: '2019-03-21T16:04:22.348Z',
      takenAtLocal: '2019-03-21T11:04:22.348',
      timeZone: '-05:00',
      takenAtSource: 'gps_time',
      location: {
        latitude: expect.closeTo(41.2203, 4),
        longitude: expect.closeTo(-96.0716, 4),
        altitude: expect.closeTo(351.27, 2),
      },
      camera: { make: 'Apple', model: 'iPhone 7', lens: 'iPhone 7 back camera 3.99mm f/1.8' },
      exposure: {
        iso: 20,
        fNumber: 1.8,
        exposureTime: '1/887',
        focalLength: 3.99,
        focalLength35mm: 28,
        flash: false,
      },
      rating: null,
      damaged: false,
      thumbhash: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      dominantColor: expect.stringMatching(/^#[0-9a-f]{6}$/),
      phash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  test('gives the "display dimensions (after orientation + rotation)"', async () => {
    const upright = await photo('orientation-portrait-6.jpg');
    expect(upright.orientation).toBe(6);
    expect(upright.height).toBeGreaterThan(upright.width);
    const turned = (await actor.patch(`/photos/${upright.id}`, { rotation: 90 })).body;
    expect([turned.width, turned.height]).toEqual([upright.height, upright.width]);
    await actor.patch(`/photos/${upright.id}`, { rotation: 0 });
  });

  test('gives the rating "initial: XMP rating"', async () => {
    expect((await photo('rating-xmp.jpg')).rating).toBe(3);
  });

  test('exif: "flat map of extracted tags, no maker notes, ≤ 64 KiB", for GET of one alone', async () => {
    for (const name of ['iphone7-gps.heic', 'date-priority.jpg', 'nokia83-gps-offset.jpg']) {
      const { exif, ...rest } = await photo(name, '?include=exif');
      expect(rest).toEqual(await photo(name));
      expect(Object.keys(exif).length).toBeGreaterThan(5);
      for (const [tag, value] of Object.entries(exif)) {
        expect([tag, ['string', 'number'].includes(typeof value)]).toEqual([tag, true]);
        expect(tag).not.toMatch(/maker\s*note/i);
      }
      expect(Buffer.byteLength(JSON.stringify(exif))).toBeLessThanOrEqual(64 * 1024);
    }
  });

  test('a file without tags has an empty exif', async () => {
    expect((await photo('png-plot.png', '?include=exif')).exif).toEqual({});
  });
});

describe('GET /photos/{id}/download of real files', () => {
  const originals = [
    'iphone7-gps.heic',
    'png-alpha.png',
    'gps-west.jpg',
    'hopper.gif',
    'tiff-16bit.tiff',
    'avif-irot.avif',
  ];

  test.each(originals)('"Original: byte-exact": %s', async (name) => {
    const bytes = await file(name);
    const answer = await download(name);
    expect([answer.status, sha256(answer.bytes), answer.headers['content-type']]).toEqual([
      200,
      sha256(bytes),
      (await photo(name)).contentType,
    ]);
  });

  test('a raw file is downloaded byte for byte, and displayed by its preview', async () => {
    const content = rawFile('dng', { preview: await preview(), orientation: 6 });
    const [{ id }] = await importPhotos(app, actor, [{ filename: 'L1000001.DNG', content }]);
    expect((await actor.get(`/photos/${id}`)).body).toMatchObject({
      contentType: 'image/x-adobe-dng',
      width: 600,
      height: 800,
      orientation: 6,
      takenAt: '2024-05-06T05:08:09.000Z',
    });
    const original = await actor.get(`/photos/${id}/download`);
    expect([sha256(original.bytes), original.headers['content-type']]).toEqual([sha256(content), 'image/x-adobe-dng']);
    expect(original.headers['content-disposition']).toContain('filename="L1000001.DNG"');
    const rendition = await actor.get(`/photos/${id}/download?rendition=small`);
    expect(await sharp(rendition.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 480, height: 640 });
    expect((await actor.get('/photos?contentType=image/x-adobe-dng')).body.data).toMatchObject([{ id }]);
  });

  test('a range of a motion photo is its film', async () => {
    const content = await motionPhoto(film());
    const [{ id }] = await importPhotos(app, actor, [{ filename: 'MP.jpg', content }]);
    const { companion, ...rest } = (await actor.get(`/photos/${id}`)).body;
    expect(companion).toEqual({
      type: 'video',
      contentType: 'video/mp4',
      offset: content.length - film().length,
      sizeBytes: film().length,
    });
    expect(rest).toMatchObject({ contentType: 'image/jpeg', width: 700, damaged: false });
    const range = `bytes=${companion.offset}-${companion.offset + companion.sizeBytes - 1}`;
    const answer = await actor.get(`/photos/${id}/download`, { range });
    expect([answer.status, answer.bytes.equals(film())]).toEqual([206, true]);
  });

  const longest = { thumb: 320, small: 640, medium: 1280, large: 2560 };
  const pictures = [
    'orientation-landscape-6.jpg',
    'png-alpha.png',
    'iphone7-gps.heic',
    'webp-orientation-6.webp',
    'hopper.gif',
  ];

  test.each(pictures)('renditions of %s: "longest side, never enlarged", upright', async (name) => {
    const { width, height } = await photo(name);
    for (const [rendition, side] of Object.entries(longest)) {
      const answer = await download(name, `?rendition=${rendition}&format=jpeg`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/jpeg']);
      const header = await sharp(answer.bytes).metadata();
      expect(Math.max(header.width, header.height)).toBe(Math.min(side, Math.max(width, height)));
      expect(header.width / header.height).toBeCloseTo(width / height, 1);
    }
  });

  test.each(pictures)('renditions of %s: "sRGB, no metadata at all (no GPS leak)"', async (name) => {
    for (const query of ['?rendition=thumb', '?rendition=medium&format=webp', '?rendition=small&format=jpeg']) {
      const { bytes } = await download(name, query);
      const header = await sharp(bytes).metadata();
      expect(header.space).toBe('srgb');
      for (const part of ['exif', 'xmp', 'iptc', 'icc', 'orientation', 'comments'] as const) {
        expect([part, header[part]]).toEqual([part, undefined]);
      }
      const { exif, xmp, iptc, gps } = ExifReader.load(bytes, { expanded: true });
      expect([exif, xmp, iptc, gps]).toEqual([undefined, undefined, undefined, undefined]);
    }
  });

  test('"default jpeg; a source with alpha → webp"; asked for, jpeg has no alpha', async () => {
    const types = async (name: string) =>
      Promise.all(
        ['', '&format=jpeg', '&format=webp'].map(async (format) => {
          const { headers, bytes } = await download(name, `?rendition=small${format}`);
          return [headers['content-type'], (await sharp(bytes).metadata()).hasAlpha];
        }),
      );
    expect(await types('png-alpha.png')).toEqual([
      ['image/webp', true],
      ['image/jpeg', false],
      ['image/webp', true],
    ]);
    expect(await types('gps-west.jpg')).toEqual([
      ['image/jpeg', false],
      ['image/jpeg', false],
      ['image/webp', false],
    ]);
  });

  test('a rotation is in the rendition and never in the original', async () => {
    const name = 'gps-west.jpg';
    const { id, width, height, sha256: hash } = await photo(name);
    await actor.patch(`/photos/${id}`, { rotation: 270 });
    const answer = await download(name, '?rendition=small');
    const turned = await sharp(answer.bytes).metadata();
    expect(turned.width > turned.height).toBe(height > width);
    expect(answer.headers.etag).toContain('-r270"');
    expect(sha256((await download(name)).bytes)).toBe(hash);
    await actor.patch(`/photos/${id}`, { rotation: 0 });
  });
});
