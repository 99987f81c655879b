/* @rest */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { PictureFacts } from '../../src/core/media/media-reader.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import {
  heifWithExifFarIn,
  jpegWithExifFarIn,
  jpegWithExifInPieces,
  jpegWithIptc,
  pictureWithExif,
  pngWithExif,
  pngWithText,
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

/** Encoded once; each caller has bytes of its own. */
function once(encode: () => Promise<Buffer>): () => Promise<Buffer> {
  let encoded: Promise<Buffer> | undefined;
  return async () => {
    encoded ??= encode();
    return Buffer.from(await encoded);
  };
}

const jpeg = once(() => pictureWithExif().jpeg({ quality: 95 }).toBuffer());
const png = once(() => pictureWithExif().png({ compressionLevel: 1 }).toBuffer());
const webp = once(() => pictureWithExif().webp({ quality: 95, effort: 0 }).toBuffer());
const avif = once(() => pictureWithExif().avif({ quality: 95, effort: 0 }).toBuffer());
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

let unmoved: Promise<PictureFacts> | undefined;

test.each([
  { metaBehind: false, inPieces: false },
  { metaBehind: false, inPieces: true },
  { metaBehind: true, inPieces: true },
])('of a HEIC, far in: %j', async (layout) => {
  unmoved ??= heic().then(factsOf);
  const moved = await factsOf(heifWithExifFarIn(await heic(), layout));
  expect(moved).toEqual(await unmoved);
  expect(moved.camera?.lens).toBe('iPhone 7 back camera 3.99mm f/1.8');
});

test('metadata of a JPEG are the same behind a comment so long that another thread reads them', async () => {
  const folder = join(__dirname, '../fixtures/photos');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg'));
  expect(names.length).toBeGreaterThan(20);
  const comment = Buffer.alloc(2 + 0xffff, 'x');
  comment.writeUInt32BE(0xfffe_ffff);
  const facts = async (jpeg: Buffer) => {
    const inspection = await media.reader.inspect(bytesOf(jpeg), { customerId: 1, maxPixels: 210_000_000 });
    if (inspection.outcome === 'refused') return inspection.error.code;
    // A film is behind the picture, which is moved by the comment.
    const { companion: _, ...facts } = inspection.facts;
    return facts;
  };
  for (const name of names) {
    const jpeg = await readFile(join(folder, name));
    // Others have the ending only.
    if (!jpeg.subarray(0, 2).equals(Buffer.from([0xff, 0xd8]))) continue;
    const behind = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
    expect([name, await facts(behind)]).toEqual([name, await facts(jpeg)]);
  }
});

test.each([1, 2, 5])('title and time of a JPEG whose IPTC is in %s segments', async (pieces) => {
  const { title, times, camera } = await factsOf(jpegWithIptc(await jpeg(), pieces));
  expect([title, times.iptcCreated]).toEqual(['A title', '2020-01-02T03:04:05+01:00']);
  expect(camera?.make).toBe(said.make);
});

/** What ImageMagick and others write before a picture: `exif` and the like, its number of bytes, and 36 bytes in digits on each line. */
function rawProfile(name: string, bytes: Buffer): Buffer {
  const lines = bytes.toString('hex').match(/.{1,72}/g) ?? [];
  return Buffer.from(`\n${name}\n${String(bytes.length).padStart(8)}\n${lines.join('\n')}\n`, 'latin1');
}

const packet = `<?xpacket begin=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
  <rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:xmp='http://ns.adobe.com/xap/1.0/' tiff:Make='Phase One'
    tiff:Model='IQ4' xmp:CreateDate='2019-05-05T11:12:13'/></rdf:RDF></x:xmpmeta><?xpacket end='w'?>`;
const byXmp = { make: 'Phase One', model: 'IQ4', lens: null };
const plainPng = () =>
  sharp({ create: { width: 32, height: 32, channels: 3, background: '#777' } })
    .png()
    .toBuffer();

test.each(['tEXt', 'zTXt', 'iTXt', 'iTXt, compressed'])(
  'a raw profile with EXIF in %s of a PNG, also behind',
  async (kind) => {
    const exif = (await sharp(await jpeg()).metadata()).exif ?? Buffer.alloc(0);
    for (const place of ['in front', 'behind'] as const) {
      const bytes = pngWithText(await plainPng(), kind, 'Raw profile type exif', rawProfile('exif', exif), place);
      const { camera, times } = await factsOf(bytes);
      expect([camera?.make, times.original]).toEqual([said.make, said.taken]);
    }
  },
);

test('raw profiles with IPTC and with XMP of a PNG, and XMP as APP1', async () => {
  const iptc = Buffer.concat([
    Buffer.from('8BIM\x04\x04\0\0\0\0\0\x0c', 'latin1'),
    Buffer.from('\x1c\x02\x05\0\x07A title', 'latin1'),
  ]);
  const withIptc = pngWithText(await plainPng(), 'zTXt', 'Raw profile type iptc', rawProfile('iptc', iptc), 'in front');
  expect((await factsOf(withIptc)).title).toBe('A title');
  const app1 = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${packet}`, 'latin1');
  for (const [name, bytes] of [
    ['xmp', Buffer.from(packet)],
    ['APP1', app1],
  ] as const) {
    const png = pngWithText(await plainPng(), 'zTXt', `Raw profile type ${name}`, rawProfile(name, bytes), 'behind');
    const { camera, times } = await factsOf(png);
    expect([camera, times.xmpDigitized]).toEqual([byXmp, '2019-05-05T11:12:13']);
  }
});

test.each([
  ['the element of older programs', packet.replaceAll('x:xmpmeta', 'x:xapmeta')],
  ['another prefix', packet.replaceAll('x:xmpmeta', 'adobe:xmpmeta').replace('xmlns:x=', 'xmlns:adobe=')],
  ['no element', packet.replace(/<\/?x:xmpmeta[^>]*>/g, '')],
  ['the rest of a longer packet behind', `${packet}\n</rdf:RDF></x:xmpmeta><?xpacket end='r'?>`],
])('XMP with %s around it', async (_, xmp) => {
  const png = pngWithText(await plainPng(), 'iTXt', 'XML:com.adobe.xmp', Buffer.from(xmp), 'in front');
  expect((await factsOf(png)).camera).toEqual(byXmp);
});

test('a text chunk that inflates to more than any metadata, or is malformed, costs the metadata and not the picture', async () => {
  for (const [kind, bytes] of [
    ['zTXt', Buffer.alloc(50_000_000)],
    ['tEXt', Buffer.from('\nexif\nmany\nzz')],
    ['tEXt', Buffer.alloc(0)],
  ] as const) {
    const png = pngWithText(await plainPng(), kind, 'Raw profile type exif', bytes, 'in front');
    expect((await factsOf(png)).camera).toBeNull();
  }
});
