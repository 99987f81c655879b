import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flickrSource } from '../../../cli/src/sources/flickr-source.js';
import { picture } from '../../api/support/photos.js';
import { zip } from '../../support/zip.js';
import { itemsOf, photoSourceContract, photosOf } from './source-contract.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-flickr-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Files = Readonly<Record<string, string | null>>;

function archives(...contents: readonly Files[]): string[] {
  return contents.map((files, at) => {
    const path = join(folder, `data-download-${at + 1}.zip`);
    const entries = Object.entries(files).map(([name, content]) => ({ path: name, content: content ?? picture(name) }));
    writeFileSync(path, zip(entries));
    return path;
  });
}

const about = (id: string, more: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    id,
    name: '',
    description: '',
    date_taken: '0000-00-00 00:00:00',
    geo: [],
    tags: [],
    albums: [],
    ...more,
  });

async function read(...contents: readonly Files[]) {
  const source = await flickrSource(archives(...contents));
  const items = await itemsOf(source);
  await source.close?.();
  return {
    photos: new Map(photosOf(items).map((item) => [item.key, item])),
    skipped: items.flatMap((item) => (item.kind === 'skipped' ? [[item.label, item.reason]] : [])),
  };
}

const full = about('48000000001', {
  name: 'Tower',
  description: 'From the <b>roof</b>',
  date_taken: '2019-06-12 10:11:12',
  geo: [{ latitude: '48858370', longitude: '2294481', accuracy: '16' }],
  tags: [{ tag: 'paris' }, { tag: 'eiffel tower' }],
  albums: [{ id: '7', title: 'Trip' }],
  license: 'All Rights Reserved',
  privacy: 'public',
  comments: [{ comment: 'Nice' }],
});

describe('the contract', () => {
  photoSourceContract(() =>
    flickrSource(
      archives(
        { 'tower_48000000001_o.jpg': null, '48000000002_0a1b2c3d4e_o.jpg': null },
        { 'photo_48000000001.json': full, 'photo_48000000002.json': about('48000000002') },
      ),
    ),
  );
});

it('finds the JSON file by the number in the name, in whichever archive it lies, and albums by either list', async () => {
  const { photos, skipped } = await read(
    { 'img-20190612_48000000001_o.jpg': null, '48000000002_0123456789_o.png': null },
    {
      'photo_48000000001.json': full,
      'photo_48000000002.json': about('48000000002', { geo: { latitude: '-33.85', longitude: '151.2' } }),
      'albums.json': JSON.stringify({ albums: [{ title: 'Best', photos: ['48000000001', '0'] }] }),
      'account_profile.json': '{}',
    },
  );
  expect(skipped).toEqual([]);
  const item = photos.get('48000000001');
  expect(item && 'filename' in item.file && item.file.filename).toBe('img-20190612.jpg');
  expect(item).toMatchObject({
    details: {
      title: 'Tower',
      description: 'From the <b>roof</b>',
      takenAtLocal: '2019-06-12T10:11:12',
      location: { latitude: 48.85837, longitude: 2.294481 },
      tagNames: ['paris', 'eiffel tower', 'Trip', 'Best'],
      metadata: { 'flickr.license': 'All Rights Reserved', 'flickr.privacy': 'public' },
    },
    losses: [{ field: 'comments', reason: 'not_supported', value: '1' }],
  });
  expect(photos.get('48000000002')?.details).toEqual({ location: { latitude: -33.85, longitude: 151.2 } });
});

it('reports values that have no counterpart', async () => {
  const { photos, skipped } = await read({
    'alone_48000000009_o.jpg': null,
    'film_48000000003.mp4': 'film',
    '@eaDir/alone_48000000009_o.jpg': null,
    'photo_48000000004.json': about('48000000004'),
  });
  expect([...photos.values()].map(({ losses }) => losses)).toEqual([[{ field: 'json', reason: 'missing' }]]);
  expect(skipped).toEqual([
    ['data-download-1.zip/film_48000000003.mp4', 'video'],
    ['data-download-1.zip/@eaDir/alone_48000000009_o.jpg', 'system'],
    ['data-download-1.zip/photo_48000000004.json', 'photo_missing'],
  ]);
});
