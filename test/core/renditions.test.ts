import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { type BlobKey, renditionKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { ByteRange } from '../../src/core/blobs/blob-store.js';
import { deliveredRendition } from '../../src/core/delivery/delivered-picture.js';
import type { RenditionFormat, RenditionName } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { downloadRendition } from '../../src/core/photos/renditions/rendition.js';
import { pictureIn } from '../../testing/memory/memory-media-reader.js';
import { Account, collected, picture, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';
import { WatchedReader } from '../support/watched-reader.js';

let media: WatchedReader;
let ports: World;
let acme: Account;
beforeEach(async () => {
  media = new WatchedReader();
  ports = world({ media });
  acme = await Account.open(ports);
});

async function widthOf(id: number, name: RenditionName, format: RenditionFormat = 'jpeg'): Promise<number> {
  const download = await downloadRendition(ports, acme.caller, id, { name, format });
  return pictureIn(await collected((await download.open()).bytes))?.width ?? 0;
}

test('a rendition is made from the smallest stored one that is larger, else from the original', async () => {
  const { id } = await acme.addPhoto(picture('large.jpg', { width: 6000, height: 4000 }));
  for (const name of ['large', 'medium', 'small'] as const) await widthOf(id, name);
  expect(media.sources).toEqual([6000, 2560, 1280]);
  // Of another format, or in another rotation, there is none.
  await widthOf(id, 'medium', 'webp');
  await editPhoto(ports, acme.caller, id, { rotation: 90 });
  expect(await widthOf(id, 'large')).toBeGreaterThan(0);
  expect(media.sources.slice(3)).toEqual([6000, 6000]);
});

test('rotated pictures are not rotated again in renditions', async () => {
  const { id } = await acme.addPhoto(picture('large.jpg', { width: 6000, height: 4000 }));
  await editPhoto(ports, acme.caller, id, { rotation: 90 });
  const upright = [await widthOf(id, 'large'), await widthOf(id, 'small')];
  expect(upright).toEqual([1707, 427]);
});

test('a photo that is not larger than the requested size is read itself', async () => {
  const { id } = await acme.addPhoto(picture('small.jpg', { width: 600, height: 400 }));
  for (const name of ['large', 'medium'] as const) await widthOf(id, name);
  expect(media.sources).toEqual([600, 600]);
});

test('a stored rendition that cannot be read is skipped', async () => {
  const { id } = await acme.addPhoto(picture('large.jpg', { width: 6000, height: 4000 }));
  await widthOf(id, 'large');
  const photo = await acme.photo(id);
  await ports.blobs.put(renditionKey(photo, 'large', 'jpeg'), note('{"picture":"broken"}'));
  expect(await widthOf(id, 'medium')).toBe(1280);
  expect(await ports.blobs.head(storedKey(photo.blobKey))).not.toBeNull();
});

describe('F15: the thumb of an import, which was not synced', () => {
  let id: number;
  let key: BlobKey;
  let bytes: Uint8Array;
  beforeEach(async () => {
    ({ id } = await acme.addPhoto(picture('large.jpg', { width: 6000, height: 4000 })));
    const photo = await acme.photo(id);
    key = renditionKey(photo, 'thumb', 'jpeg');
    bytes = await stored();
    expect(photo.thumb).toMatchObject({ sizeBytes: bytes.length });
  });
  const stored = async () => collected(present(await ports.blobs.get(key)).bytes);
  const download = async (range?: ByteRange) => {
    const { open } = await downloadRendition(ports, acme.caller, id, { name: 'thumb' });
    return collected((await open(range)).bytes);
  };
  /** As another version of a decoder does. */
  const differently: typeof media.render = async (...order) => {
    const picture = await WatchedReader.prototype.render.apply(media, order);
    return picture && { ...picture, bytes: new Uint8Array([...picture.bytes, 1]) };
  };
  const spoilt: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    empty: () => new Uint8Array(),
    short: (whole) => whole.subarray(0, whole.length - 1),
    long: (whole) => new Uint8Array([...whole, 0]),
    'of the same length with another byte': (whole) =>
      whole.map((byte, at) => (at === whole.length - 1 ? byte ^ 1 : byte)),
  };

  describe.each(Object.entries(spoilt))('that is %s', (_, spoil) => {
    beforeEach(() => ports.blobs.put(key, inOneChunk(spoil(bytes))));

    test('is made again, and nothing of it is sent', async () => {
      expect(await download()).toEqual(bytes);
      expect(media.sources).toEqual([6000]);
      expect(await stored()).toEqual(bytes);
      expect((await acme.photo(id)).thumb).toMatchObject({ sizeBytes: bytes.length });
      expect(await download()).toEqual(bytes);
      expect(media.sources).toHaveLength(1);
    });

    test('is made again for a part of it, and for a server that sends the file itself', async () => {
      const { blobKey, info } = await downloadRendition(ports, acme.caller, id, { name: 'thumb' });
      expect(await blobKey()).toBe(key);
      expect((await info()).sizeBytes).toBe(bytes.length);
      expect(media.sources).toHaveLength(1);
      expect(await stored()).toEqual(bytes);
      expect(await download({ start: 1, end: 3 })).toEqual(bytes.subarray(1, 4));
    });

    test('is made again once for requests that read the photo before', async () => {
      const request = () => downloadRendition(ports, acme.caller, id, { name: 'thumb' });
      const [first, second] = [await request(), await request()];
      media.render = differently;
      const made = await collected((await first.open()).bytes);
      expect(made).not.toEqual(bytes);
      expect(await collected((await second.open()).bytes)).toEqual(made);
      expect((await second.info()).sizeBytes).toBe(made.length);
      expect(media.sources).toHaveLength(1);
    });

    test('is no source of a smaller picture', async () => {
      const small = { ...deliveredRendition(await acme.photo(id), within(64, 'jpeg')), source: 'jpeg' } as const;
      await ports.renditionMaker.make(await acme.photo(id), small, () => undefined);
      expect(media.sources).toEqual([6000]);
    });
  });

  test('is made again if its inspection stores it after another was made', async () => {
    await ports.blobs.delete([key]);
    media.render = differently;
    const made = await download();
    expect(made).not.toEqual(bytes);
    await ports.blobs.put(key, inOneChunk(bytes));
    expect(await download()).toEqual(made);
  });

  test('is a source of a smaller picture while it is whole', async () => {
    const small = { ...deliveredRendition(await acme.photo(id), within(64, 'jpeg')), source: 'jpeg' } as const;
    await ports.renditionMaker.make(await acme.photo(id), small, () => undefined);
    expect(media.sources).toEqual([320]);
  });
});

async function* note(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}
