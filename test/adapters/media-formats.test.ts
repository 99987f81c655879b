/* @rest */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { gifHead } from '../../src/adapters/media/formats/embedded-metadata.js';
import { inMemory } from '../../src/adapters/media/formats/file-bytes.js';
import { writePixelTiff } from '../../src/adapters/media/scaled-picture.js';
import { acceptedFormats } from '../../src/core/media/formats.js';
import type { PictureFacts, RenderedPicture } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { withChunk } from '../support/png.js';

/** Pictures made here, for what no file of the fixtures has. */

const plenty = { customerId: 1, maxPixels: 210_000_000 };
let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const inspect = (bytes: Uint8Array, bounds = plenty) => media.reader.inspect(bytesOf(bytes), bounds);

async function pictureIn(bytes: Uint8Array): Promise<{ facts: PictureFacts; thumb: RenderedPicture }> {
  const inspection = await inspect(bytes);
  if (inspection.outcome === 'refused') throw new Error(`${inspection.error.code}: ${inspection.error.message}`);
  return inspection;
}

/** 400 × 300, red, with a blue left upper quarter. */
const made = () =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: '#ff0000' } }).composite([
    { input: { create: { width: 200, height: 150, channels: 3, background: '#0000ff' } }, left: 0, top: 0 },
  ]);

/** Which corner is blue. */
async function blueCorner(picture: Uint8Array): Promise<string> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const isBlue = (x: number, y: number) => (data[(y * info.width + x) * 3 + 2] ?? 0) > 128;
  const [right, bottom] = [info.width - 5, info.height - 5];
  const corners = {
    'left top': isBlue(5, 5),
    'right top': isBlue(right, 5),
    'left bottom': isBlue(5, bottom),
    'right bottom': isBlue(right, bottom),
  };
  return Object.entries(corners)
    .filter(([, blue]) => blue)
    .map(([name]) => name)
    .join(', ');
}

describe('orientation', () => {
  test.each(['jpeg', 'png', 'webp', 'tiff'] as const)('of EXIF counts in %s', async (format) => {
    const { facts, thumb } = await pictureIn(await made().withMetadata({ orientation: 6 }).toFormat(format).toBuffer());
    expect(facts).toMatchObject({ contentType: `image/${format}`, width: 300, height: 400, orientation: 6 });
    expect(await blueCorner(thumb.bytes)).toBe('right top');
  });

  test('of EXIF does not count in AVIF, where the container decides', async () => {
    const avif = await made()
      .withExif({ IFD0: { Make: 'Maker', Orientation: '1' } })
      .avif({ effort: 0 })
      .toBuffer();
    // The entry of the tag: 0x0112, one SHORT.
    const entry = avif.indexOf(Buffer.from('120103000100000001', 'hex'));
    expect(entry).toBeGreaterThan(0);
    avif[entry + 8] = 6;
    const { facts, thumb } = await pictureIn(avif);
    expect(facts).toMatchObject({ width: 400, height: 300, orientation: 1, exif: { Orientation: 6 } });
    expect(await blueCorner(thumb.bytes)).toBe('left top');
    const rendered = await media.reader.render(bytesOf(avif), {
      customerId: 1,
      ...within(100, 'jpeg'),
      rotation: 0,
    });
    expect(await blueCorner(rendered?.bytes ?? new Uint8Array())).toBe('left top');
  });

  test('by the container counts in AVIF', async () => {
    const { facts, thumb } = await pictureIn(
      await made().withMetadata({ orientation: 6 }).avif({ effort: 0 }).toBuffer(),
    );
    expect(facts).toMatchObject({ width: 300, height: 400, orientation: 1 });
    expect(await blueCorner(thumb.bytes)).toBe('right top');
  });

  test.each([0, 9])('%s does not exist', async (written) => {
    const jpeg = await made()
      .withExif({ IFD0: { Make: 'Maker' } })
      .withMetadata({ orientation: 1 })
      .jpeg()
      .toBuffer();
    const entry = jpeg.indexOf(Buffer.from('120103000100000001', 'hex'));
    expect(entry).toBeGreaterThan(0);
    jpeg[entry + 8] = written;
    expect((await pictureIn(jpeg)).facts).toMatchObject({ width: 400, height: 300, orientation: 1 });
  });
});

