import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { ArchiveFile } from '../../../../cli/src/sources/archive.js';
import { openFolder } from '../../../../cli/src/sources/archive.js';
import { fileFacts } from '../../../../cli/src/sources/time-and-place.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-times-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const image = (format: 'jpeg' | 'png' | 'webp', exif: Parameters<ReturnType<typeof sharp>['withExif']>[0]) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#123456' } })
    .withExif(exif)
    .toFormat(format)
    .toBuffer();

async function file(name: string, bytes: Uint8Array): Promise<ArchiveFile> {
  writeFileSync(join(folder, name), bytes);
  const { files } = await openFolder(folder);
  return files[0] as ArchiveFile;
}

const written = {
  IFD2: { DateTimeOriginal: '2024:12:21 23:39:24', OffsetTimeOriginal: '+01:00' },
  IFD3: {
    GPSLatitudeRef: 'S',
    GPSLatitude: '33/1 51/1 2442/100',
    GPSLongitudeRef: 'E',
    GPSLongitude: '151/1 12/1 5506/100',
  },
};

it.each(['jpeg', 'png', 'webp'] as const)('reads clock, offset and position of %s', async (format) => {
  const facts = await fileFacts(await file(`a.${format}`, await image(format, written)));
  expect(facts).toMatchObject({ clock: '2024-12-21T23:39:24', offset: '+01:00' });
  expect(facts.position?.latitude).toBeCloseTo(-33.85678, 4);
  expect(facts.position?.longitude).toBeCloseTo(151.21529, 4);
});

it('an offset applies to the clock that it belongs to', async () => {
  const exif = {
    IFD2: {
      DateTimeOriginal: '2024:12:21 23:39:24',
      DateTimeDigitized: '2025:01:01 00:00:00',
      OffsetTimeDigitized: '+09:00',
    },
  };
  const facts = await fileFacts(await file('a.jpg', await image('jpeg', exif)));
  expect(facts).toEqual({ clock: '2024-12-21T23:39:24', offset: null, position: null });
});

it.each([
  ['no image', Buffer.from('no image')],
  ['nothing', Buffer.alloc(0)],
])('%s gives no time', async (_, bytes) => {
  expect(await fileFacts(await file('a.jpg', bytes))).toEqual({ clock: null, offset: null, position: null });
});
