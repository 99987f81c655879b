import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { photoprismSource } from '../../../cli/src/sources/photoprism-source.js';
import { picture } from '../../api/support/photos.js';
import { itemsOf, photoSourceContract, photosOf } from './source-contract.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-photoprism-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Pictures where nothing else is given. */
function files(contents: Readonly<Record<string, string | null>>): string {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content ?? picture(name));
  }
  return folder;
}

async function read() {
  const items = await itemsOf(await photoprismSource([folder]));
  const photos = new Map(photosOf(items).map((item) => [item.key, item]));
  const skipped = items.flatMap((item) =>
    item.kind === 'skipped' ? [[item.label.slice(folder.length + 1), item.reason]] : [],
  );
  return { photos, skipped: Object.fromEntries(skipped) as Record<string, string> };
}

const ALBUM = `UID: arw0
Type: album
Title: Holiday
Photos:
- UID: p1
  CreatedAt: 2022-04-12T14:28:51Z
- UID: p2
  Hidden: true
`;
const WRITTEN = `TakenAt: 2018-01-01T00:02:53Z
TakenSrc: manual
TimeZone: America/Los_Angeles
UID: p1
Type: image
Title: Fireworks
TitleSrc: manual
Description: From the roof
Favorite: true
PlaceSrc: manual
Altitude: 25
Lat: 45.448994
Lng: -122.796295
Details:
  Keywords: fire, night
  KeywordsSrc: manual
  Artist: Ann
`;

describe('the contract', () => {
  photoSourceContract(() =>
    photoprismSource([
      files({
        'originals/2018/a.jpg': null,
        'originals/2018/b.jpg': null,
        'storage/sidecar/2018/a.yml': WRITTEN,
        'storage/backup/albums/album/arw0.yml': ALBUM,
      }),
    ]),
  );
});

it('reads what people wrote from the sidecar of the same path below another folder, and albums as tags', async () => {
  files({
    'originals/2018/a.jpg': null,
    'originals/2019/a.jpg': null,
    'storage/sidecar/2018/a.yml': WRITTEN,
    'storage/backup/albums/album/arw0.yml': ALBUM,
  });
  const { photos } = await read();
  expect(photos.get('originals/2018/a.jpg')).toMatchObject({
    details: {
      title: 'Fireworks',
      description: 'From the roof',
      favorite: true,
      creator: 'Ann',
      takenAtLocal: '2017-12-31T16:02:53',
      timeZone: 'America/Los_Angeles',
      location: { latitude: 45.448994, longitude: -122.796295, altitude: 25 },
      tagNames: ['fire', 'night', 'Holiday'],
      metadata: { 'photoprism.uid': 'p1' },
    },
    losses: [],
  });
});

it('values that PhotoPrism computed are ignored, and values that it read from the file are read from the file', async () => {
  const yaml = `TakenAt: 2018-01-01T00:02:53Z
TakenSrc: meta
UID: p2
Type: image
Title: Beaverton / USA / 2018
PlaceSrc: estimate
Lat: 45.4
Lng: -122.7
Details:
  Keywords: beaverton, gold
`;
  files({ 'a.jpg': null, 'a.yml': yaml, 'storage/backup/albums/album/arw0.yml': ALBUM });
  const item = (await read()).photos.get('a.jpg');
  expect(item?.details).toEqual({ metadata: { 'photoprism.uid': 'p2' } });
  expect(item?.losses).toEqual([
    { field: 'Title', reason: 'generated', value: 'Beaverton / USA / 2018' },
    { field: 'Keywords', reason: 'generated', value: 'beaverton, gold' },
  ]);
});

it('deleted photos, films, sidecars without photos and damaged ones are distinguished', async () => {
  files({
    'a.jpg': null,
    'a.yml': 'UID: p1\nType: image\nDeletedAt: 2022-08-05T18:06:59Z\n',
    'b.mp4': 'film',
    'b.yml': 'UID: p2\nType: video\n',
    'gone.yml': 'UID: p3\nType: image\n',
    'c.jpg': null,
    'c.yml': 'UID: [',
    'd.jpg': null,
    'd.yml': 'UID: &a [x]\nb: [*a, *a]\n',
  });
  const { photos, skipped } = await read();
  expect([...photos.keys()]).toEqual(['c.jpg', 'd.jpg']);
  expect([...photos.values()].map(({ losses }) => losses)).toEqual(
    Array(2).fill([{ field: 'yaml', reason: 'missing' }]),
  );
  expect(skipped).toEqual({ 'a.jpg': 'trashed', 'b.mp4': 'video', 'gone.yml': 'photo_missing' });
});
