import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { open as openRaw } from '../../src/adapters/media/decoders/raw.js';
import { inMemory } from '../../src/adapters/media/formats/file-bytes.js';
import { writePixelTiff } from '../../src/adapters/media/scaled-picture.js';
import { builtProgram } from '../support/built-program.js';
import { mountedDisk, unmount } from '../support/mounted.js';
import { rawFile } from '../support/raw-files.js';

/**
 * A disk that has room for some bytes of a call writes those and says how many: what is on it then is not what was to be decoded, and the
 * picture would be refused as damaged.
 */

let parent: string;
let small: string;
let isSmall: boolean;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'decoder-disk-'));
  small = join(parent, 'small');
  await mkdir(small);
  isSmall = await mountedDisk(small, '64k');
});
afterEach(async () => {
  if (isSmall) await unmount(small);
  await rm(parent, { recursive: true });
});

const full = expect.objectContaining({ code: 'ENOSPC' });

/** A square of noise, which does not compress. */
const SIDE = 256;
const noise = randomBytes(3 * SIDE * SIDE);

test('the pixels of a HEIC do not fit on the disk', async () => {
  if (!isSmall) return leftOut();
  const row = (y: number) => noise.subarray(3 * SIDE * y, 3 * SIDE * (y + 1));
  const pixels = (height: number) => ({ width: SIDE, height, channels: 3 as const, row });
  await writePixelTiff(join(small, 'fits.tif'), pixels(64), undefined);
  await expect(writePixelTiff(join(small, 'larger.tif'), pixels(64), undefined)).rejects.toEqual(full);
});

test('the preview of a raw file does not fit on the disk', async () => {
  if (!isSmall) return leftOut();
  const jpeg = await sharp(noise, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .resize(3 * SIDE, 3 * SIDE)
    .jpeg({ quality: 100 })
    .toBuffer();
  expect(jpeg.length).toBeGreaterThan(64 * 1024);
  const input = rawFile('dng', { preview: jpeg });
  const order = {
    input,
    file: inMemory(input),
    contentType: 'image/x-adobe-dng',
    folder: small,
    maxPixels: 10 * SIDE ** 2,
  };
  await expect(openRaw(order, async () => 'opened')).rejects.toEqual(full);
  expect(await openRaw({ ...order, folder: parent }, async () => 'opened')).toBe('opened');
});

/** So many bytes as libvips unpacks in memory; for more it takes a file, as by itself only for pictures of over 100 MB. */
const IN_MEMORY = '1k';

test('what libvips unpacks does not fit on the disk: nothing is said of the picture', async () => {
  if (!isSmall) return leftOut();
  const picture = sharp(noise, { raw: { width: SIDE, height: SIDE, channels: 3 } });
  const [webp, jpeg] = [join(parent, 'picture.webp'), join(parent, 'picture.jpg')];
  await picture.clone().webp().toFile(webp);
  await picture.clone().jpeg().toFile(jpeg);
  const media = pathToFileURL(join(await builtProgram(), 'adapters/media/')).href;
  const script = `
    const { doJob } = await import('${media}media-child.js');
    const { allLoaders, allowLoaders, isCutJpeg } = await import('${media}scaled-picture.js');
    const order = { kind: 'inspect', folder: '${parent}', maxPixels: 1e9 };
    const { json } = await doJob({ ...order, path: '${webp}' }, Buffer.alloc(0));
    allowLoaders(allLoaders);
    const isCut = await isCutJpeg({ input: '${jpeg}' }, '${parent}', 'extraneous bytes').catch(String);
    console.log(JSON.stringify({ answer: json, isCut }));`;
  const env = { PATH: process.env['PATH'], TMPDIR: small, VIPS_DISC_THRESHOLD: IN_MEMORY };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  const noRoom = expect.stringContaining('No space left on device');
  expect(JSON.parse(stdout)).toEqual({ answer: { kind: 'failed', message: noRoom }, isCut: noRoom });
});

function leftOut(): void {
  console.warn('LEFT OUT: a disk that fills up while a decoder writes: mounting is not permitted');
}
