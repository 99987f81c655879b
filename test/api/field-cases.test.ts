/* @rest */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { type OpenMedia, openMedia } from '../support/media.js';
import { postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Files of cameras and programs, imported by HTTP with the reader of real files (test/fixtures/field/README.md). */

type Rgb = readonly [number, number, number];
interface Case {
  readonly file: string;
  readonly whatShouldCome: string;
  readonly expect: {
    readonly outcome: string | readonly string[];
    readonly photo?: Readonly<Record<string, unknown>>;
    readonly damaged?: boolean;
    readonly location?: { readonly latitude: number; readonly longitude: number; readonly tolerance: number };
    readonly opaque?: boolean;
    readonly notBlack?: boolean;
    readonly average?: { readonly rgb: Rgb; readonly tolerance: number };
    readonly patches?: { readonly left: Rgb; readonly right: Rgb; readonly tolerance: number };
  };
}

const folder = join(__dirname, '../fixtures/field');
const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as readonly Case[];

let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
  actor = await app.customer();
});
afterAll(async () => {
  await app.close();
  await media.close();
});

/** What became of a file, and its photo if it was imported. */
async function imported(filename: string) {
  const { id } = (await actor.post('/imports')).body;
  await postFiles(actor, id, [{ filename, content: await readFile(join(folder, filename)) }]);
  await app.work();
  await actor.post(`/imports/${id}/finalize`);
  await app.work();
  const [item] = (await actor.get(`/imports/${id}?include=photos`)).body.photos.data;
  const { id: photoId, status, error } = item;
  if (status === 'failed') return { outcome: error.code, message: error.message, photo: null };
  return { outcome: status, message: '', photo: (await actor.get(`/photos/${photoId}`)).body };
}

/** Renditions in both formats. */
async function renditions(id: number): Promise<readonly Buffer[]> {
  const queries = ['rendition=thumb', 'rendition=large&format=jpeg', 'rendition=large&format=webp'];
  const answers = await Promise.all(queries.map((query) => actor.get(`/photos/${id}/download?${query}`)));
  return answers.map(({ status, bytes }) => (status === 200 ? bytes : Buffer.alloc(0)));
}

/** Mean red, green and blue of a part of a picture, from one share of its width to another. */
async function mean(picture: Buffer, from = 0, to = 1): Promise<readonly number[]> {
  const { width, height } = await sharp(picture).metadata();
  const [left, right] = [Math.floor(from * width), Math.ceil(to * width)];
  const part = await sharp(picture)
    .extract({ left, top: 0, width: right - left, height })
    .png()
    .toBuffer();
  return (await sharp(part).stats()).channels.slice(0, 3).map((channel) => channel.mean);
}

function expectNear(found: readonly number[], expected: readonly number[], tolerance: number): void {
  const isNear = expected.every((value, index) => Math.abs(value - (found[index] ?? Number.NaN)) <= tolerance);
  if (!isNear) throw new Error(`[${found}] is not within ${tolerance} of [${expected}]`);
}

/** A field by its path; a time as its instant. */
function fieldOf(photo: object, path: string): unknown {
  const value = path.split('.').reduce<unknown>((of, name) => Object(of)[name], photo);
  return instant(path, value);
}

function instant(path: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^takenAt(Local)?$/.test(path)) return value;
  return new Date(path === 'takenAtLocal' ? `${value}Z` : value).toISOString();
}

test.each(cases.map((one) => [one.file, one.whatShouldCome, one] as const))(
  '%s: %s',
  async (file, _, { expect: should }) => {
    const { outcome, message, photo } = await imported(file);
    expect([should.outcome].flat()).toContain(outcome);
    if (photo === null) {
      expect(message).toMatch(/ not supported\. | not accepted\. /);
      return;
    }
    for (const [path, value] of Object.entries(should.photo ?? {})) {
      expect([path, fieldOf(photo, path)]).toEqual([path, instant(path, value)]);
    }
    if (should.damaged !== undefined) expect(photo.damaged).toBe(should.damaged);
    if (should.location) {
      const { latitude, longitude, tolerance } = should.location;
      expectNear([photo.location?.latitude, photo.location?.longitude], [latitude, longitude], tolerance);
    }
    for (const picture of await renditions(photo.id)) {
      if (should.opaque) expect((await sharp(picture).metadata()).hasAlpha).toBe(false);
      if (should.notBlack) expect(Math.max(...(await mean(picture)))).toBeGreaterThan(16);
      if (should.average) expectNear(await mean(picture), should.average.rgb, should.average.tolerance);
      if (should.patches) {
        expectNear(await mean(picture, 0.05, 0.4), should.patches.left, should.patches.tolerance);
        expectNear(await mean(picture, 0.6, 0.95), should.patches.right, should.patches.tolerance);
      }
    }
  },
);
