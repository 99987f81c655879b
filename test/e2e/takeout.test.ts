/* @rest */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zip } from '../support/zip.js';
import { Installation } from './support/service.js';

const fixture = (name: string) => readFileSync(join(__dirname, '../fixtures/photos', name));
const nowhere = { latitude: 0, longitude: 0, altitude: 0 };
const paris = { latitude: 48.85837, longitude: 2.294481, altitude: 35.5 };

let installation: Installation;
let folder: string;
beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  folder = mkdtempSync(join(tmpdir(), 'phs-takeout-'));
});
afterAll(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('phs import --from takeout imports the times and places of the files, unless they were corrected', async () => {
  const about = (title: string, taken: string, geoData: object = nowhere) =>
    JSON.stringify({ title, photoTakenTime: { timestamp: String(Date.parse(taken) / 1000) }, geoData });
  const year = 'Takeout/Google Photos/Photos from 2022';
  const entries = [
    // The file has an offset; its position is that of the JSON file, which has it less exactly.
    ['nokia83-gps-offset.jpg', '2022-08-14T11:12:31Z', { latitude: 60.14671, longitude: 24.90677, altitude: 0 }],
    // A clock without an offset in the file, and a position.
    ['date-and-gps-no-offset.jpg', '2025-12-01T18:30:00Z', nowhere],
    // Its clock was taken for UTC, although the file has an offset.
    ['cyclamen.jpg', '2007-12-06T14:33:18Z', nowhere],
    // Corrected by three days and given a place.
    ['date-priority.jpg', '2023-02-05T09:30:07Z', paris],
    ['iphone7-gps.heic', '2019-03-21T16:04:22Z', { latitude: 41.2203, longitude: -96.071625, altitude: 351 }],
  ] as const;
  const files = entries.flatMap(([name, taken, place]) => [
    { path: `${year}/${name}`, content: fixture(name) },
    { path: `${year}/${name}.supplemental-metadata.json`, content: about(name, taken, place), deflated: true },
  ]);
  const archive = join(folder, 'takeout-001.zip');
  writeFileSync(archive, zip(files));
  const login = { PHOTO_SERVICE_URL: installation.url, PHOTO_SERVICE_TOKEN: installation.token() ?? '', HOME: folder };
  const run = async (...options: string[]) => {
    const ran = await installation.commandWith(login, 'import', '--from', 'takeout', archive, '--json', ...options);
    return { status: ran.status, ...JSON.parse(ran.stdout) };
  };
  expect(await run('--dry-run')).toMatchObject({ status: 0, imported: 5, losses: [], skippedFiles: [] });
  expect(await run()).toMatchObject({ status: 0, imported: 5, failed: [], losses: [] });
  const { body } = await (await installation.client()).get('/photos?sort=filename');
  const taken = body.data.map((photo: Record<string, unknown>) => [
    ...['filename', 'takenAt', 'timeZone', 'takenAtSource', 'location'].map((field) => photo[field]),
  ]);
  expect(taken).toEqual([
    ['cyclamen.jpg', expect.stringMatching(/^2007-12-06T/), expect.stringMatching(/^[+-]/), 'exif_offset', null],
    [
      'date-and-gps-no-offset.jpg',
      '2025-12-01T18:30:00.000Z',
      '-07:00',
      'client',
      expect.objectContaining({ latitude: 39 }),
    ],
    ['date-priority.jpg', '2023-02-05T09:30:07.000Z', 'Europe/Paris', 'client', paris],
    [
      'iphone7-gps.heic',
      '2019-03-21T16:04:22.000Z',
      expect.any(String),
      expect.any(String),
      expect.objectContaining({ latitude: 41.2203 }),
    ],
    ['nokia83-gps-offset.jpg', '2022-08-14T11:12:31.000Z', '+03:00', 'exif_offset', expect.any(Object)],
  ]);
  expect(await run()).toMatchObject({ status: 0, imported: 0, duplicates: 5, bytesUploaded: 0 });
});
