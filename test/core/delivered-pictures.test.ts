import { renditionsPrefix, storedKey } from '../../src/core/blobs/blob-key.js';
import { deliveredPicture, deliveredRendition } from '../../src/core/delivery/delivered-picture.js';
import { parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import type { Finding } from '../../src/core/integrity/findings.js';
import { verify } from '../../src/core/integrity/verify.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { MAX_DELIVERED } from '../../src/core/photos/renditions/make.js';
import { downloadRendition, openRendition } from '../../src/core/photos/renditions/rendition.js';
import { purgePhoto } from '../../src/core/photos/trash.js';
import { pictureIn } from '../../testing/memory/memory-media-reader.js';
import { Account, blobsUnder, collected, picture, type World, world } from '../support/core-world.js';
import { WatchedReader } from '../support/watched-reader.js';

let media: WatchedReader;
let ports: World;
let acme: Account;
beforeEach(async () => {
  media = new WatchedReader();
  ports = world({ media });
  acme = await Account.open(ports);
});

function delivered(photo: Photo, options: string) {
  const transformation = deliveredPicture(
    { alpha: photo.alpha, focus: null },
    parseDeliveryOptions(options),
    new Set(),
  );
  return openRendition(ports, photo, deliveredRendition(photo, transformation));
}

async function sizeOf(photo: Photo, options: string): Promise<[number, number] | null> {
  const facts = pictureIn(await collected((await delivered(photo, options).open()).bytes));
  return facts && [facts.width, facts.height];
}

const stored = (photo: Photo) => blobsUnder(ports.blobs, renditionsPrefix(photo));

describe('a delivered picture', () => {
  const large = (more = {}) => acme.addPhoto(picture('large.jpg', { width: 6000, height: 4000, ...more }));
  const keep = async (photo: Photo, ...names: ('small' | 'medium' | 'large')[]) => {
    for (const name of names) {
      const download = await downloadRendition(ports, acme.caller, photo.id, { name });
      await collected((await download.open()).bytes);
    }
    media.sources.length = 0;
  };

  test.each([
    ['w=1000', 1280],
    // Too little smaller.
    ['w=1100', 2560],
    ['w=2500', 6000],
    // 600 pixels high, it is 900 wide before it is cropped.
    ['w=600,h=600,fit=cover', 1280],
    ['w=900,h=900,fit=cover', 2560],
    ['w=1000,h=1000,fit=contain,f=webp', 1280],
    ['w=1000,h=100,fit=fill', 1280],
    ['w=1000,f=png', 6000],
    ['w=1000,q=81', 6000],
    ['w=1000,f=avif,q=55', 1280],
    ['w=1000,f=avif,q=56', 6000],
  ])('for %s is made from a picture %d pixels wide', async (options, source) => {
    const photo = await large();
    await keep(photo, 'large', 'medium');
    await sizeOf(photo, options);
    expect(media.sources).toEqual([source]);
  });

  test('with transparency is made from the original', async () => {
    const photo = await large({ alpha: true });
    await keep(photo, 'large', 'medium');
    for (const f of ['jpeg', 'webp', 'avif', 'png']) await sizeOf(photo, `w=1000,f=${f}`);
    expect(media.sources).toEqual([6000, 6000, 6000, 6000]);
  });

  test('has the same size, whatever it is made from', async () => {
    const photo = await acme.addPhoto(picture('odd.jpg', { width: 6001, height: 3997 }));
    const all = ['w=997', 'h=501', 'w=801,fit=contain', 'w=333,h=777,fit=cover'];
    const fromOriginal = await Promise.all(all.map((options) => sizeOf(photo, `${options},q=81`)));
    await keep(photo, 'large', 'medium');
    expect(await Promise.all(all.map((options) => sizeOf(photo, `${options},q=80`)))).toEqual(fromOriginal);
    expect(media.sources).not.toContain(6001);
  });

  test('of a rotated photo is not rotated again', async () => {
    const { id } = await large();
    await editPhoto(ports, acme.caller, id, { rotation: 90 });
    const photo = await acme.photo(id);
    await keep(photo, 'medium');
    expect(await sizeOf(photo, 'w=400')).toEqual([400, 600]);
    expect(media.sources).toEqual([853]);
  });
});

test('a hundred requests for a picture at once make it once, and it is stored', async () => {
  const photo = await acme.addPhoto(picture('one.jpg', { width: 600, height: 400 }));
  const sizes = await Promise.all(Array.from({ length: 100 }, () => sizeOf(photo, 'w=300')));
  expect(new Set(sizes.map(String))).toEqual(new Set(['300,200']));
  await sizeOf(photo, 'w=150,dpr=2');
  expect(media.sources).toEqual([600]);
});

test('a photo that is deleted while its picture is made leaves no bytes', async () => {
  const photo = await acme.addPhoto(picture('one.jpg', { width: 600, height: 400 }));
  const render = media.render.bind(media);
  media.render = async (...order) => {
    const rendered = await render(...order);
    await purgePhoto(ports, acme.caller, photo.id);
    return rendered;
  };
  await expect(sizeOf(photo, 'w=300')).rejects.toMatchObject({ code: 'not_found' });
  expect(await stored(photo)).toEqual([]);
});

test.each([
  ['', [4096, 2]],
  ['f=webp', [4096, 2]],
  ['fit=cover', [4096, 2]],
  ['h=4096', [4096, 2]],
  ['fit=fill', [4096, 10]],
  ['fit=fill,w=100', [100, 1]],
  ['fit=fill,h=100', [4096, 100]],
])(
  'no side of a delivered picture is longer than 4096 pixels, even if the address leaves it open: %s',
  async (options, size) => {
    const photo = await acme.addPhoto(picture('panorama.jpg', { width: 20_000, height: 10 }));
    expect(await sizeOf(photo, options === '' ? 'f=jpeg' : options)).toEqual(size);
  },
);

test('the oldest delivered pictures of a photo make space for new ones, while named sizes remain', async () => {
  const photo = await acme.addPhoto(picture('one.jpg', { width: 600, height: 400 }));
  const other = await acme.addPhoto(picture('other.jpg', { width: 600, height: 400 }));
  await sizeOf(other, 'w=10');
  for (let width = 1; width <= MAX_DELIVERED + 2; width += 1) {
    await sizeOf(photo, `w=${width}`);
    ports.clock.pass(1000);
  }
  const names = await stored(photo);
  expect(names.filter((name) => !name.includes('/thumb.'))).toHaveLength(MAX_DELIVERED);
  expect(names.filter((name) => name.includes('/thumb.'))).toHaveLength(1);
  expect(await stored(other)).toHaveLength(2);
  media.sources.length = 0;
  await sizeOf(photo, 'w=3');
  expect(media.sources).toEqual([]);
  await sizeOf(photo, 'w=2');
  expect(media.sources).toHaveLength(1);
});

test('a delivered picture is valid as long as its photo has this rotation, and removed with the photo', async () => {
  const photo = await acme.addPhoto(picture('one.jpg', { width: 600, height: 400 }));
  await sizeOf(photo, 'w=300,f=avif');
  const findings: Finding[] = [];
  const onFinding = (finding: Finding) => void findings.push(finding);
  await verify(ports, { repair: false, fast: false, graceSeconds: 0, onFinding });
  expect(findings).toEqual([]);
  expect(await collectGarbage(ports, { graceSeconds: 0 })).toMatchObject({ renditions: 0 });
  await editPhoto(ports, acme.caller, photo.id, { rotation: 90 });
  // The thumb and this one.
  expect(await collectGarbage(ports, { graceSeconds: 0 })).toMatchObject({ renditions: 2 });
  await sizeOf(await acme.photo(photo.id), 'w=300,f=png');
  await purgePhoto(ports, acme.caller, photo.id);
  expect(await stored(photo)).toEqual([]);
});

test('a picture that cannot be made is not found, and one whose original is lost is unavailable', async () => {
  const photo = await acme.addPhoto(picture('one.jpg', { width: 600, height: 400 }));
  await ports.blobs.delete([storedKey(photo.blobKey)]);
  await expect(sizeOf(photo, 'w=300')).rejects.toMatchObject({ code: 'service_unavailable' });
  media.render = async () => null;
  await expect(sizeOf(photo, 'w=300')).rejects.toMatchObject({ code: 'not_found' });
});
