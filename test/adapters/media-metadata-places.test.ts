import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureFacts } from '../../src/core/media/media-reader.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import {
  heifWithExifFarIn,
  jpegWithExifFarIn,
  jpegWithExifInPieces,
  jpegWithIptc,
  pictureWithExif,
  pngWithExif,
  said,
  tiffWithExif,
  webpWithExifInFront,
} from '../support/metadata-places.js';

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

async function factsOf(bytes: Buffer): Promise<PictureFacts> {
  const inspection = await media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels: 210_000_000 });
  if (inspection.outcome === 'refused') throw new Error(inspection.error.message);
  return inspection.facts;
}

const jpeg = () => pictureWithExif().jpeg({ quality: 95 }).toBuffer();
const png = () => pictureWithExif().png({ compressionLevel: 1 }).toBuffer();
const webp = () => pictureWithExif().webp({ quality: 95, effort: 0 }).toBuffer();
const avif = () => pictureWithExif().avif({ quality: 95, effort: 0 }).toBuffer();
const heic = () => readFile(join(__dirname, '../fixtures/photos/iphone7-gps.heic'));

/** Wherever a file says so: in front of its picture, behind it, more than a megabyte in, in several pieces. */
const places: Readonly<Record<string, () => Promise<Buffer> | Buffer>> = {
  'a JPEG, in front': jpeg,
  'a JPEG, far in': async () => jpegWithExifFarIn(await jpeg()),
  'a JPEG, in two segments': async () => jpegWithExifInPieces(await jpeg()),
  'a JPEG, far in and in two segments': async () => jpegWithExifFarIn(jpegWithExifInPieces(await jpeg())),
  'a PNG, in front': png,
  'a PNG, behind': async () => pngWithExif(await png(), 'behind'),
  'a PNG, far in': async () => pngWithExif(await png(), 'far in'),
  'a WebP, in front': async () => webpWithExifInFront(await webp()),
  'a WebP, behind': webp,
  'an AVIF, in front': avif,
  'an AVIF, far in': async () => heifWithExifFarIn(await avif(), { metaBehind: false, inPieces: false }),
  'an AVIF, far in and in two pieces': async () =>
    heifWithExifFarIn(await avif(), { metaBehind: false, inPieces: true }),
  'an AVIF, all of its directory behind': async () =>
    heifWithExifFarIn(await avif(), { metaBehind: true, inPieces: true }),
  'a TIFF, in front': () => tiffWithExif('in front'),
  'a TIFF, behind': () => tiffWithExif('behind'),
};

test.each(Object.entries(places))('camera, lens and time of %s', async (_, file) => {
  const { camera, times } = await factsOf(await file());
  expect(camera).toEqual({ make: said.make, model: said.model, lens: said.lens });
  expect([times.original, times.originalOffset]).toEqual([said.taken, said.offset]);
});

test.each([
  { metaBehind: false, inPieces: false },
  { metaBehind: false, inPieces: true },
  { metaBehind: true, inPieces: true },
])('of a HEIC, far in: %j', async (layout) => {
  const [there, moved] = [await factsOf(await heic()), await factsOf(heifWithExifFarIn(await heic(), layout))];
  expect(moved).toEqual(there);
  expect(moved.camera?.lens).toBe('iPhone 7 back camera 3.99mm f/1.8');
});

test.each([1, 2, 5])('title and time of a JPEG whose IPTC is in %s segments', async (pieces) => {
  const { title, times, camera } = await factsOf(jpegWithIptc(await jpeg(), pieces));
  expect([title, times.iptcCreated]).toEqual(['A title', '2020-01-02T03:04:05+01:00']);
  expect(camera?.make).toBe(said.make);
});
