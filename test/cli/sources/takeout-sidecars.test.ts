import { originalName, SidecarMatch } from '../../../cli/src/sources/takeout-sidecars.js';

const match = (media: string, ...sidecars: (string | [string, string])[]) =>
  new SidecarMatch(
    sidecars.map((each) =>
      typeof each === 'string' ? { name: each, title: null } : { name: each[0], title: each[1] },
    ),
  ).find(media);

const LONG = 'a-name-that-is-so-long-that-takeout-cuts-it-somewhere';

it.each([
  ['IMG_1.jpg', 'IMG_1.jpg.json'],
  ['IMG_1.jpg', 'IMG_1.jpg.supplemental-metadata.json'],
  // Cut to 46 characters before `.json`, at any place of the addition.
  ['Screenshot_2024-01-02-10-11-12-123.png', 'Screenshot_2024-01-02-10-11-12-123.png.supplem.json'],
  ['PXL_20230102_101112131.PORTRAIT-01.COVER.jpg', 'PXL_20230102_101112131.PORTRAIT-01.COVER.jpg.s.json'],
  ['PXL_20230102_101112131.PORTRAIT-01.COVERS.jpg', 'PXL_20230102_101112131.PORTRAIT-01.COVERS.jpg..json'],
  ['Urlaub in Knaufspesch in der Schneifel (38).JPG', 'Urlaub in Knaufspesch in der Schneifel (38).JP.json'],
  [`${LONG.slice(0, 47)}.jpg`, `${LONG.slice(0, 46)}.json`],
  // The number of a repeated name.
  ['IMG_1(1).jpg', 'IMG_1.jpg(1).json'],
  ['IMG_1(2).jpg', 'IMG_1.jpg.supplemental-metadata(2).json'],
  ['Screenshot_2024-01-02-10-11-12-123(3).png', 'Screenshot_2024-01-02-10-11-12-123.png.supplem(3).json'],
  [`${LONG.slice(0, 44)}(1).jpg`, `${LONG.slice(0, 44)}.j(1).json`],
  // The title had a number, no ending, another ending, or another case.
  ['Cat (2).jpg', 'Cat (2).jpg.json'],
  ['Cat(2).jpg', 'Cat(2).jpg.supplemental-metadata.json'],
  ['03.03.13 - 1', '03.03.13 - 1.supplemental-metadata.json'],
  ['IMG_2.jpg', 'IMG_2.json'],
  ['IMG_3.jpg', 'IMG_3.HEIC.supplemental-metadata.json'],
  ['IMG_4.MOV', 'IMG_4.HEIC.json'],
  ['img_5.JPG', 'IMG_5.jpg.json'],
  ['Größe.jpg', 'Größe.jpg.supplemental-metadata.json'],
])('%s is described by %s', (media, sidecar) => {
  expect(match(media, 'other.jpg.json', sidecar, 'IMG_9.jpg(1).json')).toBe(sidecar);
});

it('takes the number into account, and the exact name first', () => {
  const all = ['IMG_1.jpg.json', 'IMG_1.jpg(1).json', 'IMG_1(1).jpg.json', 'IMG_10.jpg.json', 'IMG_1.json'];
  expect(match('IMG_1.jpg', ...all)).toBe('IMG_1.jpg.json');
  expect(match('IMG_1(1).jpg', ...all)).toBe('IMG_1.jpg(1).json');
  expect(match('IMG_10.jpg', ...all)).toBe('IMG_10.jpg.json');
  expect(match('IMG_11.jpg', ...all)).toBe(null);
});

it('cut names that begin alike are told apart by the titles', () => {
  const [one, two] = [`${LONG}-1.jpg`, `${LONG}-2.jpg`];
  const sidecars: [string, string][] = [
    [`${LONG.slice(0, 46)}.json`, one],
    [`${LONG.slice(0, 46)}(1).json`, two],
  ];
  expect(match(`${LONG.slice(0, 47)}.jpg`, ...sidecars)).toBe(sidecars[0]?.[0]);
  expect(match(`${LONG.slice(0, 47)}(1).jpg`, ...sidecars)).toBe(sidecars[1]?.[0]);
});

it.each([
  ['IMG_1-edited.jpg', 'IMG_1.jpg'],
  ['IMG_1-edited(2).jpg', 'IMG_1(2).jpg'],
  ['IMG_1-bearbeitet.jpg', 'IMG_1.jpg'],
  ['IMG_1-modifi\u0065\u0301.jpg', 'IMG_1.jpg'],
  ['IMG_1-編集済み.jpg', 'IMG_1.jpg'],
  ['a-name-that-is-as-long-as-it-may-be-0123456789-edi.jpg', 'a-name-that-is-as-long-as-it-may-be-0123456789.jpg'],
  ['IMG_1-edi.jpg', null],
  ['IMG-1.jpg', null],
  ['credited.jpg', null],
  ['-edited.jpg', null],
])('the original of %s is %s', (media, original) => {
  expect(originalName(media)).toBe(original);
});
