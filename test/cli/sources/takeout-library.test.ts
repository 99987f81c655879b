/* @rest */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from '../../../cli/src/sources/import-source.js';
import { takeoutSource } from '../../../cli/src/sources/takeout-source.js';
import { picture, sha256 } from '../../api/support/photos.js';
import { SdkWorld } from '../../sdk/support/service.js';
import { type ZipEntry, zip } from '../../support/zip.js';

/* A library of 2,000 files in three archives, with everything that Takeout is known to do to names and sidecars. */

const KINDS = 14;
const PER_KIND = 68;
const ROOT = 'Takeout/Google Photos';
const START = Date.parse('2015-03-01T12:00:00Z') / 1000;

interface Expected {
  readonly filename: string;
  readonly takenAt: string | null;
  readonly timeZone: string | null;
  readonly description: string | null;
  readonly favorite: boolean;
  readonly tags: readonly string[];
}

/** Makes the archives, and says what is to come of them. */
function library() {
  const archives: ZipEntry[][] = [[], [], []];
  const expected = new Map<string, Expected>();
  const skipped = new Map<string, string>();
  const put = (archive: number, path: string, content: string | Uint8Array) =>
    archives[archive % 3]?.push({ path: `${ROOT}/${path}`, content, deflated: typeof content === 'string' });
  for (const [archive, [folder, file, title]] of [
    ['Paris', 'metadata.json', 'Paris'],
    ['Été à la mer', 'métadonnées.json', 'Été à la mer'],
    ['Untitled(1)', 'Metadaten.json', 'Untitled'],
  ].entries()) {
    put(archive, `${folder}/${file}`, JSON.stringify({ title, description: '', access: 'protected' }));
  }
  for (let at = 0; at < KINDS * PER_KIND; at += 1) {
    const kind = at % KINDS;
    const year = `Photos from ${2015 + (at % 5)}`;
    const seconds = START + at * 1861;
    const bytes = picture(`takeout ${at}`);
    const instant = new Date(seconds * 1000).toISOString();
    const plain: Expected = {
      filename: `IMG_${at}.jpg`,
      takenAt: instant,
      timeZone: '+00:00',
      description: null,
      favorite: false,
      tags: [],
    };
    const json = (title: string, more: Readonly<Record<string, unknown>> = {}) =>
      JSON.stringify({
        title,
        description: '',
        photoTakenTime: { timestamp: String(seconds) },
        geoData: { latitude: 0, longitude: 0, altitude: 0 },
        ...more,
      });
    /** The photo, its JSON file, and what becomes of it. */
    const add = (name: string, sidecar: string | null, text: string, outcome: Partial<Expected> = {}) => {
      put(at, `${year}/${name}`, bytes);
      if (sidecar !== null) put(at, `${year}/${sidecar}`, text);
      expected.set(sha256(bytes), { ...plain, ...outcome });
    };
    const long = `${String(at).padStart(4, '0')} a title that nobody needs to be so very long as this`;
    const name = plain.filename;
    if (kind === 0) add(name, `${name}.json`, json(name));
    if (kind === 1)
      add(name, `${name}.supplemental-metadata.json`, json(name, { description: `D ${at}` }), {
        description: `D ${at}`,
      });
    if (kind === 2)
      add(`${long.slice(0, 47)}.jpg`, `${long.slice(0, 46)}.json`, json(`${long}.jpg`), { filename: `${long}.jpg` });
    if (kind === 3) {
      add(`Same ${at}(1).jpg`, `Same ${at}.jpg(1).json`, json(`Same ${at}.jpg`), { filename: `Same ${at}.jpg` });
      const other = picture(`takeout ${at} first`);
      put(at, `${year}/Same ${at}.jpg`, other);
      put(
        at + 1,
        `${year}/Same ${at}.jpg.supplemental-metadata.json`,
        json(`Same ${at}.jpg`, { description: 'first' }),
      );
      expected.set(sha256(other), { ...plain, filename: `Same ${at}.jpg`, description: 'first' });
    }
    if (kind === 4) {
      add(name, `${name}.json`, json(name, { favorited: true }), { favorite: true });
      const edited = picture(`takeout ${at} edited`);
      const editedName = `IMG_${at}-${['edited', 'bearbeitet', 'modifié'][at % 3]}.jpg`;
      put(at + 1, `${year}/${editedName}`, edited);
      expected.set(sha256(edited), { ...plain, filename: editedName, favorite: true });
    }
    if (kind === 5) {
      add(name, `${name}.supplemental-metadata.json`, json(name));
      put(at + 2, `${year}/IMG_${at}.MP4`, `film ${at}`);
      skipped.set(`${ROOT}/${year}/IMG_${at}.MP4`, 'video');
    }
    if (kind === 6 || kind === 7) {
      add(name, `${name}.json`, json(name), { tags: kind === 6 ? ['Paris'] : ['Paris', 'Été à la mer'] });
      put(at + 1, `Paris/${name}`, bytes);
      if (kind === 7) put(at + 2, `Été à la mer/${name}`, bytes);
    }
    if (kind === 8)
      add(`IMG_${at}__.jpg`, `IMG_${at}__.jpg.json`, json(`IMG_${at}?&amp;.jpg`), { filename: `IMG_${at}?&.jpg` });
    if (kind === 9) {
      const geoData = { latitude: 35.6812, longitude: 139.7671, altitude: 0 };
      add(name, `${name}.json`, json(name, { geoData }), { timeZone: 'Asia/Tokyo' });
    }
    if (kind === 10) {
      add(name, null, '');
      put(at + 1, `${year}/${name}.supplemental-metadata.json`, json(name));
    }
    if (kind === 11) {
      put(at, `Untitled(1)/${name}`, bytes);
      put(at, `Untitled(1)/${name}.json`, json(name));
      expected.set(sha256(bytes), { ...plain, tags: ['Untitled'] });
    }
    if (kind === 12) {
      put(at, `Bin/${name}`, bytes);
      put(at + 1, `Bin/${name}.json`, json(name, { trashed: true }));
      skipped.set(`${ROOT}/Bin/${name}`, 'trashed');
    }
    if (kind === 13) add(name, null, '', { takenAt: null, timeZone: null });
  }
  return { archives, expected, skipped };
}

