/* @slow */
import sharp from 'sharp';
import { operatorFor } from '../../src/core/customers/customer.js';
import { MINUTE } from '../../src/core/shared/clock.js';
import { createShare, type ShareContents } from '../../src/core/shares/own-shares.js';
import type { Route } from '../../src/http/route-table.js';
import { assetsVersion } from '../../src/pages/assets.controller.js';
import { shareAssets, visitorSizes } from '../../src/pages/visitors/share.controller.js';
import { BrowserClient } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { importPhotos, sha256 } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { type OpenMedia, openMedia } from '../support/media.js';
import { present } from '../support/tenant.js';

/**
 * Every route below the link of a share, from the route table: what visitors get who have not entered its password, who have a cookie of
 * another share, and who may see it. The pictures are real files with EXIF, and every answer is searched for all that is known of each photo.
 */

const PASSWORD = 'seven sailors';
const SHARE_TITLE = 'share-title';
const COMMON_TAG = 'tag-of-the-share';

interface Statuses {
  /** Without the cookie of this share. */
  readonly locked: number;
  /** Of a share of pictures, and of one of originals, with it: of what the share shows. */
  readonly pictures: number;
  readonly originals: number;
}

/** What every route answers. One that is missing here fails the first test: decide what it may give to whom. */
const considered: Readonly<Record<string, Statuses>> = {
  'GET /s/:token': { locked: 200, pictures: 200, originals: 200 },
  'GET /s/:token/archive.zip': { locked: 403, pictures: 404, originals: 200 },
  'GET /s/:token/assets/:version/:name': { locked: 200, pictures: 200, originals: 200 },
  'GET /s/:token/photos.json': { locked: 403, pictures: 200, originals: 200 },
  'GET /s/:token/photos/:id': { locked: 200, pictures: 200, originals: 200 },
  'GET /s/:token/photos/:id/:size': { locked: 403, pictures: 200, originals: 200 },
  'GET /s/:token/photos/:id/download': { locked: 403, pictures: 404, originals: 200 },
  // The password is wrong, and neither share takes uploads.
  'POST /s/:token/password': { locked: 401, pictures: 401, originals: 401 },
  'POST /s/:token/upload': { locked: 403, pictures: 409, originals: 409 },
};
/** Where originals are given out, with their names and all that is in them. */
const ORIGINALS = ['GET /s/:token/archive.zip', 'GET /s/:token/photos/:id/download'];

let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
let photos: Readonly<Record<string, Photo>>;
/** Links, by what visitors may do. */
let links: Readonly<Record<'pictures' | 'originals' | 'other', string>>;

interface Photo {
  readonly id: number;
  /** What only those may learn who get the original. */
  readonly inOriginal: readonly string[];
  /** What no visitor may learn. */
  readonly hidden: readonly string[];
  readonly title: string;
}

beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
  actor = await app.customer('Studio North');
  const stranger = await app.customer('Stranger');
  const own = await importAll(actor, ['shown', 'beside', 'unshared', 'trashed']);
  photos = { ...own, ...(await importAll(stranger, ['foreign'])) };
  const shared = ['shown', 'beside', 'trashed'].map((name) => photoOf(name).id);
  const tagId = await tag(actor, COMMON_TAG, shared);
  links = {
    pictures: await share({ tagId, mayDownload: false }),
    originals: await share({ photoIds: shared, mayDownload: true }),
    other: await share({ photoIds: [photoOf('unshared').id], mayDownload: true }),
  };
  await actor.delete(`/photos/${photoOf('trashed').id}`);
});
afterAll(async () => {
  await app.close();
  await media.close();
});

const photoOf = (name: string) => present(photos[name]);

