import { deleteSearch, listSearches, renameSearch, saveSearch } from '../../src/core/searches/save-search.js';
import { MAX_SAVED_QUERY, MAX_SAVED_SEARCHES, MAX_SEARCH_NAME } from '../../src/core/searches/saved-search.js';
import { Account, type World, world } from '../support/core-world.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

const save = (name: string, query = 'rating=4') => saveSearch(here, acme.caller, { name, query });
const names = async (account = acme) => (await listSearches(here, account.caller)).map(({ name }) => name);
const field = (name: string, code: string) => ({
  details: { errors: [expect.objectContaining({ field: name, code })] },
});

test('saved searches are stored under clean names, renamed and deleted', async () => {
  const { id } = await save('  Best of Paris ');
  await save('Alps');
  expect(await names()).toEqual(['Alps', 'Best of Paris']);
  await renameSearch(here, acme.caller, id, 'best of PARIS');
  expect(await names()).toEqual(['Alps', 'best of PARIS']);
  await deleteSearch(here, acme.caller, id);
  expect(await names()).toEqual(['Alps']);
  for (const act of [renameSearch(here, acme.caller, id, 'x'), deleteSearch(here, acme.caller, id)]) {
    await expect(act).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('a saved search needs a name that no other has, and a query', async () => {
  const { id } = await save('Paris');
  await save('Alps');
  await expect(save('PARIS')).rejects.toMatchObject(field('name', 'conflict'));
  await expect(renameSearch(here, acme.caller, id, 'alps')).rejects.toMatchObject(field('name', 'conflict'));
  await expect(save(' ')).rejects.toMatchObject(field('name', 'too_short'));
  await expect(save('x'.repeat(MAX_SEARCH_NAME + 1))).rejects.toMatchObject(field('name', 'too_long'));
  await expect(save('New', '')).rejects.toMatchObject(field('query', 'too_short'));
  await expect(save('New', 'q'.repeat(MAX_SAVED_QUERY + 1))).rejects.toMatchObject(field('query', 'too_long'));
  expect(await names()).toEqual(['Alps', 'Paris']);
});

test('saved searches are limited in number, also when they are saved at once', async () => {
  for (let number = 1; number < MAX_SAVED_SEARCHES; number += 1) await save(`search ${number}`);
  const results = await Promise.allSettled([save('one'), save('other')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(save('another')).rejects.toMatchObject({ code: 'limit_reached' });
});

test('saved searches of another account are inaccessible', async () => {
  const other = await Account.open(here);
  const { id } = await save('Paris');
  await expect(deleteSearch(here, other.caller, id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(renameSearch(here, other.caller, id, 'Mine')).rejects.toMatchObject({ code: 'not_found' });
  expect([await names(), await names(other)]).toEqual([['Paris'], []]);
});
