import { blobSource, runImport } from 'photo-service-sdk';
import { picture } from '../api/support/photos.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

const file = (name: string) => new File([new Uint8Array(picture(name))], `${name}.jpg`, { lastModified: 1 });

test('Blobs are imported as files are: once, with their names', async () => {
  const { client } = await world.client();
  const sources = [
    blobSource({ blob: file('a') }),
    blobSource({ blob: file('b'), ref: 'chosen/b', filename: 'other\\name.jpg' }),
    blobSource({ blob: new Blob([new Uint8Array(picture('c'))]), filename: 'c.jpg' }),
  ];
  const result = await runImport(client, sources);
  const bytes = sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(result).toMatchObject({ total: 3, imported: 3, failed: [], bytesUploaded: bytes });
  const photos = await client.photos.list().toArray();
  expect(photos.map(({ filename }) => filename).sort()).toEqual(['a.jpg', 'c.jpg', 'other_name.jpg']);
  world.front.reset();
  expect(await runImport(client, sources)).toMatchObject({ imported: 0, duplicates: 3, bytesUploaded: 0 });
  expect(world.front.uploads()).toEqual([]);
});

test('a Blob that cannot be read fails alone', async () => {
  const { client } = await world.client();
  const gone = file('gone');
  gone.arrayBuffer = () => Promise.reject(new DOMException('It was moved.', 'NotReadableError'));
  const result = await runImport(client, [blobSource({ blob: gone }), blobSource({ blob: file('there') })]);
  expect(result).toMatchObject({ imported: 1, failed: [{ ref: 'gone.jpg', code: 'unreadable' }] });
});

test('a Blob that is not a File needs a name', () => {
  expect(() => blobSource({ blob: new Blob(['x']) })).toThrow('needs a filename');
  expect(blobSource({ blob: file('d') }).fingerprint).not.toBe(
    blobSource({ blob: new File(['d'], 'd.jpg') }).fingerprint,
  );
});
