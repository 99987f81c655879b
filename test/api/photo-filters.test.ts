import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
// biome-ignore lint/suspicious/noExplicitAny: tests look into photos field by field.
let shown: Record<string, any>;
let tags: Record<string, number>;

const at = (latitude: number, longitude: number) => ({ location: { latitude, longitude, altitude: null } });
const facts: Record<string, Parameters<typeof picture>[1]> = {
  fiji: { ...at(-17.7, 178), width: 300, height: 400, camera: { make: 'NIKON', model: 'D750', lens: '50mm' } },
  samoa: { ...at(-13.8, -172), width: 400, height: 400, contentType: 'image/png' },
  paris: { ...at(48.85837, 2.294481), rating: 4, contentType: 'image/webp' },
  nowhere: { contentType: 'image/gif', rating: 0, camera: { make: null, model: 'iPhone 7', lens: null } },
};
const titles: Record<string, string> = {
  fiji: 'Café at the sea',
  samoa: '',
  paris: 'Tour Eiffel',
  nowhere: 'Über allen Gipfeln',
};
const names: Record<string, string> = {
  fiji: 'IMG_0001.JPG',
  samoa: 'straße.png',
  paris: 'img_0001.jpg',
  nowhere: '50% off.gif',
};

beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  shown = {};
  tags = {};
  for (const name of Object.keys(facts)) {
    app.clock.pass(1000);
    const [photo] = await importPhotos(app, actor, [
      { filename: String(names[name]), content: picture(String(titles[name]), facts[name]) },
    ]);
    shown[name] = photo;
  }
  for (const name of ['Holiday', 'Sea', 'Unused']) tags[name] = (await actor.post('/tags', { name })).body.id;
  await actor.put(`/photos/${shown['fiji'].id}/tags`, { tagIds: [tags['Holiday'], tags['Sea']] });
  await actor.put(`/photos/${shown['samoa'].id}/tags`, { tagIds: [tags['Sea']] });
  const changes: Record<string, object> = {
    fiji: { takenAt: '2024-06-01T00:00:00Z', externalId: 'shoot/1' },
    samoa: { takenAt: '2024-06-01T00:00:00.001Z', externalId: 'Shoot/1' },
    paris: { takenAt: '2024-05-31T23:59:59.999Z', rotation: 90 },
  };
  for (const [name, patch] of Object.entries(changes)) {
    app.clock.pass(1000);
    await actor.patch(`/photos/${shown[name].id}`, patch);
  }
  for (const name of Object.keys(facts)) shown[name] = (await actor.get(`/photos/${shown[name].id}`)).body;
});
afterAll(() => app.close());

const found = (answer: Answer): string[] =>
  answer.body.data.map(({ id }: { id: number }) => Object.keys(shown).find((name) => shown[name].id === id));
const list = (query: string) => actor.get(`/photos?sort=id&${query}`);
const everything = ['fiji', 'samoa', 'paris', 'nowhere'];
const errors = (answer: Answer) =>
  answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]);
const encoded = encodeURIComponent;

