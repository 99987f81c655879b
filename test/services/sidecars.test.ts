import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DetailsBuilder } from '../../cli/src/details-builder.js';
import { type DescribedPhoto, readSidecar, sidecarText } from '../../cli/src/xmp/sidecar.js';
import { program } from './support/programs.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-sidecars-'));
  path = join(folder, 'photo.jpg.xmp');
});
afterEach(() => rmSync(folder, { recursive: true }));

function exiftool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program('exiftool', 'libimage-exiftool-perl'), args, {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** What ExifTool reads from a sidecar; numbers as they are written. */
function shown(): Record<string, unknown> {
  const [tags] = JSON.parse(exiftool('-json', '-struct', '-n', '-XMP:all', path));
  return tags;
}

function read() {
  const details = new DetailsBuilder();
  readSidecar(readFileSync(path), details);
  return { ...details.build(), losses: details.losses };
}

const photo: DescribedPhoto = {
  title: 'Tower & “sky” <1>',
  description: 'Two\nlines, ümlauts, 東京',
  rating: 4,
  favorite: true,
  creator: 'Ada Lovelace; Bo',
  copyright: '© Ada',
  location: { latitude: -33.856784, longitude: 151.215297, altitude: -3.25 },
  takenAt: '2024-12-21T22:39:24.670Z',
  takenAtLocal: '2024-12-22T09:39:24.670',
  tags: [
    { id: 1, name: 'Night' },
    { id: 2, name: 'Places/Australia/Sydney' },
  ],
  metadata: { client: 'ACME' },
};

it('ExifTool reads every field of our sidecars, and finds nothing wrong with them', () => {
  writeFileSync(path, sidecarText(photo));
  expect(exiftool('-validate', '-warning', '-error', '-a', path).trim()).toMatch(/^Validate\s+: OK$/);
  const tags = shown();
  expect(tags).toMatchObject({
    Title: photo.title,
    Description: photo.description,
    Rating: 4,
    Subject: ['Night', 'Places/Australia/Sydney'],
    HierarchicalSubject: ['Night', 'Places|Australia|Sydney'],
    TagsList: ['Night', 'Places/Australia/Sydney'],
    DateCreated: '2024:12:22 09:39:24.670+11:00',
    DateTimeOriginal: '2024:12:22 09:39:24.670+11:00',
    GPSAltitude: 3.25,
    GPSAltitudeRef: 1,
  });
  expect(tags['GPSLatitude']).toBeCloseTo(-33.856784, 9);
  expect(tags['GPSLongitude']).toBeCloseTo(151.215297, 9);
});

it('a photo without details has a sidecar without values', () => {
  const time = { location: null, takenAt: null, takenAtLocal: null };
  const nothing = {
    title: null,
    description: null,
    rating: null,
    favorite: false,
    creator: null,
    copyright: null,
    ...time,
  };
  writeFileSync(path, sidecarText({ ...nothing, tags: [], metadata: {} }));
  expect(Object.keys(shown())).toEqual(['SourceFile']);
});

it('values that ExifTool writes are read, and those without a field of their own are written again', () => {
  const written = [
    '-XMP-dc:Title=Tower',
    '-XMP-dc:Title-de=Turm',
    '-XMP-dc:Description=Text',
    '-XMP-dc:Subject=Paris',
    '-XMP-dc:Subject=Night',
    '-XMP-lr:HierarchicalSubject=Places|France|Paris',
    '-XMP-xmp:Rating=3',
    '-XMP-dc:Creator=Ada',
    '-XMP-dc:Creator=Bo',
    '-XMP-dc:Rights=© Ada',
    '-XMP-xmp:Label=Green',
    '-XMP-exif:GPSLatitude=48.85837',
    '-XMP-exif:GPSLongitude=-2.294481',
    '-XMP-exif:GPSAltitude=35.2',
    '-XMP-exif:GPSAltitudeRef=0',
    '-XMP-photoshop:DateCreated=2024:12:21 23:39:24+01:00',
    '-XMP-tiff:Orientation=6',
    '-XMP-iptcCore:Location=Champ de Mars',
    '-XMP-iptcExt:LocationShown={City=Paris,CountryName=France}',
  ];
  exiftool('-n', ...written, '-o', path);
  const { metadata, ...details } = read();
  expect(details).toMatchObject({
    title: 'Tower',
    description: 'Text',
    ...{ rating: 3, creator: 'Ada; Bo', copyright: '© Ada' },
    takenAt: '2024-12-21T23:39:24+01:00',
    tagNames: ['Places/France/Paris', 'Night'],
    losses: [],
  });
  expect(details.location?.latitude).toBeCloseTo(48.85837, 7);
  expect(details.location?.longitude).toBeCloseTo(-2.294481, 7);
  expect(details.location?.altitude).toBeCloseTo(35.2, 3);

  const before = shown();
  writeFileSync(path, sidecarText({ ...photo, metadata: metadata as Record<string, string> }));
  for (const name of ['Label', 'Orientation', 'Location', 'LocationShown', 'Title-de']) {
    expect([name, shown()[name]]).toEqual([name, before[name]]);
    expect(before[name]).toBeDefined();
  }
});
