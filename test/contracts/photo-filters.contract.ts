import type { PhotoFilters } from '../../src/core/photos/photo-query.js';
import { later } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

type Name = 'beach' | 'tower' | 'atoll' | 'plain' | 'trashed';

interface Library {
  readonly tenant: Tenant;
  readonly ids: Readonly<Record<Name, number>>;
  readonly tags: Readonly<Record<'paris' | 'summer' | 'unused', number>>;
  readonly importId: number;
}

const hash = (digit: string) => digit.repeat(64);

/** What each of `PhotoFilters` lets through, and `unmoved`. */
export function photoFiltersContract(newTenant: NewTenant): void {
  let library: Library;

  beforeAll(async () => {
    library = await newLibrary(await newTenant());
    // The same again for someone else: nothing of it may show.
    await newLibrary(await newTenant());
  });

  async function found(filters: Partial<PhotoFilters>): Promise<string[]> {
    const query = {
      filters: { trashed: 'false', ...filters },
      sort: 'id',
      window: { after: null, limit: 100 },
    } as const;
    const photos = await library.tenant.query((reader) => reader.photos.list(query));
    return photos.map((photo) => names.find((name) => library.ids[name] === photo.id) ?? '?');
  }

  type Case = readonly [what: string, filters: (library: Library) => Partial<PhotoFilters>, names: readonly Name[]];
  const everyone: readonly Name[] = ['beach', 'tower', 'atoll', 'plain'];
  const cases: readonly Case[] = [
    ['nothing', () => ({}), everyone],
    ['trashed true', () => ({ trashed: 'true' }), ['trashed']],
    ['trashed any', () => ({ trashed: 'any' }), [...everyone, 'trashed']],
    ['ids', ({ ids }) => ({ ids: [ids.plain, ids.beach, ids.trashed, 9e15] }), ['beach', 'plain']],
    ['no ids', () => ({ ids: [] }), []],
    ['filenameKey', () => ({ filenameKey: 'beach.jpg' }), ['beach']],
    ['a part of a filenameKey', () => ({ filenameKey: 'beach' }), []],
    ['tagIds, all of them', ({ tags }) => ({ tagIds: [tags.paris, tags.summer] }), ['beach']],
    ['one of tagIds', ({ tags }) => ({ tagIds: [tags.paris] }), ['beach', 'tower']],
    ['anyTagIds', ({ tags }) => ({ anyTagIds: [tags.summer, tags.unused] }), ['beach', 'atoll']],
    ['anyTagIds that nothing has', ({ tags }) => ({ anyTagIds: [tags.unused] }), []],
    ['excludeTagIds', ({ tags }) => ({ excludeTagIds: [tags.summer, tags.unused] }), ['tower', 'plain']],
    ['tags wanted and not wanted', ({ tags }) => ({ tagIds: [tags.paris], excludeTagIds: [tags.summer] }), ['tower']],
    ['untagged', () => ({ untagged: true }), ['plain']],
    ['tagged', () => ({ untagged: false }), ['beach', 'tower', 'atoll']],
    ['importId', ({ importId }) => ({ importId }), ['tower']],
    ['externalId', () => ({ externalId: 'x-1' }), ['beach']],
    ['externalId in another case', () => ({ externalId: 'X-1' }), []],
    ['sha256', () => ({ sha256: [hash('1'), hash('f')] }), ['beach']],
    ['a content type', () => ({ contentType: ['image/png'] }), ['tower']],
    ['several content types', () => ({ contentType: ['image/png', 'image/webp'] }), ['tower', 'atoll']],
    ['every content type', () => ({ contentType: ['image/*'] }), everyone],
    ['every content type beside one', () => ({ contentType: ['image/png', 'image/*'] }), everyone],
    ['takenAfter, at the instant', () => ({ takenAfter: later(1000) }), ['beach', 'tower']],
    ['takenAfter, past the instant', () => ({ takenAfter: later(1001) }), ['tower']],
    ['takenBefore, at the instant', () => ({ takenBefore: later(2000) }), ['beach']],
    ['takenBefore, past the instant', () => ({ takenBefore: later(2001) }), ['beach', 'tower']],
    ['createdAfter', () => ({ createdAfter: later(30) }), ['atoll', 'plain']],
    ['createdBefore', () => ({ createdBefore: later(30) }), ['beach', 'tower']],
    ['updatedAfter', () => ({ updatedAfter: later(300) }), ['atoll', 'plain']],
    ['updatedBefore', () => ({ updatedBefore: later(300) }), ['beach', 'tower']],
    ['updatedAfter in all of the library', () => ({ updatedAfter: later(500), trashed: 'any' }), ['trashed']],
    ['hasLocation', () => ({ hasLocation: true }), ['beach', 'tower', 'atoll']],
    ['no location', () => ({ hasLocation: false }), ['plain']],
    ['bbox', () => ({ bbox: [2, 48, 3, 49] }), ['beach']],
    ['bbox, its edges included', () => ({ bbox: [2.25, 48.5, 2.25, 48.5] }), ['beach']],
    ['bbox across 180°', () => ({ bbox: [177, -20, -179, 20] }), ['tower', 'atoll']],
    ['bbox across 180°, cut in latitude', () => ({ bbox: [177, 0, -179, 20] }), ['atoll']],
    ['country', () => ({ country: 'FR' }), ['beach']],
    ['a country that no photo is of', () => ({ country: 'F' }), []],
    ['a word of the city', () => ({ placeWords: ['par'] }), ['beach']],
    ['words of city and country', () => ({ placeWords: ['france', 'paris'] }), ['beach']],
    ['a word of the region, without its accent', () => ({ placeWords: ['ile'] }), ['beach']],
    ['words of which one is no place of the photo', () => ({ placeWords: ['paris', 'fiji'] }), []],
    ['a word of a title is no place', () => ({ placeWords: ['elan'] }), []],
    ['a country by its name', () => ({ placeWords: ['fiji'] }), ['tower']],
    ['a country and a word', () => ({ country: 'FJ', words: ['tower'] }), ['tower']],
    ['a word of a place among all words', () => ({ words: ['france'] }), ['beach']],
    ['a country whose code begins a word', () => ({ words: ['fr', 'fj'] }), []],
    ['lens', () => ({ lensWords: ['zoom', '24'] }), ['beach']],
    ['a lens that no photo was taken with', () => ({ lensWords: ['prime'] }), []],
    ['a lens is not among all words', () => ({ words: ['zoom'] }), []],
    ['minIso, at the value', () => ({ minIso: 400 }), ['beach', 'tower']],
    ['minIso, past the value', () => ({ minIso: 401 }), ['tower']],
    ['maxIso, at the value', () => ({ maxIso: 400 }), ['beach']],
    ['a range of ISO', () => ({ minIso: 401, maxIso: 3200 }), ['tower']],
    ['minFocalLength35mm', () => ({ minFocalLength35mm: 30 }), ['tower']],
    ['maxFocalLength35mm', () => ({ maxFocalLength35mm: 30 }), ['beach']],
    ['camera', () => ({ camera: 'nikon' }), ['beach', 'tower']],
    ['camera across make and model', () => ({ camera: 'corporation nikon d7' }), ['beach']],
    ['camera, not the lens', () => ({ camera: 'zoom' }), []],
    ['camera without a make', () => ({ camera: 'z 9' }), ['atoll']],
    ['creator', () => ({ creator: 'eva' }), ['beach', 'tower']],
    ['creator across two of them', () => ({ creator: 'lovelace bo' }), ['beach']],
    ['a creator that no photo has', () => ({ creator: 'ada' }), []],
    ['creator and a favourite', () => ({ creator: 'eva', favorite: true }), ['beach']],
    ['favorite', () => ({ favorite: true }), ['beach']],
    ['not favorite', () => ({ favorite: false }), ['tower', 'atoll', 'plain']],
    ['favorite and minRating', () => ({ favorite: false, minRating: 0 }), ['tower']],
    ['a word of the creator', () => ({ words: ['lovel', 'par'] }), ['beach']],
    ['minRating', () => ({ minRating: 4 }), ['beach']],
    ['minRating 0: rated at all', () => ({ minRating: 0 }), ['beach', 'tower']],
    ['landscape', () => ({ aspect: 'landscape' }), ['beach', 'plain']],
    ['portrait', () => ({ aspect: 'portrait' }), ['tower']],
    ['square', () => ({ aspect: 'square' }), ['atoll']],
    ['a word of the file name', () => ({ words: ['jpg'] }), ['beach', 'plain']],
    ['the beginning of a word', () => ({ words: ['bea'] }), ['beach']],
    ['the middle of a word', () => ({ words: ['each'] }), []],
    ['a word of the title, without its accent', () => ({ words: ['elan'] }), ['beach']],
    ['a word of the description', () => ({ words: ['strasse'] }), ['atoll']],
    ['a word of a tag', () => ({ words: ['par'] }), ['beach', 'tower']],
    ['words of different texts', () => ({ words: ['par', 'vit', 'sommer', 'jp'] }), ['beach']],
    ['words of which one fits nowhere', () => ({ words: ['par', 'nothing'] }), []],
    ['a word of another script', () => ({ words: ['日'] }), ['atoll']],
    ['a word and a tag', ({ tags }) => ({ words: ['jpg'], tagIds: [tags.summer] }), ['beach']],
    ['no words', () => ({ words: [] }), everyone],
    ['everything at once', ({ tags, ids }) => ({ ...narrow, ids: [ids.beach], tagIds: [tags.paris] }), ['beach']],
  ];

  it.each(cases)('%s', async (_, filters, expected) => {
    expect(await found(filters(library))).toEqual(expected);
  });

  it('search words follow the photo, its tags and the names of those', async () => {
    const tenant = await newTenant();
    const tag = await tenant.addTag('Before');
    const photo = await tenant.addPhoto({ title: 'one' }, [tag.id]);
    const meets = async (word: string) => {
      const query = {
        filters: { trashed: 'false', words: [word] },
        sort: 'id',
        window: { after: null, limit: 1 },
      } as const;
      return (await tenant.query((reader) => reader.photos.list(query))).length === 1;
    };
    expect([await meets('one'), await meets('before')]).toEqual([true, true]);
    await tenant.transaction(async ({ photos, tags }) => {
      const [held] = await photos.lock([photo.id]);
      await photos.update({ ...present(held), title: 'two' });
      const [name] = await tags.lock([tag.id]);
      await tags.update({ ...present(name), name: 'After', nameKey: 'after' });
    });
    expect([await meets('one'), await meets('before')]).toEqual([false, false]);
    expect([await meets('two'), await meets('after')]).toEqual([true, true]);
    await tenant.transaction(({ tags }) => tags.delete(tag.id, later(1)));
    expect([await meets('two'), await meets('after')]).toEqual([true, false]);
  });

  describe('the unmoved check of a list position', () => {
    const filters = { trashed: 'false' } as const;

    it('is true as long as the row is at that position', async () => {
      const tenant = await newTenant();
      const photo = await tenant.addPhoto({ filename: 'A.jpg', takenAt: later(5) });
      const at = (value: string | number | null) => ({ value, id: photo.id });
      const ask = (sort: 'filename' | '-takenAt' | 'createdAt' | 'sizeBytes' | 'id', value: string | number | null) =>
        tenant.query(({ photos }) => photos.hasRowAt(filters, sort, at(value)));
      expect(await ask('filename', 'a.jpg')).toBe(true);
      expect(await ask('filename', 'A.jpg')).toBe(false);
      expect(await ask('-takenAt', later(5).getTime())).toBe(true);
      expect(await ask('-takenAt', later(6).getTime())).toBe(false);
      expect(await ask('-takenAt', null)).toBe(false);
      expect(await ask('createdAt', later(0).getTime())).toBe(true);
      expect(await ask('sizeBytes', 1000)).toBe(true);
      expect(await ask('id', photo.id)).toBe(true);
    });

    it('accepts the position of a row without a value', async () => {
      const tenant = await newTenant();
      const photo = await tenant.addPhoto();
      const ask = () =>
        tenant.query(({ photos }) => photos.hasRowAt(filters, 'takenAt', { value: null, id: photo.id }));
      expect(await ask()).toBe(true);
      await tenant.transaction(async ({ photos }) => {
        await photos.lock([photo.id]);
        await photos.update({ ...photo, takenAt: later(1) });
      });
      expect(await ask()).toBe(false);
    });

    it('is false once the row has left the list', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const [trashed, deleted, untagged] = await tenant.addPhotos([{}, {}, {}], [tag.id]);
      const all = [trashed, deleted, untagged].map((photo) => present(photo));
      const ask = () =>
        Promise.all(
          all.map(({ id }) =>
            tenant.query(({ photos }) => photos.hasRowAt({ ...filters, tagIds: [tag.id] }, 'id', { value: id, id })),
          ),
        );
      expect(await ask()).toEqual([true, true, true]);
      await tenant.transaction(async ({ photos }) => {
        await photos.lock(all.map((photo) => photo.id));
        await photos.update({ ...present(trashed), trashedAt: later(1) });
        await photos.delete(present(deleted).id);
        await photos.setTags(present(untagged).id, []);
      });
      expect(await ask()).toEqual([false, false, false]);
    });
  });
}

