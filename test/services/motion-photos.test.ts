import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { film, motionHeic, samsungPhoto } from '../support/motion-photos.js';
import { program } from './support/programs.js';

/** ExifTool finds the same film in the files of our tests as the service does. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-motion-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function filmIn(name: string, bytes: Buffer, tag: string): Buffer {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return spawnSync(program('exiftool', 'libimage-exiftool-perl'), ['-b', `-${tag}`, path]).stdout;
}

test('exiftool finds the film of a motion photo in a HEIC', () => {
  const heic = readFileSync(join(__dirname, '../fixtures/photos/iphone7-gps.heic'));
  expect(filmIn('a.heic', motionHeic(heic, film()), 'MotionPhotoVideo').equals(film())).toBe(true);
});

test('exiftool finds the film behind a JPEG of Samsung', async () => {
  expect(filmIn('a.jpg', await samsungPhoto(film()), 'EmbeddedVideoFile').equals(film())).toBe(true);
});
