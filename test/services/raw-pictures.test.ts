import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOf, modelOf, preview, rafExif, rawFile, rawKinds } from '../support/raw-files.js';
import { program } from './support/programs.js';

/** The raw files of our tests are what their formats require: ExifTool finds the same in them as the service does. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-raw-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function exiftool(...args: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(program('exiftool', 'libimage-exiftool-perl'), args);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

test.each(rawKinds)('a %s', async (kind) => {
  const jpeg = await preview(800, 600, kind === 'raf' ? rafExif : undefined, 6);
  const path = join(folder, `photo.${kind}`);
  writeFileSync(path, rawFile(kind, { preview: jpeg, orientation: 6 }));
  const [tags] = JSON.parse(exiftool('-json', '-n', path).toString());
  expect(tags).toMatchObject({
    FileType: kind.toUpperCase(),
    Make: makeOf(kind),
    Model: modelOf(kind),
    Orientation: 6,
    ISO: 400,
    FNumber: 2.8,
    LensModel: 'A 35mm lens',
    DateTimeOriginal: '2024:05:06 07:08:09',
  });
  expect(tags.GPSLatitude).toBeCloseTo(48.858333, 5);
  const previews = ['-PreviewImage', '-JpgFromRaw', '-OtherImage'].map((name) => exiftool('-b', name, path));
  expect(previews.some((bytes) => bytes.equals(jpeg))).toBe(true);
});