describe('GET /photos, each filter', () => {
  const filters: [string, () => string, string[]][] = [
    [
      'ids: "unknown ids are simply absent"',
      () => `ids=${shown['paris'].id},999999,${shown['fiji'].id}`,
      ['fiji', 'paris'],
    ],
    ['ids: an id twice is one photo', () => `ids=${shown['paris'].id},${shown['paris'].id}`, ['paris']],
    ['q: every word', () => 'q=sea%20cafe', ['fiji']],
    ['q: in the title and the file name', () => 'q=img%20eiffel', ['paris']],
    ['q: "accent-insensitive", in the words asked for too', () => `q=${encoded('CAFÈ')}`, ['fiji']],
    ['q: sharp s is ss', () => 'q=STRASSE', ['samoa']],
    ['q: "prefix" of a word', () => 'q=gip', ['nowhere']],
    ['q: not its middle', () => 'q=ipfel', []],
    ['q: a tag name', () => 'q=holi', ['fiji']],
    ['q: words in different places', () => 'q=sea%20png', ['samoa']],
    ['q: signs between words', () => 'q=%2350%25!', ['nowhere']],
    ['filename: "exact, case-insensitive"', () => 'filename=Img_0001.jpg', ['fiji', 'paris']],
    ['filename: exact', () => 'filename=img_0001', []],
    ['filename: folded', () => 'filename=STRASSE.PNG', ['samoa']],
    ['filename: with signs of patterns', () => `filename=${encoded('50% off.gif')}`, ['nowhere']],
    ['tagIds: "all"', () => `tagIds=${tags['Sea']},${tags['Holiday']}`, ['fiji']],
    ['anyTagIds: "any"', () => `anyTagIds=${tags['Sea']},${tags['Holiday']}`, ['fiji', 'samoa']],
    [
      'excludeTagIds: "none of"',
      () => `excludeTagIds=${tags['Holiday']},${tags['Unused']}`,
      ['samoa', 'paris', 'nowhere'],
    ],
    ['"ANDed"', () => `tagIds=${tags['Sea']}&excludeTagIds=${tags['Holiday']}`, ['samoa']],
    ['untagged: true', () => 'untagged=true', ['paris', 'nowhere']],
    ['untagged: false', () => 'untagged=false', ['fiji', 'samoa']],
    ['importId: "exact"', () => `importId=${shown['samoa'].importId}`, ['samoa']],
    ['importId: an unknown one', () => 'importId=999999', []],
    ['externalId: "exact"', () => 'externalId=shoot/1', ['fiji']],
    ['externalId: as a client would write it', () => `externalId=${encoded(' shoot/1 ')}`, ['fiji']],
    ['sha256: in capitals', () => `sha256=${shown['paris'].sha256.toUpperCase()}`, ['paris']],
    ['contentType: exact', () => 'contentType=image/png', ['samoa']],
    [
      'contentType: a list, without letter case',
      () => 'contentType=IMAGE/PNG,image/gif,image/tiff',
      ['samoa', 'nowhere'],
    ],
    ['contentType: image/*', () => 'contentType=image/*', everything],
    ['contentType: image/* in a list', () => 'contentType=image/png,image/*', everything],
    ['contentType: another kind', () => 'contentType=video/*', []],
    ['takenAfter: "≥"', () => 'takenAfter=2024-06-01T00:00:00Z', ['fiji', 'samoa']],
    ['takenBefore: "<"', () => 'takenBefore=2024-06-01T00:00:00Z', ['paris']],
    [
      'takenAfter and takenBefore: one instant',
      () => 'takenAfter=2024-06-01T00:00:00Z&takenBefore=2024-06-01T00:00:00.001Z',
      ['fiji'],
    ],
    ['takenAfter: "with offset"', () => `takenAfter=${encoded('2024-06-01T02:00:00.001+02:00')}`, ['samoa']],
    ['createdAfter: ≥', () => `createdAfter=${shown['paris'].createdAt}`, ['paris', 'nowhere']],
    ['createdBefore: <', () => `createdBefore=${shown['paris'].createdAt}`, ['fiji', 'samoa']],
    ['updatedAfter: ≥', () => `updatedAfter=${shown['samoa'].updatedAt}`, ['samoa', 'paris']],
    ['updatedBefore: <', () => `updatedBefore=${shown['samoa'].updatedAt}`, ['fiji', 'nowhere']],
    ['hasLocation: true', () => 'hasLocation=true', ['fiji', 'samoa', 'paris']],
    ['hasLocation: false', () => 'hasLocation=false', ['nowhere']],
    ['country: without letter case', () => 'country=fr', ['paris']],
    ['country: nothing is there', () => 'country=AQ', []],
    ['place: the country by its name', () => 'place=france', ['paris']],
    ['place: every word', () => `place=${encoded('île paris')}`, ['paris']],
    ['q: a place', () => 'q=france', ['paris']],
    ['lens', () => 'lens=no%20such', []],
    ['minIso', () => 'minIso=10000000', []],
    ['minFocalLength35mm and maxFocalLength35mm', () => 'minFocalLength35mm=99999&maxFocalLength35mm=100000', []],
    ['bbox: its borders belong to it', () => 'bbox=2.294481,48.85837,2.294481,48.85837', ['paris']],
    ['bbox: the whole world', () => 'bbox=-180,-90,180,90', ['fiji', 'samoa', 'paris']],
    ['bbox: "may cross 180°"', () => 'bbox=177,-20,-170,-10', ['fiji', 'samoa']],
    ['bbox: the same corners the other way round', () => 'bbox=-170,-20,177,-10', []],
    ['bbox: 180 to -180 is the line alone', () => 'bbox=180,-90,-180,90', []],
    ['camera: "substring of make+model"', () => 'camera=kon%20d7', ['fiji']],
    ['camera: the model alone', () => 'camera=IPHONE', ['nowhere']],
    ['camera: never the lens', () => 'camera=50mm', []],
    ['minRating: 0 is rated', () => 'minRating=0', ['paris', 'nowhere']],
    ['minRating: ≥', () => 'minRating=4', ['paris']],
    ['minRating: 5', () => 'minRating=5', []],
    ['aspect: landscape', () => 'aspect=landscape', ['nowhere']],
    ['aspect: portrait, also of one that was turned', () => 'aspect=portrait', ['fiji', 'paris']],
    ['aspect: square', () => 'aspect=square', ['samoa']],
    ['trashed: false, the default', () => 'trashed=false', everything],
    ['trashed: any', () => 'trashed=any', everything],
  ];
  test.each(filters)('%s', async (_, query, expected) => {
    const answer = await list(query());
    expect([answer.status, found(answer)]).toEqual([200, expected]);
  });

  test.each(['ids', 'sha256'])('%s takes a hundred and no more', async (name) => {
    const values = Array.from({ length: 101 }, (_, number) =>
      name === 'ids' ? number + 1 : `${number}`.padStart(64, '0'),
    );
    const hundred = await list(`${name}=${values.slice(1).join()}`);
    expect(hundred.status).toBe(200);
    const more = await list(`${name}=${values.join()}`);
    expect([more.status, errors(more), more.body.error.details.errors[0].max]).toEqual([
      400,
      [[name, 'too_many']],
      100,
    ]);
  });

  test.each(['tagIds', 'anyTagIds', 'excludeTagIds'])(
    '%s takes twenty; an unknown id is 400 unknown_tag',
    async (name) => {
      const made = [];
      for (let number = 0; number < 20; number += 1) {
        made.push((await actor.post('/tags?ifExists=return', { name: `tag ${number}` })).body.id);
      }
      expect((await list(`${name}=${made.join()}`)).status).toBe(200);
      expect(errors(await list(`${name}=${[...made, tags['Sea']].join()}`))).toEqual([[name, 'too_many']]);
      const stranger = await app.customer();
      const foreign = (await stranger.post('/tags', { name: 'theirs' })).body.id;
      for (const unknown of [999999, foreign]) {
        const answer = await list(`${name}=${tags['Sea']},${unknown}`);
        expect([answer.status, errors(answer)]).toEqual([400, [[name, 'unknown_tag']]]);
      }
    },
  );

  test('q has at most 200 characters', async () => {
    expect((await list(`q=${encoded('𝕏'.repeat(200))}`)).status).toBe(200);
    expect(errors(await list(`q=${encoded('𝕏'.repeat(201))}`))).toEqual([['q', 'too_long']]);
  });

  test.each([
    ['q=', 'too_short'],
    ['q=%25%20!', 'too_short'],
    ['q=%F0%9F%8F%BD', 'too_short'],
    ['filename=', 'too_short'],
    ['camera=', 'too_short'],
    ['camera=%2D', 'too_short'],
    ['externalId=', 'too_short'],
    ['ids=', 'invalid_type'],
    ['ids=1%2C%2C2', 'invalid_type'],
    ['ids=01', 'invalid_type'],
    ['ids=9007199254740992', 'invalid_type'],
    ['importId=0', 'invalid_type'],
    ['importId=1,2', 'invalid_type'],
    ['tagIds=x', 'invalid_type'],
    ['untagged=', 'invalid_format'],
    ['untagged=TRUE', 'invalid_format'],
    [`sha256=${'a'.repeat(63)}`, 'invalid_format'],
    ['contentType=*/*', 'invalid_format'],
    ['contentType=', 'invalid_format'],
    ['createdAfter=1700000000', 'invalid_format'],
    ['createdBefore=2024-12-21T00:00:00', 'invalid_format'],
    ['updatedAfter=2024-02-30T00:00:00Z', 'invalid_format'],
    ['updatedBefore=', 'invalid_format'],
    ['takenBefore=2024-12-21T24:00:00Z', 'invalid_format'],
    ['hasLocation=1', 'invalid_format'],
    ['bbox=-181,0,0,0', 'out_of_range'],
    ['bbox=0,0,180.1,0', 'out_of_range'],
    ['bbox=0,10,0,9', 'out_of_range'],
    ['bbox=0,-91,0,0', 'out_of_range'],
    ['bbox=0,0,0,0,0', 'too_many'],
    ['bbox=1e1,0,2e1,0', 'invalid_format'],
    ['bbox=0, 0, 0, 0', 'invalid_format'],
    ['country=', 'invalid_format'],
    ['country=FRA', 'invalid_format'],
    ['place=', 'too_short'],
    ['place=%2C', 'too_short'],
    ['lens=-', 'too_short'],
    ['minIso=0', 'out_of_range'],
    ['maxIso=1.5', 'invalid_type'],
    ['maxFocalLength35mm=100001', 'out_of_range'],
    ['minRating=-1', 'out_of_range'],
    ['minRating=2.5', 'invalid_type'],
    ['aspect=Square', 'invalid_format'],
    ['trashed=all', 'invalid_format'],
    ['include=urls,exif', 'invalid_format'],
    ['include=', 'invalid_format'],
    ['sort=title', 'invalid_format'],
    ['sort=-updatedAt', 'invalid_format'],
    ['sort=createdAt,id', 'invalid_format'],
    ['tag=1', 'unknown_parameter'],
    ['q=a&q=b', 'invalid_type'],
  ])('refuses %s', async (query, code) => {
    const answer = await actor.get(`/photos?${query.replaceAll(' ', '%20')}`);
    expect([answer.status, errors(answer)]).toEqual([400, [[query.split('=')[0], code]]]);
  });
});

