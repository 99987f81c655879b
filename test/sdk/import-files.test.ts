import type { ImportProgress } from 'photo-service-sdk';
import { importFiles } from 'photo-service-sdk/node';
import { picture } from '../http/support/photos.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

const files = (names: readonly string[]) => Promise.all(names.map((name) => world.file(`${name}.jpg`, picture(name))));

test('importFiles(): photos are in the library byte for byte, for three writes', async () => {
  const { client } = await world.client();
  const progress: ImportProgress[] = [];
  const paths = await files(['one', 'two', 'three']);
  const result = await importFiles(client, paths, { tagNames: ['Paris'], onProgress: (event) => progress.push(event) });
  expect(result).toMatchObject({ dryRun: false, total: 3, imported: 3, duplicates: 0, failed: [], skipped: 0 });
  expect(world.front.writes()).toHaveLength(3);
  expect(world.front.uploads()).toHaveLength(3);
  const photos = await client.photos.list().toArray();
  expect(photos.map(({ filename }) => filename).sort()).toEqual(['one.jpg', 'three.jpg', 'two.jpg']);
  expect(photos[0]?.tags).toMatchObject([{ name: 'Paris' }]);
  expect(progress.at(-1)).toMatchObject({ phase: 'done', files: { total: 3, uploaded: 3, processed: 3 } });
  expect(progress.at(-1)?.bytes.uploaded).toBe(result.bytesUploaded);
  const again = await importFiles(client, paths);
  expect(again).toMatchObject({ imported: 0, duplicates: 3, bytesUploaded: 0 });
});
