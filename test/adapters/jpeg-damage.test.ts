/* @slow @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { within } from '../../src/core/media/transformation.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

/** What a JPEG is taken for when libjpeg warns: damaged, sound or none. */

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const inspect = (bytes: Uint8Array) => media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels: 210_000_000 });
const field = (name: string) => readFile(join(__dirname, '../fixtures/field', name));

/** Noise, so that there are many bytes. */
function jpeg({ width = 320, height = 240, progressive = false } = {}): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#000000', noise } })
    .jpeg({ progressive })
    .toBuffer();
}

const END = Buffer.from([0xff, 0xd9]);
const scanAt = (file: Buffer) => file.indexOf(Buffer.from([0xff, 0xda]));
/** Half of the data of its last scan, and the end marker. */
const halved = (file: Buffer) =>
  Buffer.concat([file.subarray(0, Math.round((file.lastIndexOf(Buffer.from([0xff, 0xda])) + file.length) / 2)), END]);
/** Bytes between the first two segments. */
const withGarbage = (file: Buffer) => {
  const at = 4 + file.readUInt16BE(4);
  return Buffer.concat([file.subarray(0, at), Buffer.from('garbage'), file.subarray(at)]);
};

test('data that end before the picture does are damage, with an end marker or without', async () => {
  for (const progressive of [false, true]) {
    const cut = halved(await jpeg({ progressive }));
    expect(await inspect(cut)).toMatchObject({ outcome: 'picture', facts: { damaged: true } });
    expect(await inspect(cut.subarray(0, cut.length - 2))).toMatchObject({ facts: { damaged: true } });
  }
});

test('bytes that belong to nothing are no damage, before the picture, after it and behind the end', async () => {
  const file = await jpeg();
  const inside = Buffer.concat([file.subarray(0, file.length - 2), Buffer.from('garbage'), END]);
  for (const odd of [withGarbage(file), inside, withGarbage(inside), Buffer.concat([file, Buffer.from('garbage')])]) {
    expect(await inspect(odd)).toMatchObject({ outcome: 'picture', facts: { damaged: false } });
  }
});

test('damage behind a harmless warning is seen', async () => {
  expect(await inspect(withGarbage(halved(await jpeg())))).toMatchObject({ facts: { damaged: true } });
});

test('a picture that libjpeg warns of more than a hundred times is shown', async () => {
  const file = await field('jpeg-over-100-warnings.jpg');
  expect(await inspect(file)).toMatchObject({ facts: { width: 480, height: 2200, damaged: true } });
  const order = { ...within(2560, 'jpeg'), rotation: 0, customerId: 1 };
  const rendered = await media.reader.render(bytesOf(file), order);
  expect(await sharp(rendered?.bytes).metadata()).toMatchObject({ width: 480, height: 2200 });
});

test('thousands of scans are refused as before, at once', async () => {
  const file = await jpeg({ width: 640, height: 480, progressive: true });
  const scan = file.subarray(file.lastIndexOf(Buffer.from([0xff, 0xda])), file.length - 2);
  const bomb = Buffer.concat([file.subarray(0, file.length - 2), ...Array(20_000).fill(scan), END]);
  expect(await inspect(bomb)).toMatchObject({ error: { code: 'decode_failed' } });
  const order = { ...within(320, 'jpeg'), rotation: 0, customerId: 1 };
  expect(await media.reader.render(bytesOf(bomb), order)).toBeNull();
});

test('a file without any data of its picture is not a picture', async () => {
  const file = await jpeg();
  const header = scanAt(file) + 2 + file.readUInt16BE(scanAt(file) + 2);
  expect(await inspect(Buffer.concat([file.subarray(0, header), END]))).toMatchObject({
    error: { code: 'decode_failed' },
  });
});
