import { Readable } from 'node:stream';
import { type ImportOptions, type Photo, type PhotoDetails, type PhotoService, runImport } from 'photo-service-sdk';
import { SourceFactory } from 'photo-service-sdk/node';
import { picture } from '../api/support/photos.js';

interface Given {
  readonly details?: PhotoDetails;
  readonly facts?: Parameters<typeof picture>[1];
}

/** Brings pictures of these names, which no other has, into a library. */
export async function imports(
  client: PhotoService,
  photos: Readonly<Record<string, Given>>,
  options: ImportOptions = {},
) {
  const factory = new SourceFactory();
  const sources = Object.entries(photos).map(([name, { details, facts }]) => {
    const bytes = picture(name.split('/').at(-1) as string, facts);
    const content = { sizeBytes: bytes.length, open: (start: number) => Readable.from([bytes.subarray(start)]) };
    return factory.stream({ ref: name, filename: name.replaceAll('/', ' '), content, fingerprint: null, details });
  });
  expect(await runImport(client, sources, options)).toMatchObject({ failed: [] });
  await factory.close();
}

/** The photo of this name. */
export const named = async (client: PhotoService, filename: string) =>
  (await client.photos.list({ filename }).toArray())[0] as Photo;

/** Fills a library with whatever a photo can be. */
export async function fillLibrary(client: PhotoService): Promise<void> {
  await client.tags.create({ name: 'Paris', color: '#3366ff', description: 'La ville' });
  await imports(
    client,
    {
      'a.jpg': {
        details: { title: 'A', tagNames: ['Paris', 'Places/France'], takenAt: '2024-12-21T23:39:24.5+01:00' },
      },
      'b.jpg': { details: { takenAtLocal: '2024-07-01T10:00:00', timeZone: 'Europe/Paris', rating: 0 } },
      'c.jpg': {
        details: {
          externalId: 'x',
          metadata: { k: 'v', 'xmp.1': 'other' },
          location: { latitude: 1.5, longitude: -2 },
        },
      },
      'emptied.jpg': { facts: { title: 'of the file', description: 'of the file' } },
      'turned.jpg': {},
      'untagged.jpg': { details: { tagNames: ['Gone'] } },
    },
    { name: 'First', source: 'test', defaultTimeZone: 'Asia/Tokyo' },
  );
  await imports(client, { 'second.jpg': {} }, { name: 'Second' });
  await imports(client, { 'copy/second.jpg': {} }, { name: 'Copies', duplicatePolicy: 'allow' });
  await client.photos.update((await named(client, 'emptied.jpg')).id, { title: null, description: null });
  await client.photos.update((await named(client, 'turned.jpg')).id, { rotation: 90, focus: { x: 0.25, y: 0.5 } });
  await client.photos.setTags((await named(client, 'untagged.jpg')).id, { tagIds: [] });
}

/** Everything of a photo but ids and times of change. */
export const comparable = async (client: PhotoService) =>
  (await client.photos.list({ limit: 100 }).toArray())
    .map(({ id: _, importId: __, createdAt: ___, updatedAt: ____, version: _____, tags, ...photo }) => ({
      ...photo,
      tags: tags.map(({ name }) => name),
    }))
    .sort((a, b) => (a.filename < b.filename ? -1 : 1));