/** Photos of which everything is known, in words that stand nowhere else. */
async function importAll(of: Actor, names: readonly string[]): Promise<Record<string, Photo>> {
  const files = await Promise.all(
    names.map(async (name) => ({ filename: `file-${name}.jpg`, content: await jpeg(name) })),
  );
  const imported = await importPhotos(app, of, files);
  const entries = names.map(async (name, at): Promise<[string, Photo]> => {
    const { id } = imported[at];
    const latitude = Number(`${10 + name.length}.1357`);
    const fields = {
      title: `title-${name}`,
      description: `description-${name}`,
      metadata: { [`key-${name}`]: `value-${name}` },
      location: { latitude, longitude: 77.5319 },
      rating: 4,
      externalId: `external-${name}`,
    };
    expect((await of.patch(`/photos/${id}`, fields)).status).toBe(200);
    await tag(of, `tag-${name}`, [id]);
    const inOriginal = [`file-${name}`, `artist-${name}`, sha256(present(files[at]).content)];
    const words = ['description', 'key', 'value', 'external', 'tag'].map((kind) => `${kind}-${name}`);
    return [name, { id, title: fields.title, inOriginal, hidden: [...words, String(latitude), '77.5319'] }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

const jpeg = (name: string) =>
  sharp({ create: { width: 96, height: 64, channels: 3, background: { r: name.length * 20, g: 90, b: 40 } } })
    .withExif({ IFD0: { Artist: `artist-${name}` }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 30/1' } })
    .jpeg()
    .toBuffer();

async function tag(of: Actor, name: string, ids: readonly number[]): Promise<number> {
  const { id } = (await of.post('/tags', { name })).body;
  expect((await of.patch(`/tags/${id}`, { addPhotoIds: ids })).status).toBe(200);
  return id;
}

async function share(values: ShareContents & { mayDownload: boolean }): Promise<string> {
  const settings = {
    title: SHARE_TITLE,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    expiresAt: null,
    password: PASSWORD,
  };
  const created = await createShare(app.ports, operatorFor(actor.customerId), { ...settings, ...values });
  return `/s/${present(created.token)}`;
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const routes = () => app.routes.filter(({ path }) => path.startsWith('/s/:token'));

/** Addresses of a route below a link, with each value of its parameters, and the photo that each is of. */
function addressesOf({ path }: Route, link: string): { address: string; photo: string | null }[] {
  const sizes = [...Object.keys(visitorSizes), 'medium', 'original', 'full'];
  const values: Readonly<Record<string, readonly string[]>> = {
    version: [assetsVersion],
    name: Object.keys(shareAssets),
    size: sizes,
  };
  let addresses: { address: string; photo: string | null }[] = [
    { address: path.replace('/s/:token', link), photo: null },
  ];
  for (const [, parameter = ''] of path.replace(':token', '').matchAll(/:(\w+)/g)) {
    const choices =
      parameter === 'id'
        ? Object.entries(photos).map(([photo, { id }]) => ({ value: String(id), photo }))
        : present(values[parameter]).map((value) => ({ value, photo: null }));
    addresses = addresses.flatMap(({ address, photo }) =>
      choices.map((choice) => ({
        address: address.replace(`:${parameter}`, choice.value),
        photo: choice.photo ?? photo,
      })),
    );
  }
  return addresses;
}

interface Found extends Pick<Answer, 'status' | 'headers' | 'bytes' | 'text'> {
  readonly route: string;
  readonly address: string;
  readonly photo: string | null;
}

/** Everything that is below a link, in all forms. */
async function walk(link: string, cookie: string | null): Promise<Found[]> {
  // Budgets are shown elsewhere.
  app.clock.pass(MINUTE);
  const visitor = new BrowserClient(app.url);
  if (cookie !== null) visitor.cookies.set('phs_share', cookie);
  const found: Found[] = [];
  for (const route of routes()) {
    for (const { address, photo } of addressesOf(route, link)) {
      const answers =
        route.method === 'GET'
          ? await Promise.all([
              visitor.get(address),
              visitor.get(address, { accept: 'application/json' }),
              visitor.send({ method: 'HEAD', path: address }),
            ])
          : [await visitor.send({ method: route.method, path: address, ...form({ password: 'six sailors' }) })];
      for (const { status, headers, bytes, text } of answers)
        found.push({ route: nameOf(route), address, photo, status, headers, bytes, text });
    }
  }
  return found;
}

const form = (fields: Readonly<Record<string, string>>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', origin: app.url },
});

async function cookieFor(link: string): Promise<string> {
  const visitor = new BrowserClient(app.url);
  expect((await visitor.post(`${link}/password`, { password: PASSWORD })).status).toBe(303);
  return present(visitor.cookies.get('phs_share'));
}

/** Headers and body, as they came. */
const allOf = ({ headers, bytes }: Found) => `${JSON.stringify(headers)}\n${bytes.toString('latin1')}`;

/** Those of these words that stand in an answer. */
function wordsIn(answers: readonly Found[], words: readonly string[]): string[] {
  return answers.flatMap((answer) => {
    const text = allOf(answer);
    return words.filter((word) => text.includes(word)).map((word) => `${answer.route}: ${word}`);
  });
}

const all = (names: readonly string[], ...kinds: ('title' | 'inOriginal' | 'hidden')[]) =>
  names.flatMap((name) => kinds.flatMap((kind) => photoOf(name)[kind]));
const SHOWN = ['shown', 'beside'];
const NOT_SHOWN = ['unshared', 'trashed', 'foreign'];

test('every route below a link is considered here, and no other', () => {
  expect(routes().map(nameOf).sort()).toEqual(Object.keys(considered).sort());
});

test('the words by which leaks are found are those of the library', async () => {
  for (const name of ['shown', 'unshared']) {
    const { id, title, hidden, inOriginal } = photoOf(name);
    const { text } = await actor.get(`/photos/${id}?include=exif`);
    const [file, , hash] = inOriginal;
    for (const word of [title, file, hash, ...hidden]) expect(text).toContain(word);
    const { bytes } = await actor.get(`/photos/${id}/download`);
    expect(bytes.toString('latin1')).toContain(`artist-${name}`);
  }
});

describe.each(['pictures', 'originals'] as const)('a share of %s', (kind) => {
  test.each(['no cookie', 'a cookie of another share'])(
    'gives nothing of any photo to a visitor with %s',
    async (which) => {
      const cookie = which === 'no cookie' ? null : await cookieFor(links.other);
      const answers = await walk(links[kind], cookie);
      for (const { route, status } of answers) expect([route, status]).toEqual([route, considered[route]?.locked]);
      const words = [SHARE_TITLE, COMMON_TAG, ...all([...SHOWN, ...NOT_SHOWN], 'title', 'inOriginal', 'hidden')];
      expect(wordsIn(answers, words)).toEqual([]);
      // A photo that is shown cannot be told from one that is not.
      const others = new Set(Object.values(photos).map(({ id }) => `/photos/${id}`));
      const bodies = answers
        .filter(({ route }) => route === 'GET /s/:token/photos/:id')
        .map(({ text }) => [...others].reduce((body, each) => body.replaceAll(each, ''), text));
      expect(new Set(bodies.filter((body) => body !== '')).size).toBe(1);
    },
  );

  test('gives a visitor who may see it what it says, and nothing of other photos, tags, places and metadata', async () => {
    const answers = await walk(links[kind], await cookieFor(links[kind]));
    for (const { route, status, address, photo } of answers) {
      const isMissing = (photo !== null && NOT_SHOWN.includes(photo)) || /\/(medium|original|full)$/.test(address);
      expect([address, status]).toEqual([address, isMissing ? 404 : considered[route]?.[kind]]);
    }
    expect(wordsIn(answers, [COMMON_TAG, ...all(SHOWN, 'hidden')])).toEqual([]);
    expect(wordsIn(answers, all(NOT_SHOWN, 'title', 'inOriginal', 'hidden'))).toEqual([]);
    const mayHaveOriginals = ({ route }: Found) => kind === 'originals' && ORIGINALS.includes(route);
    expect(
      wordsIn(
        answers.filter((answer) => !mayHaveOriginals(answer)),
        all(SHOWN, 'inOriginal'),
      ),
    ).toEqual([]);
    const expected = kind === 'originals' ? all(SHOWN, 'inOriginal') : [];
    const given = answers.filter(mayHaveOriginals);
    for (const word of expected) expect([word, wordsIn(given, [word]).length > 0]).toEqual([word, true]);
    const pictures = answers.filter(
      ({ route, headers, bytes }) =>
        !ORIGINALS.includes(route) && bytes.length > 0 && /^image\/(?!svg)/.test(String(headers['content-type'])),
    );
    expect(pictures.length).toBeGreaterThanOrEqual(2 * 2 * Object.keys(visitorSizes).length);
    for (const { bytes } of pictures) {
      const { exif, xmp, iptc } = await sharp(bytes).metadata();
      expect({ exif, xmp, iptc }).toEqual({ exif: undefined, xmp: undefined, iptc: undefined });
    }
  });
});
