import type { Id } from '../../src/core/shared/ids.js';
import { deleteTag } from '../../src/core/tags/delete-tag.js';
import { editTag } from '../../src/core/tags/edit-tag.js';
import type { Tag } from '../../src/core/tags/tag.js';
import { runJob } from '../../src/worker/pools.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { claimJob } from '../support/claim.js';
import { Account, announced, note, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

let ports: World;
let acme: Account;
let from: Tag;
let into: Tag;
beforeEach(async () => {
  ports = world({ limits: { tagsPerPhoto: 3 } });
  acme = await Account.open(ports);
  [from, into] = [await acme.tag('from'), await acme.tag('into')];
});

const merge = () => editTag(ports, acme.caller, into.id, { mergeTagIds: [from.id] });
const names = (of: { readonly tags: readonly { readonly name: string }[] }) => of.tags.map(({ name }) => name);
const tagsOf = async (id: Id) => names(await acme.photo(id));
const counts = async () => (await acme.tags()).map(({ name, photoCount }) => [name, photoCount]);

describe('a merge of tags during an import', () => {
  test('gives the photos the remaining tag, whether the import or the item named the merged one', async () => {
    const { id } = await acme.start({ tagIds: [from.id] });
    const { id: other } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    const [named] = await acme.send(other, [picture('b.jpg')], { tagIds: [from.id, into.id] });
    const { changes } = await merge();
    // What is no photo yet is not counted.
    expect(changes).toMatchObject({ added: 0, unchanged: 0, mergedTagIds: [from.id] });
    expect(names(await acme.import(id))).toEqual(['into']);
    expect(names(await acme.item(present(named)))).toEqual(['into']);
    await runJobsUntilIdle(ports);
    for (const each of [id, other]) await acme.finalize(each);
    await runJobsUntilIdle(ports);
    for (const photo of await acme.photos()) expect(names(photo)).toEqual(['into']);
    expect(await counts()).toEqual([['into', 2]]);
  });

  test('changes an item in every state, until it is a photo', async () => {
    const { id } = await acme.start();
    const said = { tagIds: [from.id] };
    const [waiting] = await acme.items(id, announced(picture('waiting.jpg'), said));
    const [ready, failed] = await acme.send(id, [picture('ready.jpg'), note('note.jpg')], said);
    await runJobsUntilIdle(ports);
    const [busy] = await acme.send(id, [picture('busy.jpg')], said);
    await merge();
    const items = [waiting, ready, failed, busy].map(present);
    const seen = await Promise.all(items.map((item) => acme.item(item)));
    expect(seen.map((item) => [item.status, ...names(item)])).toEqual([
      ['awaiting_upload', 'into'],
      ['ready', 'into'],
      ['failed', 'into'],
      ['processing', 'into'],
    ]);
  });

  test('is no use of the import, and no new version of it', async () => {
    const { id } = await acme.start({ tagIds: [from.id] });
    const before = await acme.import(id);
    ports.clock.pass(1000);
    await merge();
    expect(await acme.import(id)).toEqual({ ...before, tagIds: [into.id], tags: [{ id: into.id, name: 'into' }] });
  });

  test('does not change an import that has ended', async () => {
    const { import: ended } = await acme.bring([picture('a.jpg')], { tagIds: [from.id] });
    await merge();
    expect(await acme.import(ended.id)).toEqual({ ...ended, tags: [] });
    expect(await tagsOf(present((await acme.photos())[0]).id)).toEqual(['into']);
  });

  test('that comes while the import is being published misses no photo', async () => {
    const { id } = await acme.start({ tagIds: [from.id] });
    const items = await acme.send(
      id,
      ['a', 'b', 'c'].map((name) => picture(`${name}.jpg`)),
    );
    await runJobsUntilIdle(ports);
    await acme.finalize(id);
    let transactions = 0;
    const store: World['store'] = Object.create(ports.store);
    store.transaction = async (customerId, work) => {
      transactions += 1;
      // Between the reading of what is ready and the transaction that publishes it.
      if (transactions === 1) await merge();
      return ports.store.transaction(customerId, work);
    };
    const job = present(await claimJob(ports.jobs, 60));
    expect(job.work.kind).toBe('publish');
    await runJob(withInProcess({ ...ports, store }), job);
    expect(transactions).toBeGreaterThan(1);
    for (const item of items) expect(await tagsOf(item.id)).toEqual(['into']);
    expect(await counts()).toEqual([['into', 3]]);
  });

  test('makes requests that name the merged tag afterwards fail as unknown', async () => {
    const { id } = await acme.start();
    await merge();
    await expect(acme.items(id, announced(picture('a.jpg'), { tagIds: [from.id] }))).rejects.toMatchObject({
      details: { errors: [{ field: 'photos[0].tagIds', code: 'unknown_tag' }] },
    });
  });
});

describe('a tag that is deleted during an import', () => {
  test('is left out of the photo', async () => {
    const { id } = await acme.start({ tagIds: [from.id] });
    const [item] = await acme.send(id, [picture('a.jpg')], { tagIds: [from.id, into.id] });
    await runJobsUntilIdle(ports);
    await acme.finalize(id);
    await deleteTag(ports, acme.caller, from.id);
    await runJobsUntilIdle(ports);
    expect((await acme.import(id)).status).toBe('completed');
    expect(await tagsOf(present(item).id)).toEqual(['into']);
  });

  test('does not count to the tags that a photo may have', async () => {
    const { id } = await acme.start({ tagNames: ['a', 'b', 'from'] });
    await deleteTag(ports, acme.caller, from.id);
    const [item] = await acme.send(id, [picture('a.jpg')], { tagIds: [into.id] });
    expect(names(await acme.item(present(item)))).toEqual(['into']);
    const tooMany = acme.items(id, announced(picture('b.jpg'), { tagNames: ['into', 'c'] }));
    await expect(tooMany).rejects.toMatchObject({ details: { errors: [{ code: 'too_many' }] } });
  });
});