describe('sort', () => {
  test.each([
    ['', ['nowhere', 'paris', 'samoa', 'fiji']],
    ['sort=-createdAt', ['nowhere', 'paris', 'samoa', 'fiji']],
    ['sort=createdAt', everything],
    ['sort=-id', ['nowhere', 'paris', 'samoa', 'fiji']],
    ['sort=takenAt', ['paris', 'fiji', 'samoa', 'nowhere']],
    // "NULLs last in both directions".
    ['sort=-takenAt', ['samoa', 'fiji', 'paris', 'nowhere']],
    // Equal names by id, in the direction of the sort.
    ['sort=filename', ['nowhere', 'fiji', 'paris', 'samoa']],
    ['sort=-filename', ['samoa', 'paris', 'fiji', 'nowhere']],
    ['sort=updatedAt', ['nowhere', 'fiji', 'samoa', 'paris']],
  ])('%s', async (query, expected) => {
    expect(found(await actor.get(`/photos?${query}`))).toEqual(expected);
  });

  test('createdAt is "the moment of publishing, immutable"; ids are older', async () => {
    const owner = await app.customer();
    const { id } = (await owner.post('/imports')).body;
    await postFiles(owner, id, [{ filename: 'early.jpg', content: picture('early') }]);
    app.clock.pass(60_000);
    const [later] = await importPhotos(app, owner, [{ filename: 'later.jpg', content: picture('later') }]);
    app.clock.pass(60_000);
    await owner.post(`/imports/${id}/finalize`);
    await app.work();
    const [newest, older] = (await owner.get('/photos')).body.data;
    expect([newest.filename, older.id]).toEqual(['early.jpg', later.id]);
    expect(newest.id).toBeLessThan(later.id);
    expect(newest.createdAt).toBe(app.clock.now().toISOString());
    app.clock.pass(60_000);
    const edited = (await owner.patch(`/photos/${newest.id}`, { title: 'new' })).body;
    expect([edited.createdAt, edited.updatedAt]).toEqual([newest.createdAt, app.clock.now().toISOString()]);
  });
});

