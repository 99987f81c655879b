import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PhotoItem } from '../../../cli/src/sources/photo-source.js';
import { takeoutSource } from '../../../cli/src/sources/takeout-source.js';
import { picture } from '../../api/support/photos.js';
import { type ZipEntry, zip } from '../../support/zip.js';
import { itemsOf, photoSourceContract, photosOf } from './source-contract.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-takeout-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const YEAR = 'Takeout/Google Photos/Photos from 2024';
const ALBUM = 'Takeout/Google Photos/Paris';
const TAKEN = { timestamp: '1734820764', formatted: 'Dec 21, 2024, 10:39:24 PM UTC' };

/** The JSON file of a photo. */
function about(title: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    ...{ title, description: '', imageViews: '1', creationTime: TAKEN, photoTakenTime: TAKEN },
    geoData: { latitude: 0, longitude: 0, altitude: 0, latitudeSpan: 0, longitudeSpan: 0 },
    ...more,
  });
}

const album = (title: string, description = '') =>
  JSON.stringify({ title, description, access: 'protected', date: TAKEN });

type Files = Readonly<Record<string, string | Uint8Array | null>>;
/** Pictures where nothing else is given. */
const entries = (files: Files): ZipEntry[] =>
  Object.entries(files).map(([path, content]) => ({
    path,
    content: content ?? picture(path),
    deflated: /json$/.test(path),
  }));

function archives(...contents: readonly Files[]): string[] {
  return contents.map((files, at) => {
    const path = join(folder, `takeout-20260101T000000Z-00${at + 1}.zip`);
    writeFileSync(path, zip(entries(files)));
    return path;
  });
}

async function read(paths: readonly string[], timeZone: string | null = null) {
  const source = await takeoutSource(paths, { timeZone });
  const items = await itemsOf(source);
  await source.close?.();
  const photos = new Map(photosOf(items).map((item) => [item.key.split('/').slice(-2).join('/'), item]));
  const skipped = items.flatMap((item) =>
    item.kind === 'skipped' ? [[item.label.split('/').slice(1).join('/'), item.reason]] : [],
  );
  return { photos, skipped: Object.fromEntries(skipped) as Record<string, string> };
}

const nameOf = ({ file }: PhotoItem) => ('path' in file ? file.filename : file.filename);
const paris = { latitude: 48.85837, longitude: 2.294481, altitude: 35.5, latitudeSpan: 0, longitudeSpan: 0 };

describe('the contract, from archives', () => {
  photoSourceContract(() =>
    takeoutSource(
      archives(
        {
          [`${YEAR}/a.jpg`]: null,
          [`${YEAR}/b.jpg`]: null,
          [`${YEAR}/b.jpg.json`]: about('b.jpg', { geoData: paris }),
        },
        { [`${YEAR}/a.jpg.supplemental-metadata.json`]: about('a.jpg', { description: 'A', favorited: true }) },
        { [`${ALBUM}/metadata.json`]: album('Paris'), [`${ALBUM}/c.jpg`]: null, [`${ALBUM}/film.mp4`]: 'film' },
      ),
      { timeZone: 'Europe/Paris' },
    ),
  );
});