describe('colour', () => {
  const grey = { width: 64, height: 64, channels: 3 as const, background: '#808080' };
  test.each<[string, () => Promise<Buffer>]>([
    ['16 bits', () => sharp({ create: grey }).toColourspace('rgb16').png().toBuffer()],
    ['16 bits of grey', () => sharp({ create: grey }).toColourspace('grey16').png().toBuffer()],
    ['8 bits of grey', () => sharp({ create: grey }).greyscale().jpeg().toBuffer()],
    ['a palette', () => sharp({ create: grey }).png({ palette: true }).toBuffer()],
    ['CMYK', () => sharp({ create: grey }).toColourspace('cmyk').tiff().toBuffer()],
    ['Lab', () => sharp({ create: grey }).toColourspace('lab').tiff().toBuffer()],
    ['Display P3', () => sharp({ create: grey }).withIccProfile('p3').jpeg().toBuffer()],
  ])('of %s comes out as sRGB of 8 bits', async (_, make) => {
    const { facts, thumb } = await pictureIn(await make());
    const header = await sharp(thumb.bytes).metadata();
    expect(header).toMatchObject({ space: 'srgb', depth: 'uchar', channels: 3, hasProfile: false });
    const { channels } = await sharp(thumb.bytes).stats();
    for (const { mean } of channels) expect(Math.abs(mean - 128)).toBeLessThan(16);
    expect(facts.alpha).toBe(false);
  });

  test('of grey with alpha keeps the alpha', async () => {
    const picture = { width: 64, height: 64, channels: 4 as const, background: { r: 90, g: 90, b: 90, alpha: 0.5 } };
    const { facts, thumb } = await pictureIn(await sharp({ create: picture }).greyscale().png().toBuffer());
    expect([facts.alpha, thumb.contentType]).toEqual([true, 'image/webp']);
  });

  test('that a HEIC has is converted: its pixels go on with their profile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phs-pixels-'));
    try {
      const { icc } = await sharp(await sharp({ create: grey }).withIccProfile('p3').jpeg().toBuffer()).metadata();
      const row = Buffer.alloc(100 * 3, Buffer.from([200, 60, 60]));
      const pixels = { width: 100, height: 130, channels: 3 as const, row: () => row };
      await writePixelTiff(join(folder, 'plain.tif'), pixels, undefined);
      await writePixelTiff(join(folder, 'p3.tif'), pixels, icc);
      const colourOf = async (name: string) => {
        const { facts, thumb } = await pictureIn(await readFile(join(folder, name)));
        expect(facts).toMatchObject({ contentType: 'image/tiff', width: 100, height: 130, damaged: false });
        return (await sharp(thumb.bytes).stats()).channels.map(({ mean }) => Math.round(mean));
      };
      const [plain, converted] = [await colourOf('plain.tif'), await colourOf('p3.tif')];
      expect(Math.abs((plain[0] ?? 0) - 200)).toBeLessThan(4);
      // The same numbers mean a stronger red in the wider space.
      expect((converted[0] ?? 0) - (plain[0] ?? 0)).toBeGreaterThan(8);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('size', () => {
  const strip = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
      .png()
      .toBuffer();

  test('of one pixel by many is accepted', async () => {
    const { facts, thumb } = await pictureIn(await strip(1, 65_500));
    expect(facts).toMatchObject({ width: 1, height: 65_500 });
    expect(await sharp(thumb.bytes).metadata()).toMatchObject({ width: 1, height: 320 });
  });

  test('beyond the longest allowed side is refused, although there are few pixels', async () => {
    expect(await inspect(await strip(65_501, 1))).toMatchObject({ error: { code: 'too_many_pixels' } });
  });

  test('of a HEIC is bounded before it is decoded', async () => {
    const heic = await readFile(join(__dirname, '../fixtures/photos/iphone7-gps.heic'));
    expect(await inspect(heic, { customerId: 1, maxPixels: 4032 * 3024 - 1 })).toMatchObject({
      error: { code: 'too_many_pixels' },
    });
  });

  test('of a GIF is that of its first frame too, behind whatever extensions', async () => {
    const header = Buffer.from('47494638396120002000800000ffffff000000', 'hex');
    const comment = Buffer.from('21fe03616263026465002c', 'hex');
    const frame = Buffer.from('000000003412785600', 'hex');
    const frameIn = async (...parts: Buffer[]) => (await gifHead(inMemory(Buffer.concat(parts)))).frame;
    expect(await frameIn(header, comment, frame)).toEqual({ width: 0x1234, height: 0x5678 });
    expect(await frameIn(header, comment)).toBeUndefined();
    expect(await frameIn(header.subarray(0, 12))).toBeUndefined();
  });
});

describe('the type', () => {
  /** A TIFF of one directory, whose entries are SHORTs. */
  const tiff = (...tags: [tag: number, value: number][]) => {
    const bytes = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
    bytes.write('II*\0', 'latin1');
    bytes.writeUInt32LE(8, 4);
    bytes.writeUInt16LE(tags.length, 8);
    tags.forEach(([tag, value], index) => {
      const at = 10 + index * 12;
      bytes.writeUInt16LE(tag, at);
      bytes.writeUInt16LE(3, at + 2);
      bytes.writeUInt32LE(1, at + 4);
      bytes.writeUInt16LE(value, at + 8);
    });
    return Buffer.concat([bytes, Buffer.alloc(64)]);
  };
  const ftyp = (brand: string) =>
    Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from(`ftyp${brand}\0\0\0\0mif1${brand}`)]);

  test.each<[string, Uint8Array, string]>([
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj'), 'not_an_image'],
    ['PostScript', Buffer.from('%!PS-Adobe-3.0 EPSF-3.0\n'), 'not_an_image'],
    ['SVG without a declaration', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not_an_image'],
    ['MVG', Buffer.from("push graphic-context\nimage over 0,0 0,0 'https://localhost/x'\n"), 'not_an_image'],
    ['a zip', Buffer.from('504b0304140000000000', 'hex'), 'not_an_image'],
    ['BMP', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]), 'unsupported_format'],
    ['PSD', Buffer.concat([Buffer.from('8BPS\0\x01'), Buffer.alloc(60)]), 'unsupported_format'],
    ['a video', ftyp('isom'), 'unsupported_format'],
    ['a CR3', ftyp('crx '), 'unsupported_format'],
    ['a DNG', tiff([254, 1], [50_706, 4]), 'unsupported_format'],
    ['a raw TIFF of sensor data', tiff([259, 1], [262, 32_803]), 'unsupported_format'],
    ['a raw TIFF that shows a preview first', tiff([254, 1], [259, 6], [330, 1000]), 'unsupported_format'],
    ['a raw TIFF compressed as Nikon does', tiff([259, 34_713]), 'unsupported_format'],
    ['a plain TIFF without a picture', tiff([254, 0], [259, 1]), 'decode_failed'],
    ['a HEIC without a picture', ftyp('heic'), 'decode_failed'],
    ['an AVIF without a picture', ftyp('avif'), 'decode_failed'],
    ['the first bytes of a JPEG', Buffer.from('ffd8ffe000104a46494600010100', 'hex'), 'decode_failed'],
  ])('%s is refused', async (_, bytes, code) => {
    expect(await inspect(bytes)).toMatchObject({ outcome: 'refused', error: { code } });
    expect((await media.reader.sniff(bytes)).kind === 'not_an_image').toBe(code === 'not_an_image');
  });

  test.each([
    ['CRW', Buffer.from('II\x1a\0\0\0HEAPCCDR\x02\0\x01\0', 'latin1')],
    ['X3F', Buffer.from('FOVb\0\0\x02\0', 'latin1')],
    ['MRW', Buffer.from('\0MRM\0\x01\0\0', 'latin1')],
    ['IIQ', Buffer.from('II*\0\x08\0\0\0IIIITwaR', 'latin1')],
    ['EXR', Buffer.from('762f310102000000', 'hex')],
    ['HDR', Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n')],
    ['TGA', Buffer.from('000002000000000000000000080006001820', 'hex')],
    ['JPEG 2000', Buffer.from('0000000c6a5020200d0a870a', 'hex')],
    ['JPEG-LS', Buffer.from('ffd8fff7000b08', 'hex')],
    ['PSD', Buffer.from('8BPS\0\x01', 'latin1')],
    ['AVCI', ftyp('avci')],
  ])('%s is named when it is refused', async (name, head) => {
    const bytes = Buffer.concat([head, Buffer.alloc(64)]);
    expect(await inspect(bytes)).toEqual({
      outcome: 'refused',
      error: { code: 'unsupported_format', message: expect.stringMatching(`^${name} files are not accepted`) },
    });
  });

  test.each([
    ['MP4', ftyp('isom')],
    ['QuickTime', ftyp('qt  ')],
    ['AVI', Buffer.from('RIFF\0\0\0\0AVI LIST')],
  ])('a video (%s) is called a video, without advice to convert it into a picture', async (_, head) => {
    const inspection = await inspect(Buffer.concat([head, Buffer.alloc(64)]));
    expect(inspection).toEqual({
      outcome: 'refused',
      error: { code: 'unsupported_format', message: 'Videos are not supported.' },
    });
  });

  test.each(
    acceptedFormats.flatMap(({ contentType, signatures }) => signatures.map((parts) => [contentType, parts] as const)),
  )('a signature of %s is that of an accepted picture: %j', async (contentType, parts) => {
    const head = Buffer.alloc(64);
    for (const [at, text] of parts) head.write(text, at, 'latin1');
    const sniffed = await media.reader.sniff(head);
    expect(sniffed.kind).toBe('accepted');
    // Raw files have the signature of a TIFF, too.
    const types = acceptedFormats.filter(({ signatures }) => signatures.some((each) => isDeepStrictEqual(each, parts)));
    expect(types[0]?.contentType).toBe((sniffed as { contentType: string }).contentType);
    expect(types.map((each) => each.contentType)).toContain(contentType);
  });

  test('is not that of the name: HTML behind a picture is the picture', async () => {
    const gif = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000000' } })
      .gif()
      .toBuffer();
    const both = Buffer.concat([gif, Buffer.from('<script>alert(1)</script>')]);
    expect((await pictureIn(both)).facts.contentType).toBe('image/gif');
  });

  test('of a PNG with frames is PNG', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000000' } })
      .png()
      .toBuffer();
    const bytes = withChunk(png, 'acTL', Buffer.from('0000000100000000', 'hex'));
    expect(await media.reader.sniff(bytes)).toEqual({ kind: 'accepted', contentType: 'image/png' });
    expect((await pictureIn(bytes)).facts.contentType).toBe('image/png');
  });
});

