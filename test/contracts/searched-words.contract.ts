import { type PhotoFilters, searchTerms } from '../../src/core/photos/photo-query.js';
import { later } from '../support/samples.js';
import { searchedTexts } from '../support/searched-texts.js';
import { present } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** Which words find a photo, in every script. */
export function searchedWordsContract(newTenant: NewTenant): void {
  it.each(searchedTexts)('$what', async ({ text, found, missed }) => {
    const tenant = await newTenant();
    const tag = await tenant.addTag(text);
    await tenant.addTag('another');
    const photos = await tenant.addPhotos([{ filename: text }, { title: text }, { description: text }]);
    const tagged = await tenant.addPhoto({ filename: 'plain' }, [tag.id]);
    const all = [...photos, tagged].map(({ id }) => id);
    await tenant.addPhoto({ filename: 'other', title: 'other' });
    const finds = async (q: string) => {
      const filters: PhotoFilters = { trashed: 'false', words: present(searchTerms(q)) };
      const window = { after: null, limit: 100 };
      return (await tenant.query((reader) => reader.photos.list({ filters, sort: 'id', window }))).map(({ id }) => id);
    };
    for (const q of found) expect([q, await finds(q)]).toEqual([q, all]);
    for (const q of missed) expect([q, await finds(q)]).toEqual([q, []]);
  });

  it('search words of a photo and of its tags are found together, and follow both', async () => {
    const tenant = await newTenant();
    const tag = await tenant.addTag('여름휴가 🏖️');
    const { id } = await tenant.addPhoto({ filename: 'IMG_東京タワー.jpg' }, [tag.id]);
    const finds = async (q: string) =>
      (await tenant.query(({ photos }) => photos.count({ trashed: 'false', words: present(searchTerms(q)) }))) === 1;
    expect([await finds('タワー 휴가 🏖'), await finds('タワー 휴지')]).toEqual([true, false]);
    await tenant.transaction(async ({ photos, tags }) => {
      const [photo] = await photos.lock([id]);
      await photos.update({ ...present(photo), title: '京都の桜' });
      const [held] = await tags.lock([tag.id]);
      await tags.update({ ...present(held), name: '봄나들이', nameKey: '봄나들이' });
    });
    expect([await finds('都の桜 タワー 나들이'), await finds('휴가')]).toEqual([true, false]);
    await tenant.transaction(({ tags }) => tags.delete(tag.id, later(1)));
    expect([await finds('都の桜 タワー'), await finds('나들이')]).toEqual([true, false]);
  });
}
