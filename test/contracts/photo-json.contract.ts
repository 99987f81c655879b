import fc from 'fast-check';
import type { Photo, PhotoWithTags } from '../../src/core/photos/photo.js';
import { photoPosition, photoSorts, positionInJson } from '../../src/core/photos/photo-query.js';
import type { JsonShape } from '../../src/core/shared/json-shape.js';
import { fullPhoto, later } from '../support/samples.js';
import { type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const shape: JsonShape = {
  id: true,
  filename: true,
  sizeBytes: true,
  width: true,
  rotation: true,
  focus: { x: true, y: true },
  title: true,
  description: true,
  location: { latitude: true, longitude: true, altitude: true },
  takenAt: true,
  takenAtLocal: true,
  camera: { make: true, model: true, lens: true },
  exposure: {
    iso: true,
    fNumber: true,
    exposureTime: true,
    focalLength: true,
    focalLength35mm: true,
    flash: true,
  },
  companion: { type: true, contentType: true, offset: true, sizeBytes: true },
  rating: true,
  tags: { id: true, name: true },
  metadata: true,
  importId: true,
  damaged: true,
  trashedAt: true,
  createdAt: true,
  updatedAt: true,
};

/** Characters that JSON escapes, that other notations do, and that are several units or none. */
const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', "'", '\n', '\u0001', '\u007f', '\u2028', 'é', '📷', '$1', '\t', '/'),
});
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const instant = fc.date({
  min: new Date('0001-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const values = fc.record({
  filename: text,
  sizeBytes: fc.integer({ min: 0, max: 2 ** 53 - 1 }),
  focus: fc.option(fc.record({ x: number, y: number })),
  title: fc.option(text),
  description: fc.option(text),
  location: fc.option(fc.record({ latitude: number, longitude: number, altitude: fc.option(number) })),
  takenAt: fc.option(instant),
  camera: fc.option(fc.record({ make: fc.option(text), model: fc.option(text), lens: fc.option(text) })),
  metadata: fc.dictionary(text, text),
  damaged: fc.boolean(),
  createdAt: instant,
  updatedAt: instant,
});

/** What `listAsJson` promises: the rows of `list`, as JSON. */
export function photoJsonContract(newTenant: NewTenant): void {
  const window = { after: null, limit: 100 };

  async function expectSameAsObjects(tenant: Tenant, count: number): Promise<void> {
    for (const sort of ['-createdAt', 'takenAt', 'filename'] as const) {
      const query = { filters: { trashed: 'any' }, sort, window } as const;
      const photos = await tenant.query((reader) => reader.photos.list(query));
      const texts = await tenant.query((reader) => reader.photos.listAsJson(query, shape));
      expect(photos).toHaveLength(count);
      expect(texts.map((each) => JSON.parse(each))).toEqual(photos.map(asParsed));
      for (const each of photoSorts) {
        expect(texts.map((json) => positionInJson(json, each))).toEqual(
          photos.map((photo) => photoPosition(photo, each)),
        );
      }
    }
  }

  it('has every value, set or not, and the tags by name', async () => {
    const tenant = await newTenant();
    const tags = await tenant.addTags('b', 'a "quoted" \\ one', 'É 📷');
    await tenant.addPhotos([{}, { title: '' }]);
    await tenant.addPhoto(
      fullPhoto,
      tags.map(({ id }) => id),
    );
    await expectSameAsObjects(tenant, 3);
  });

  it('has the fields of the shape and no others, in its order', async () => {
    const tenant = await newTenant();
    await tenant.addPhoto({ ...fullPhoto, trashedAt: null, createdAt: later(0) });
    const query = { filters: { trashed: 'false' }, sort: 'id', window } as const;
    const few = { version: true, location: { altitude: true }, rating: true } as const;
    const texts = await tenant.query((reader) => reader.photos.listAsJson(query, few));
    expect(texts).toEqual(['{"version":12,"location":{"altitude":-0.5},"rating":5}']);
  });

  it('is empty where the list is', async () => {
    const query = { filters: { trashed: 'any' }, sort: 'id', window } as const;
    expect(await (await newTenant()).query((reader) => reader.photos.listAsJson(query, shape))).toEqual([]);
  });

  it('is the same as the objects, whatever the values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 30 }), async (all) => {
        const tenant = await newTenant();
        await tenant.addPhotos(all as Partial<Photo>[]);
        await expectSameAsObjects(tenant, all.length);
      }),
      { numRuns: 15 },
    );
  });
}

/** What a client gets from the JSON of these fields. */
function asParsed(photo: PhotoWithTags): unknown {
  const fields = Object.fromEntries(Object.entries(photo).filter(([field]) => shape[field] !== undefined));
  return JSON.parse(JSON.stringify(fields));
}