describe('the trash and what is included', () => {
  test('trashed=true shows the trash alone, any both, the default neither', async () => {
    const owner = await app.customer();
    const [kept, gone] = await importPhotos(app, owner, [
      { filename: 'kept.jpg', content: picture('kept') },
      { filename: 'gone.jpg', content: picture('gone') },
    ]);
    await owner.delete(`/photos/${gone.id}`);
    const ids = async (query: string) =>
      (await owner.get(`/photos?sort=id${query}`)).body.data.map((photo: { id: number }) => photo.id);
    expect(await ids('')).toEqual([kept.id]);
    expect(await ids('&trashed=false')).toEqual([kept.id]);
    expect(await ids('&trashed=true')).toEqual([gone.id]);
    expect(await ids('&trashed=any')).toEqual([kept.id, gone.id]);
    expect(await ids(`&ids=${gone.id}`)).toEqual([]);
    expect(await ids(`&sha256=${gone.sha256}&trashed=any`)).toEqual([gone.id]);
  });

  test('"with tags, without exif"; include=urls brings urls, and null for a key with an IP list', async () => {
    const [photo] = (await list(`ids=${shown['fiji'].id}`)).body.data;
    expect(photo).toEqual(shown['fiji']);
    expect(photo.tags).toEqual([
      { id: tags['Holiday'], name: 'Holiday' },
      { id: tags['Sea'], name: 'Sea' },
    ]);
    const { urls, ...rest } = (await list(`ids=${shown['fiji'].id}&include=urls`)).body.data[0];
    expect(rest).toEqual(photo);
    expect(Object.keys(urls)).toEqual(['thumb', 'small', 'medium', 'large', 'expiresAt']);
    const locked = await actor.withKey({ ipList: ['127.0.0.1'] });
    expect((await locked.get('/photos?include=urls&limit=1')).body.data[0].urls).toBeNull();
  });

  test('the recipe of a delta sync sees what changed, and the trash as tombstones', async () => {
    const owner = await app.customer();
    const photos = await importPhotos(
      app,
      owner,
      ['a', 'b', 'c'].map((title) => ({ filename: `${title}.jpg`, content: picture(`sync ${title}`) })),
    );
    app.clock.pass(120_000);
    const since = app.clock.now().toISOString();
    await owner.delete(`/photos/${photos[1].id}`);
    app.clock.pass(1000);
    await owner.patch(`/photos/${photos[0].id}`, { title: 'changed' });
    const changes = (await owner.get(`/photos?sort=updatedAt&updatedAfter=${since}&trashed=any`)).body.data;
    expect(changes).toMatchObject([
      { id: photos[1].id, trashedAt: since },
      { id: photos[0].id, trashedAt: null, title: 'changed' },
    ]);
  });
});
