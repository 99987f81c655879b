import { Readable } from 'node:stream';
import { type PhotoDetails, runImport } from 'photo-service-sdk';
import { type Content, findPhotos, SourceFactory } from 'photo-service-sdk/node';
import { picture, sha256 } from '../api/support/photos.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
let factory: SourceFactory;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => {
  world.front.reset();
  factory = new SourceFactory();
});
afterEach(() => factory.close());

function content(bytes: Uint8Array, sizeBytes = bytes.length): Content {
  return { sizeBytes, open: (start) => Readable.from([bytes.subarray(start)]) };
}

const streamed = (name: string, of: Content, details?: PhotoDetails) =>
  factory.stream({ ref: name, filename: name, content: of, fingerprint: null, details });

const details: PhotoDetails = {
  title: 'Eiffel Tower',
  description: 'From the Trocadéro.',
  takenAtLocal: '2024-12-21T23:39:24',
  timeZone: 'Europe/Paris',
  location: { latitude: 48.85837, longitude: 2.294481 },
  rating: 4,
  externalId: 'shoot-17/3701',
  metadata: { client: 'ACME' },
  tagNames: ['Paris', 'Places/France'],
};

it('a source factory imports content that is not a file, with its details', async () => {
  const { client } = await world.client();
  const result = await runImport(client, [streamed('tower.jpg', content(picture('tower')), details)]);
  expect(result).toMatchObject({ imported: 1, failed: [] });
  const [photo] = await client.photos.list().toArray();
  expect(photo).toMatchObject({
    filename: 'tower.jpg',
    sha256: sha256(picture('tower')),
    title: 'Eiffel Tower',
    takenAt: '2024-12-21T22:39:24.000Z',
    takenAtSource: 'client',
    location: { latitude: 48.85837, longitude: 2.294481, altitude: null },
    rating: 4,
    externalId: 'shoot-17/3701',
    metadata: { client: 'ACME' },
    tags: [{ name: 'Paris' }, { name: 'Places/France' }],
  });
});

it('a source factory imports files with their details, and an existing photo keeps its own', async () => {
  const { client } = await world.client();
  const path = await world.file('known.jpg', picture('known'));
  const { files } = await findPhotos([path]);
  const sources = (title: string) => files.map((file) => factory.file({ ...file, details: { title } }));
  await runImport(client, sources('first'));
  expect(await runImport(client, sources('second'))).toMatchObject({ imported: 0, duplicates: 1, bytesUploaded: 0 });
  const photos = await client.photos.list({ filename: 'known.jpg' }).toArray();
  expect(photos).toMatchObject([{ title: 'first' }]);
});

it.each([
  ['shorter', 9, 'file_changed'],
  ['longer', -9, 'file_changed'],
])('content that is %s than announced fails alone', async (_, by, code) => {
  const { client } = await world.client();
  const bytes = picture(`changed-${by}`);
  const sources = [
    streamed('bad.jpg', content(bytes, bytes.length + by)),
    streamed('good.jpg', content(picture('good'))),
  ];
  const result = await runImport(client, sources);
  expect(result.failed).toMatchObject([{ ref: 'bad.jpg', code }]);
  expect(result.imported).toBe(1);
});

it('a stream that breaks is unreadable, and the import continues', async () => {
  const { client } = await world.client();
  const broken: Content = {
    sizeBytes: 10,
    open: () =>
      new Readable({
        read() {
          this.destroy(Object.assign(new Error('gone'), { code: 'EIO' }));
        },
      }),
  };
  const result = await runImport(client, [streamed('bad.jpg', broken), streamed('fine.jpg', content(picture('fine')))]);
  expect(result.failed).toMatchObject([{ ref: 'bad.jpg', code: 'unreadable' }]);
  expect(result.imported).toBe(1);
});
