/* @rest */
import sharp from 'sharp';
import { DEMO_PHOTOS, demoPhotos, landscape } from '../../cli/src/commands/demo-command.js';

test('a landscape is a picture that programs read, always the same for a number', async () => {
  const bytes = landscape(3, 'evening');
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 960, height: 640, channels: 3 });
  expect(Buffer.from(bytes).equals(landscape(3, 'evening'))).toBe(true);
  expect(Buffer.from(bytes).equals(landscape(4, 'evening'))).toBe(false);
  // The sky gets lighter towards the horizon, and the foreground is dark.
  const { data } = await sharp(bytes)
    .resize(1, 8, { fit: 'fill' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(data[3]).toBeGreaterThan(data[0] ?? 255);
  expect(data[7]).toBeLessThan(60);
});

test('phs demo makes as many photos as it reports, each with a name of its own, a time, a place and tags', () => {
  const photos = [...demoPhotos()];
  expect([photos.length, new Set(photos.map(({ filename }) => filename)).size]).toEqual([DEMO_PHOTOS, DEMO_PHOTOS]);
  for (const { details } of photos) {
    expect(details).toMatchObject({ title: expect.stringMatching(/^[A-Z]\w+ in ./), takenAtLocal: expect.any(String) });
    expect(details?.tagNames?.length).toBeGreaterThan(1);
  }
});