describe('metadata that is too much', () => {
  const exif = { IFD0: { Make: 'Maker' }, IFD2: { DateTimeOriginal: '2024:01:02 03:04:05' } };
  const packet = (inner: string, before = '') =>
    `<?xpacket begin="" id=""?>${before}<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">${inner}</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
  const withXmp = (xmp: string, format: 'jpeg' | 'png' | 'webp' | 'tiff' | 'avif') =>
    made().withExif(exif).withXmp(xmp).toFormat(format).toBuffer();

  test.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'XMP in %s is read, and left out above a mebibyte',
    async (format) => {
      expect((await pictureIn(await withXmp(packet('Words'), format))).facts).toMatchObject({
        title: 'Words',
        camera: { make: 'Maker' },
      });
      const { facts } = await pictureIn(await withXmp(packet('x'.repeat(3_000_000)), format));
      expect(facts).toMatchObject({ title: null, camera: { make: 'Maker' }, damaged: false });
      expect(facts.times.original).toBe('2024:01:02 03:04:05');
    },
  );

  test('XMP in TIFF is read', async () => {
    expect((await pictureIn(await withXmp(packet('Words'), 'tiff'))).facts.title).toBe('Words');
  });

  test('entities that multiply stay as they are', async () => {
    const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('');
    const bomb = packet('&e9;', `<!DOCTYPE x [<!ENTITY e0 "ha">${entities}]>`);
    const { facts } = await pictureIn(await withXmp(bomb, 'jpeg'));
    expect((facts.title ?? '').length).toBeLessThan(300);
    expect(facts.camera?.make).toBe('Maker');
  });

  test.each<[string, (deflated: Buffer) => [string, Buffer]]>([
    ['a compressed comment', (deflated) => ['zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflated])]],
    ['compressed XMP', (deflated) => ['iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), deflated])]],
    ['a colour profile', (deflated) => ['iCCP', Buffer.concat([Buffer.from('x\0\0'), deflated])]],
  ])('%s of 64 MB in a PNG leaves the picture readable', async (_, chunk) => {
    const png = await made().flatten().png().toBuffer();
    const { facts } = await pictureIn(withChunk(png, ...chunk(deflateSync(Buffer.alloc(64_000_000, 0x41)))));
    expect(facts).toMatchObject({ width: 400, height: 300, title: null, exif: {} });
    const [child] = media.reader.processes;
    // Only Linux tells what the peak was.
    if (process.platform !== 'linux') return;
    const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${child?.pid}/status`, 'utf8'))?.[1];
    expect(Number(peak) / 1024).toBeLessThan(512);
  });
});

