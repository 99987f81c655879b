import fc from 'fast-check';
import type { Photo } from '../../src/core/photos/photo.js';
import { fullPhoto } from '../support/samples.js';
import type { NewTenant } from './customer-store.contract.js';

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

/** Photos are read as they were stored. */
export function storedPhotosContract(newTenant: NewTenant): void {
  const query = { filters: { trashed: 'any' }, sort: 'id', window: { after: null, limit: 100 } } as const;

  it('are read with every value, set or not, and their tags by name', async () => {
    const tenant = await newTenant();
    const tags = await tenant.addTags('b', 'a "quoted" \\ one', 'É 📷');
    const plain = await tenant.addPhotos([{}, { title: '' }]);
    const full = await tenant.addPhoto(
      fullPhoto,
      tags.map(({ id }) => id),
    );
    const [b, a, e] = tags.map(({ id, name }) => ({ id, name }));
    expect(await tenant.query(({ photos }) => photos.list(query))).toEqual([
      ...plain.map((photo) => ({ ...photo, tags: [] })),
      { ...full, tags: [a, b, e] },
    ]);
  });

  it('are read with arbitrary values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 30 }), async (all) => {
        const tenant = await newTenant();
        const added = await tenant.addPhotos(all as Partial<Photo>[]);
        const found = await tenant.query(({ photos }) => photos.list(query));
        expect(asClientsSee(found)).toEqual(asClientsSee(added.map((photo) => ({ ...photo, tags: [] }))));
      }),
      { numRuns: 15 },
    );
  });
}

/** JSON does not tell -0 from 0. */
function asClientsSee(photos: readonly Photo[]): unknown {
  return JSON.parse(JSON.stringify(photos));
}