const narrow: Partial<PhotoFilters> = {
  words: ['beach'],
  filenameKey: 'beach.jpg',
  untagged: false,
  externalId: 'x-1',
  sha256: [hash('1')],
  contentType: ['image/jpeg'],
  takenAfter: later(1000),
  takenBefore: later(1001),
  createdAfter: later(10),
  createdBefore: later(11),
  updatedAfter: later(100),
  updatedBefore: later(101),
  hasLocation: true,
  bbox: [2, 48, 3, 49],
  country: 'FR',
  placeWords: ['paris'],
  lensWords: ['zoom'],
  minIso: 400,
  maxIso: 400,
  minFocalLength35mm: 24,
  maxFocalLength35mm: 24,
  camera: 'd750',
  minRating: 5,
  aspect: 'landscape',
};

const unexposed = {
  iso: null,
  fNumber: null,
  exposureTime: null,
  focalLength: null,
  focalLength35mm: null,
  flash: null,
};

const names: readonly Name[] = ['beach', 'tower', 'atoll', 'plain', 'trashed'];

async function newLibrary(tenant: Tenant): Promise<Library> {
  const [paris, summer, unused] = (await tenant.addTags('Paris', 'Sommer 2026', 'Unused')).map((tag) => tag.id);
  const { id: importId } = await tenant.addImport();
  const tags = { paris: present(paris), summer: present(summer), unused: present(unused) };
  const lens = 'Zoom 24-120mm f/4';
  const beach = await tenant.addPhoto(
    {
      filename: 'Beach.JPG',
      title: 'Élan vital',
      sha256: hash('1'),
      externalId: 'x-1',
      rating: 5,
      favorite: true,
      creator: 'Éva Lovelace; Bo',
      takenAt: later(1000),
      createdAt: later(10),
      updatedAt: later(100),
      location: { latitude: 48.5, longitude: 2.25, altitude: null },
      place: { country: 'FR', region: 'Île-de-France', city: 'Paris' },
      camera: { make: 'NIKON CORPORATION', model: 'NIKON D750', lens },
      exposure: { ...unexposed, iso: 400, focalLength35mm: 24 },
    },
    [tags.paris, tags.summer],
  );
  const tower = await tenant.addPhoto(
    {
      filename: 'tower.png',
      contentType: 'image/png',
      sha256: hash('2'),
      importId,
      width: 300,
      height: 400,
      rating: 0,
      creator: 'Eva Curie',
      takenAt: later(2000),
      createdAt: later(20),
      updatedAt: later(200),
      location: { latitude: -17.7, longitude: 178, altitude: 3 },
      place: { country: 'FJ', region: null, city: null },
      camera: { make: 'Nikon', model: null, lens: null },
      exposure: { ...unexposed, iso: 3200, focalLength35mm: 85.5 },
    },
    [tags.paris],
  );
  const atoll = await tenant.addPhoto(
    {
      filename: '日本_atoll.webp',
      description: 'Große Straße\nam Meer',
      contentType: 'image/webp',
      sha256: hash('3'),
      width: 200,
      height: 200,
      createdAt: later(30),
      updatedAt: later(300),
      location: { latitude: 10, longitude: -179.5, altitude: 0 },
      camera: { make: null, model: 'Z 9', lens: null },
    },
    [tags.summer],
  );
  const plain = await tenant.addPhoto({
    filename: 'plain.jpg',
    sha256: hash('4'),
    createdAt: later(40),
    updatedAt: later(400),
  });
  const trashed = await tenant.addPhoto(
    {
      filename: 'trashed.jpg',
      sha256: hash('5'),
      rating: 5,
      createdAt: later(50),
      updatedAt: later(500),
      trashedAt: later(500),
      purgeAt: later(600),
    },
    [tags.summer],
  );
  const ids = { beach: beach.id, tower: tower.id, atoll: atoll.id, plain: plain.id, trashed: trashed.id };
  return { tenant, ids, tags, importId };
}
