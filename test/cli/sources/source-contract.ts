import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ImportProgress, Photo } from 'photo-service-sdk';
import { importSource } from '../../../cli/src/sources/import-source.js';
import type { PhotoItem, PhotoSource, SourceItem } from '../../../cli/src/sources/photo-source.js';
import { sha256 } from '../../api/support/photos.js';
import { SdkWorld } from '../../sdk/support/service.js';

export async function itemsOf(source: PhotoSource, signal = new AbortController().signal): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of source.items(signal)) items.push(item);
  return items;
}

export const photosOf = (items: readonly SourceItem[]) => items.filter((item) => item.kind === 'photo');

/** The bytes of a photo, from a position on. */
export async function bytesOf({ file }: PhotoItem, start = 0): Promise<Buffer> {
  return buffer('path' in file ? createReadStream(file.path, { start }) : await file.content.open(start));
}

/** What every source of photos promises. The source that is made has at least two photos that the service takes, and nothing bad. */
export function photoSourceContract(make: () => Promise<PhotoSource> | PhotoSource): void {
  let world: SdkWorld;
  let source: PhotoSource;
  beforeAll(async () => {
    world = await SdkWorld.start();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    world.front.reset();
    source = await make();
  });
  afterEach(() => source.close?.());

  const imported = async () => {
    const { client } = await world.client();
    const options = { stateFile: join(world.folder, randomUUID()), signal: new AbortController().signal };
    const run = (settings = {}) => importSource(client, source, { ...options, ...settings });
    return { client, run };
  };

  it('has each photo once, by a key of its own that stays the same', async () => {
    const [first, again] = [photosOf(await itemsOf(source)), photosOf(await itemsOf(source))];
    expect(first.length).toBeGreaterThan(1);
    const keys = first.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(again.map(({ key, label, details, losses }) => ({ key, label, details, losses }))).toEqual(
      first.map(({ key, label, details, losses }) => ({ key, label, details, losses })),
    );
  });

  it('bytes are as many as it says, and the same from any position and at any time', async () => {
    for (const photo of photosOf(await itemsOf(source))) {
      const whole = await bytesOf(photo);
      expect(whole.length).toBe('path' in photo.file ? Number(photo.file.stats.size) : photo.file.content.sizeBytes);
      expect(whole.subarray(7).equals(await bytesOf(photo, 7))).toBe(true);
    }
  });

  it('ends when it is asked to', async () => {
    const { client } = await imported();
    const options = { stateFile: join(world.folder, randomUUID()), signal: AbortSignal.abort() };
    await expect(importSource(client, source, options)).rejects.toMatchObject({ name: 'AbortError' });
    expect(world.front.writes()).toEqual([]);
  });

  it('the service takes every photo with what is known of it; a second run sends nothing', async () => {
    const { client, run } = await imported();
    const items = photosOf(await itemsOf(source));
    const { failed, imported: count, duplicates } = await run();
    expect({ failed, count, duplicates }).toEqual({ failed: [], count: items.length, duplicates: 0 });
    const photos = new Map((await client.photos.list().toArray()).map((photo) => [photo.sha256, photo]));
    for (const item of items) expectDetails(photos.get(sha256(await bytesOf(item))), item);
    const before = world.front.uploads().length;
    expect(await run()).toMatchObject({ imported: 0, duplicates: items.length, bytesUploaded: 0 });
    expect(world.front.uploads()).toHaveLength(before);
    expect(world.front.seen.filter(({ status }) => status === 429)).toEqual([]);
  });

  it('a run that was interrupted continues: everything comes, and nothing twice', async () => {
    const { client, run } = await imported();
    const items = photosOf(await itemsOf(source));
    const controller = new AbortController();
    const onProgress = ({ files }: ImportProgress) => files.uploaded > 0 && controller.abort();
    await expect(run({ signal: controller.signal, onProgress, uploads: 1 })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await run()).toMatchObject({ failed: [] });
    const photos = await client.photos.list().toArray();
    expect(photos).toHaveLength(items.length);
    const taken = world.front.uploads().filter(({ status }) => status === 204);
    expect(taken).toHaveLength(items.length);
  });

  it('a dry run says the same, and changes nothing', async () => {
    const { client, run } = await imported();
    const items = await itemsOf(source);
    const { imported: count, losses, skippedFiles } = await run({ dryRun: true });
    expect(count).toBe(photosOf(items).length);
    expect(losses).toHaveLength(photosOf(items).reduce((sum, item) => sum + item.losses.length, 0));
    expect(skippedFiles).toHaveLength(items.filter(({ kind }) => kind === 'skipped').length);
    expect(await client.photos.list().toArray()).toEqual([]);
  });
}

function expectDetails(photo: Photo | undefined, { details }: PhotoItem): void {
  const { tagNames = [], takenAt, location, timeZone, ...fields } = details;
  expect(photo).toMatchObject(fields);
  expect(photo?.tags.map(({ name }) => name).sort()).toEqual([...tagNames].sort());
  if (takenAt) expect(Date.parse(photo?.takenAt as string)).toBe(Date.parse(takenAt));
  if (timeZone) expect(photo?.timeZone).toBe(timeZone);
  if (location) expect(photo?.location).toEqual({ altitude: null, ...location });
}