let world: SdkWorld;
let folder: string;
beforeAll(async () => {
  world = await SdkWorld.start();
  folder = mkdtempSync(join(tmpdir(), 'phs-takeout-'));
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

it('a Takeout of 2,000 files: nothing is lost, times and albums are right, and a second run sends nothing', async () => {
  const { archives, expected, skipped } = library();
  expect(archives.flat().length).toBeGreaterThanOrEqual(2000);
  const paths = archives.map((entries, at) => {
    const path = join(folder, `takeout-00${at}.zip`);
    writeFileSync(path, zip(entries));
    return path;
  });
  const { client } = await world.client();
  const source = await takeoutSource(paths, { timeZone: null });
  const run = (stateFile: string) =>
    importSource(client, source, { stateFile: join(folder, stateFile), signal: new AbortController().signal });
  const result = await run('state');
  expect(result).toMatchObject({ imported: expected.size, duplicates: 0, failed: [] });
  const path = (label: string) => label.split('/').slice(1).join('/');
  expect(new Map(result.skippedFiles.map((each) => [path(each.path), each.reason]))).toEqual(skipped);
  // The one thing that nobody can know: the zones of photos without a place.
  expect(new Set(result.losses.map(({ field, reason }) => `${field} ${reason}`))).toEqual(
    new Set(['timeZone incomplete', 'json missing']),
  );
  const photos = await client.photos.list({ limit: 100 }).toArray();
  const found = photos.map(({ sha256: hash, filename, takenAt, timeZone, description, favorite, tags }) => {
    const names = tags.map(({ name }) => name);
    return [hash, { filename, takenAt, timeZone, description, favorite, tags: names }] as const;
  });
  expect(new Map(found)).toEqual(expected);

  const sent = world.front.uploads().length;
  expect(await run('another state')).toMatchObject({ imported: 0, duplicates: expected.size, bytesUploaded: 0 });
  await source.close?.();
  expect(world.front.uploads()).toHaveLength(sent);
  expect(world.front.seen.filter(({ status }) => status === 429)).toEqual([]);
});