describe('the contract, from a folder', () => {
  photoSourceContract(() => {
    for (const { path, content } of entries({
      [`${YEAR}/a.jpg`]: null,
      [`${YEAR}/a.jpg.json`]: about('a.jpg'),
      [`${ALBUM}/c.jpg`]: null,
    })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return takeoutSource([folder], { timeZone: null });
  });
});

it('finds what is known of a photo in whichever archive it lies', async () => {
  const { photos, skipped } = await read(
    archives(
      { [`${YEAR}/IMG_1.jpg`]: null },
      {
        [`${YEAR}/IMG_1.jpg.supplemental-metadata.json`]: about('IMG_1.jpg', {
          description: 'Don&#39;t &amp; do',
          geoData: paris,
          people: [{ name: 'Ann' }, { name: 'Bob' }],
          favorited: true,
          archived: true,
          url: 'https://photos.google.com/photo/x',
        }),
      },
    ),
  );
  expect(skipped).toEqual({});
  expect(photos.get('Photos from 2024/IMG_1.jpg')).toMatchObject({
    details: {
      description: "Don't & do",
      takenAtLocal: '2024-12-21T23:39:24',
      timeZone: 'Europe/Paris',
      location: { latitude: 48.85837, longitude: 2.294481, altitude: 35.5 },
      favorite: true,
      metadata: {
        'takeout.people': 'Ann; Bob',
        'takeout.archived': 'true',
        'takeout.url': 'https://photos.google.com/photo/x',
      },
    },
    losses: [],
  });
});

it('a photo in a year and in albums is imported once with the tags of all, whatever the language of their names', async () => {
  const bytes = picture('the same');
  const { photos } = await read(
    archives(
      { [`${YEAR}/x.jpg`]: bytes, [`${YEAR}/x.jpg.json`]: about('x.jpg', { description: 'X' }) },
      { [`${ALBUM}/x.jpg`]: bytes, [`${ALBUM}/metadata.json`]: album('Paris & more') },
      {
        'Takeout/Google Fotos/Ordner/x.jpg': bytes,
        'Takeout/Google Fotos/Ordner/Metadaten.json': JSON.stringify({ albumData: { title: 'Ordner', access: '' } }),
        'Takeout/Google Fotos/Ordner/y.jpg': null,
      },
    ),
  );
  expect([...photos.keys()].sort()).toEqual(['Ordner/y.jpg', 'Photos from 2024/x.jpg']);
  const one = photos.get('Photos from 2024/x.jpg');
  expect(one?.details.tagNames?.sort()).toEqual(['Ordner', 'Paris & more']);
  expect(one?.details.description).toBe('X');
  expect(photos.get('Ordner/y.jpg')?.losses).toEqual([{ field: 'json', reason: 'missing' }]);
});

it('the description of an album is lost, which is reported once', async () => {
  const { photos } = await read(
    archives({
      [`${ALBUM}/metadata.json`]: album('Paris', 'Three days'),
      ...Object.fromEntries(
        ['a', 'b'].flatMap((name) => [
          [`${ALBUM}/${name}.jpg`, null],
          [`${ALBUM}/${name}.jpg.json`, about(`${name}.jpg`, { geoData: paris })],
        ]),
      ),
    }),
  );
  expect([...photos.values()].flatMap(({ losses }) => losses)).toEqual([
    { field: 'album.description', reason: 'not_supported', value: 'Three days' },
  ]);
});

it('photos of one name and size are two when their bytes differ, in archives and in folders', async () => {
  const files = { [`${YEAR}/x.jpg`]: picture('x-1'), [`${ALBUM}/x.jpg`]: picture('x-2') };
  expect((await read(archives(files))).photos.size).toBe(2);
  for (const { path, content } of entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  rmSync(join(folder, 'takeout-20260101T000000Z-001.zip'));
  expect((await read([folder])).photos.size).toBe(2);
});

it('edited versions, numbered names and live photos keep together', async () => {
  const { photos, skipped } = await read(
    archives({
      [`${YEAR}/IMG_1.HEIC`]: null,
      [`${YEAR}/IMG_1.MOV`]: 'film',
      [`${YEAR}/IMG_1.HEIC.supplemental-metadata.json`]: about('IMG_1.HEIC', { description: 'live' }),
      [`${YEAR}/IMG_1-edited.jpg`]: null,
      [`${YEAR}/IMG_1(1).HEIC`]: null,
      [`${YEAR}/IMG_1.HEIC.supplemental-metadata(1).json`]: about('IMG_1.HEIC', { description: 'second' }),
    }),
  );
  const described = [...photos.values()].map((item) => [nameOf(item), item.details.description, item.details.metadata]);
  expect(described).toEqual(
    [
      ['IMG_1.HEIC', 'live', { 'takeout.video': 'IMG_1.MOV' }],
      ['IMG_1-edited.jpg', 'live', { 'takeout.editOf': 'IMG_1.HEIC', 'takeout.video': undefined }],
      ['IMG_1.HEIC', 'second', undefined],
    ].map((row) => row.map((cell) => (cell && typeof cell === 'object' ? JSON.parse(JSON.stringify(cell)) : cell))),
  );
  expect(skipped).toEqual({ 'Takeout/Google Photos/Photos from 2024/IMG_1.MOV': 'video' });
});

it('photos of the trash are omitted, files without a photo are reported, and files without an extension are examined', async () => {
  const { photos, skipped } = await read(
    archives({
      'Takeout/Google Photos/Trash/t.jpg': null,
      'Takeout/Google Photos/Trash/t.jpg.json': about('t.jpg', { trashed: true }),
      [`${YEAR}/gone.jpg.json`]: about('gone.jpg'),
      [`${YEAR}/03.03.13 - 1`]: Buffer.from('\xff\xd8\xff an image', 'latin1'),
      [`${YEAR}/03.03.13 - 1.json`]: about('03.03.13 - 1'),
      'Takeout/archive_browser.html': '<html>',
      'Takeout/Google Photos/shared_album_comments.json': '{}',
    }),
  );
  expect([...photos.keys()]).toEqual(['Photos from 2024/03.03.13 - 1']);
  expect(skipped).toEqual({
    'Takeout/Google Photos/Trash/t.jpg': 'trashed',
    [`${YEAR}/gone.jpg.json`]: 'photo_missing',
    'Takeout/archive_browser.html': 'not_an_image',
  });
});

it('titles are the names of photos, whatever the archive calls them', async () => {
  const { photos } = await read(
    archives({
      [`${YEAR}/a_b_.jpg`]: null,
      [`${YEAR}/a_b_.jpg.json`]: about('a&amp;b?.jpg'),
      [`${YEAR}/c.jpg`]: null,
      [`${YEAR}/c.jpg.json`]: about('c.heic'),
      [`${YEAR}/d.jpg`]: null,
      [`${YEAR}/d.jpg.json`]: about('x/d.jpg'),
    }),
  );
  expect([...photos.values()].map(nameOf)).toEqual(['a&b?.jpg', 'c.jpg', 'x_d.jpg']);
});

it('a time of an unknown zone is sent as an instant, and reported', async () => {
  const files = { [`${YEAR}/a.jpg`]: null, [`${YEAR}/a.jpg.json`]: about('a.jpg') };
  const [item] = (await read(archives(files))).photos.values();
  expect(item).toMatchObject({ details: { takenAt: '2024-12-21T22:39:24+00:00' }, losses: [{ field: 'timeZone' }] });
  const [inZone] = (await read(archives(files), 'Asia/Tokyo')).photos.values();
  expect(inZone).toMatchObject({
    details: { takenAtLocal: '2024-12-22T07:39:24', timeZone: 'Asia/Tokyo' },
    losses: [],
  });
});

it('a file that is not a zip archive is refused with a message', async () => {
  const path = join(folder, 'takeout.zip');
  writeFileSync(path, 'no archive');
  await expect(takeoutSource([path], { timeZone: null })).rejects.toThrow('is not a complete zip archive');
  writeFileSync(join(folder, 'takeout.tgz'), '');
  await expect(takeoutSource([join(folder, 'takeout.tgz')], { timeZone: null })).rejects.toThrow(
    'Unpack other archives',
  );
});
