/* @rest */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { within } from '../../src/core/media/transformation.js';
import { builtProgram } from '../support/built-program.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { withChunk } from '../support/png.js';

/** What no loader may see, and what pictures may carry without anyone acting on it. */

const plenty = { customerId: 1, maxPixels: 210_000_000 };
let media: OpenMedia;
let folder: string;
beforeAll(async () => {
  media = await openMedia();
  folder = await mkdtemp(join(tmpdir(), 'phs-loaders-'));
});
afterAll(async () => {
  await media.close();
  await rm(folder, { recursive: true, force: true });
});

const inspect = (bytes: Uint8Array) => media.reader.inspect(bytesOf(bytes), plenty);
const red = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#ff0000' } });

describe('files that other programs take for pictures or orders', () => {
  let hits: string[];
  const server = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.end();
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fetched`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    hits = [];
  });

  test.each<[string, () => string]>([
    ['MVG', () => `push graphic-context\nviewbox 0 0 640 480\nimage over 0,0 0,0 '${url}'\npop graphic-context\n`],
    ['MVG that runs a command', () => `push graphic-context\nfill 'url(${url}"|touch "${join(folder, 'touched')})'\n`],
    ['MSL', () => `<?xml version="1.0"?><image><read filename="${url}"/></image>`],
    ['SVG', () => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="${url}"/></svg>`],
    [
      'SVG behind a declaration',
      () => `<?xml version="1.0"?>\n<!DOCTYPE svg SYSTEM "${url}">\n<svg width="9" height="9"/>`,
    ],
    ['SVG behind a comment', () => `<!-- ${'x'.repeat(3000)} --><svg xmlns="http://www.w3.org/2000/svg"/>`],
    ['PDF', () => `%PDF-1.7\n1 0 obj << /Type /Catalog /OpenAction << /S /URI /URI (${url}) >> >> endobj\n`],
    [
      'EPS',
      () => `%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(%pipe%touch ${join(folder, 'touched')}) (r) file\n`,
    ],
    ['text:', () => 'text:/etc/passwd'],
    ['label:', () => 'label:@/etc/passwd'],
    ['an address', () => url],
    ['CSV that is a matrix to libvips', () => '1,2,3\n4,5,6\n'],
    ['a matrix of libvips', () => '3 3\n1 2 3\n4 5 6\n7 8 9\n'],
  ])('%s is no picture, and nothing it asks for happens', async (_, text) => {
    expect(await inspect(Buffer.from(text()))).toMatchObject({ outcome: 'refused', error: { code: 'not_an_image' } });
    expect(hits).toEqual([]);
    await expect(readFile(join(folder, 'touched'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    ['tEXt', (path: string) => Buffer.from(`profile\0${path}`)],
    ['zTXt', (path: string) => Buffer.concat([Buffer.from('profile\0\0'), deflateSync(Buffer.from(path))])],
  ])('a PNG whose profile names a file of the system, in %s, is a picture without it', async (type, chunk) => {
    const secret = join(folder, 'secret');
    await writeFile(secret, 'the words of the secret file');
    const png = withChunk(await red().png().toBuffer(), type, chunk(secret));
    const inspection = await inspect(png);
    if (inspection.outcome === 'refused') throw new Error(inspection.error.code);
    const outcome = [inspection.thumb.bytes, Buffer.from(JSON.stringify(inspection.facts))];
    for (const format of ['jpeg', 'webp'] as const) {
      const rendered = await media.reader.render(bytesOf(png), {
        customerId: 1,
        ...within(320, format),
        rotation: 0,
      });
      outcome.push(rendered?.bytes ?? Buffer.alloc(0));
    }
    const hex = Buffer.from('the words of the secret file').toString('hex');
    for (const bytes of outcome) {
      const text = Buffer.from(bytes).toString('latin1');
      expect([text.includes('secret file'), text.includes(hex), text.length > 0]).toEqual([false, false, true]);
    }
  });
});

test('text of 64 MB in a PNG, not compressed, costs nothing but its passage', async () => {
  const png = withChunk(
    await red().png().toBuffer(),
    'tEXt',
    Buffer.concat([Buffer.from('Comment\0'), Buffer.alloc(64_000_000, 0x41)]),
  );
  expect(await inspect(png)).toMatchObject({ outcome: 'picture', facts: { width: 40, height: 30, exif: {} } });
});

test('libvips in the child has loaders for the accepted types, in files and in memory, and no other', async () => {
  const settings = join(await builtProgram(), 'adapters/media/scaled-picture.js');
  const types = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const;
  for (const type of types) await writeFile(join(folder, type), await red().toFormat(type).toBuffer());
  await writeFile(join(folder, 'svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  await writeFile(join(folder, 'ppm'), 'P6 1 1 255\nabc');
  await writeFile(join(folder, 'csv'), '1,2\n3,4\n');
  await writeFile(join(folder, 'pdf'), '%PDF-1.7\n');
  const source = `
    import sharp from 'sharp';
    import { readFileSync } from 'node:fs';
    const names = ${JSON.stringify([...types, 'svg', 'ppm', 'csv', 'pdf'])};
    const read = async (input) => sharp(input).metadata().then(() => true, () => false);
    const all = async () => {
      const files = [], buffers = [];
      for (const name of names) {
        const path = ${JSON.stringify(folder)} + '/' + name;
        if (await read(path)) files.push(name);
        if (await read(readFileSync(path))) buffers.push(name);
      }
      return { files, buffers };
    };
    const before = await all();
    const { restrictSharp } = await import(${JSON.stringify(pathToFileURL(settings).href)});
    restrictSharp();
    console.log(JSON.stringify({ before, after: await all() }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: join(__dirname, '../..'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const { before, after } = JSON.parse(stdout);
  // Without the settings there would be more: what is shown below is their doing.
  expect(before.files).toContain('svg');
  expect(before.buffers).toEqual(before.files);
  expect(after).toEqual({ files: [...types], buffers: [...types] });
});