describe('a file that is too short for the pixels that it declares', () => {
  /** A JPEG of 40 × 30 whose header says that it is larger. */
  async function jpegDeclaring(width: number, height: number): Promise<Buffer> {
    const jpeg = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'white' } })
      .jpeg()
      .toBuffer();
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(height, frame + 5);
    jpeg.writeUInt16BE(width, frame + 7);
    return jpeg;
  }

  test('is refused before it is decoded', async () => {
    const jpeg = await jpegDeclaring(60_000, 3400);
    expect(jpeg.length).toBeLessThan(1000);
    expect(await inspect(jpeg)).toEqual({
      outcome: 'refused',
      error: { code: 'decode_failed', message: expect.stringContaining('declares 60000 × 3400 pixels') },
    });
    expect(await media.reader.render(bytesOf(jpeg), { customerId: 1, ...within(320, 'jpeg'), rotation: 0 })).toBeNull();
  });

  test.each([
    ['jpeg', { progressive: true, mozjpeg: true, quality: 1 }],
    ['png', { palette: true, colours: 2, compressionLevel: 9 }],
    ['gif', {}],
    ['webp', { lossless: true }],
  ] as const)('is no picture of one colour: %s', async (format, options) => {
    const plain = sharp({ create: { width: 3000, height: 3000, channels: 3, background: 'white' } });
    expect(await inspect(await plain.toFormat(format, options).toBuffer())).toMatchObject({ outcome: 'picture' });
  });
});

test('small pictures that are made from larger renditions look like those made from the original', async () => {
  const original = await readFile(join(__dirname, '../fixtures/photos/el-torcal-rocks.jpg'));
  const make = async (bytes: Uint8Array, longestSide: number) => {
    const rendered = await media.reader.render(bytesOf(bytes), {
      customerId: 1,
      ...within(longestSide, 'jpeg'),
      rotation: 0,
    });
    return rendered?.bytes ?? Buffer.alloc(0);
  };
  const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
  const [direct, reduced] = [
    await pixels(await make(original, 640)),
    await pixels(await make(await make(original, 1280), 640)),
  ];
  const error = direct.reduce((sum, value, at) => sum + (value - (reduced[at] ?? 0)) ** 2, 0) / direct.length;
  // Peak signal-to-noise ratio; above 35 dB the loss is hard to see, and JPEG at quality 80 itself comes to about that.
  expect(10 * Math.log10(255 ** 2 / error)).toBeGreaterThan(35);
});
