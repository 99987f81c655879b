import { editPhotos } from '../../src/core/photos/edit-photo.js';
import { purgePhotos, trashPhoto, trashPhotos } from '../../src/core/photos/trash.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createTags } from '../../src/core/tags/create-tags.js';
import { bumpPhotoVersions, deleteTag } from '../../src/core/tags/delete-tag.js';
import { editTag } from '../../src/core/tags/edit-tag.js';
import { readTag } from '../../src/core/tags/read-tag.js';
import type { Tag, TagPatch } from '../../src/core/tags/tag.js';
import { runJob } from '../../src/worker/pools.js';
import { claimJob } from '../support/claim.js';
import { Account, blobsUnder, everything, picture, type World, world } from '../support/core-world.js';
import { present, Tenant } from '../support/tenant.js';

let ports: World;
let acme: Account;
beforeEach(async () => {
  ports = world({ limits: { tags: 10, tagsPerPhoto: 3 } });
  acme = await Account.open(ports);
});

const NOBODY: Id = 9_000_000;

const invalid = (field: string, code: string) => ({
  code: 'invalid_request',
  details: { errors: [expect.objectContaining({ field, code })] },
});
const tagsOf = async (id: Id) => (await acme.photo(id)).tags.map((tag) => tag.name);

/** So many photos, each with these tags. */
async function photos(count: number, ...tags: readonly Tag[]): Promise<Id[]> {
  const ids: Id[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await acme.addPhoto(picture(`${number}.jpg`))).id);
  const tagging = { addPhotoIds: ids };
  for (const tag of tags) await editTag(ports, acme.caller, tag.id, tagging);
  return ids;
}

describe('the bulk tools of a tag', () => {
  const use = (tag: Tag, patch: TagPatch) => editTag(ports, acme.caller, tag.id, patch);
  const none = { added: 0, removed: 0, unchanged: 0, notFound: [], full: [], mergedTagIds: [] };

  test('add and remove photos, and count every named photo once', async () => {
    const tag = await acme.tag('sea');
    const [had, gets, loses, never] = (await photos(4)) as [Id, Id, Id, Id];
    await use(tag, { addPhotoIds: [had, loses] });
    ports.clock.pass(1000);
    const addPhotoIds = [gets, had, gets, NOBODY + 1];
    const { changes, ...edited } = await use(tag, { addPhotoIds, removePhotoIds: [loses, never, loses, NOBODY] });
    expect(changes).toEqual({ ...none, added: 1, removed: 1, unchanged: 2, notFound: [NOBODY, NOBODY + 1] });
    expect(edited).toEqual({ ...tag, photoCount: 2 });
    expect(await acme.photo(gets)).toMatchObject({ version: 2, updatedAt: ports.clock.now() });
    expect(await acme.photo(loses)).toMatchObject({ version: 3, updatedAt: ports.clock.now() });
    expect([(await acme.photo(had)).version, (await acme.photo(never)).version]).toEqual([2, 1]);
  });

  test('report a photo in the trash, or of another customer, as not found', async () => {
    const tag = await acme.tag('sea');
    const [trashed] = (await photos(1, tag)) as [Id];
    await trashPhoto(ports, acme.caller, trashed);
    const stranger = await Account.open(ports);
    const foreign = (await stranger.addPhoto(picture('theirs.jpg'))).id;
    const before = await everything(ports);
    const ids = [trashed, foreign];
    for (const tools of [{ addPhotoIds: ids }, { removePhotoIds: ids }]) {
      expect((await use(tag, tools)).changes).toEqual({ ...none, notFound: ids });
    }
    expect(await everything(ports)).toEqual(before);
  });

  test('count a photo that has as many tags as it may have as full, unless it has this one', async () => {
    const [a, b, c, d] = [await acme.tag('a'), await acme.tag('b'), await acme.tag('c'), await acme.tag('d')];
    const [full] = (await photos(1, a, b, c)) as [Id];
    const [almost] = (await photos(1, a, b)) as [Id];
    expect((await use(c, { addPhotoIds: [full] })).changes).toEqual({ ...none, unchanged: 1 });
    expect((await use(d, { addPhotoIds: [full, almost] })).changes).toEqual({ ...none, added: 1, full: [full] });
    expect(await tagsOf(full)).toEqual(['a', 'b', 'c']);
    // A merge takes one away before it gives one.
    expect((await use(d, { addPhotoIds: [full], mergeTagIds: [c.id] })).changes).toMatchObject({ added: 1, full: [] });
    expect(await tagsOf(full)).toEqual(['a', 'b', 'd']);
  });

  test('merge tags on photos, including those in the trash, and count only the photos outside the trash', async () => {
    const [into, from] = [await acme.tag('into'), await acme.tag('from')];
    const [both] = (await photos(1, into, from)) as [Id];
    const [moves, trashed] = (await photos(2, from)) as [Id, Id];
    await trashPhoto(ports, acme.caller, trashed);
    const { changes, ...edited } = await use(into, { mergeTagIds: [from.id, from.id] });
    expect(changes).toEqual({ ...none, added: 1, unchanged: 1, mergedTagIds: [from.id] });
    expect(edited).toEqual({ ...into, photoCount: 2 });
    for (const id of [both, moves, trashed]) expect(await tagsOf(id)).toEqual(['into']);
    expect((await acme.tags()).map((tag) => tag.name)).toEqual(['into']);
  });

  test('count a photo that is both named and moved once, and give it one new version', async () => {
    const [into, from] = [await acme.tag('into'), await acme.tag('from')];
    const [added, removed, kept] = (await photos(3, from)) as [Id, Id, Id];
    await use(into, { addPhotoIds: [removed] });
    const { changes } = await use(into, {
      addPhotoIds: [added],
      removePhotoIds: [removed],
      mergeTagIds: [from.id],
    });
    expect(changes).toEqual({ ...none, added: 2, removed: 1, mergedTagIds: [from.id] });
    expect([await tagsOf(added), await tagsOf(removed), await tagsOf(kept)]).toEqual([['into'], [], ['into']]);
    const versions = await Promise.all([added, removed, kept].map(async (id) => (await acme.photo(id)).version));
    expect(versions).toEqual([3, 4, 3]);
  });

  test('let the tag take the name of a tag that is merged into it', async () => {
    const [into, from] = [await acme.tag('Pariss'), await acme.tag('Paris')];
    const edited = await use(into, { name: 'PARIS', color: '#3366FF', mergeTagIds: [from.id] });
    expect(edited).toMatchObject({ id: into.id, name: 'PARIS', color: '#3366ff', version: 2 });
  });

  test('change nothing at all when the new name of the tag is taken', async () => {
    const [tag, other] = [await acme.tag('a'), await acme.tag('b')];
    const [id] = (await photos(1)) as [Id];
    const before = await everything(ports);
    await expect(use(tag, { name: 'B', addPhotoIds: [id] })).rejects.toMatchObject({ code: 'tag_name_taken' });
    const unknown = use(tag, { addPhotoIds: [id], mergeTagIds: [other.id, NOBODY] });
    await expect(unknown).rejects.toMatchObject(invalid('mergeTagIds', 'unknown_tag'));
    const check = () => {
      throw new DomainError('precondition_failed', 'on purpose');
    };
    const refused = editTag(ports, acme.caller, tag.id, { mergeTagIds: [other.id] }, check);
    await expect(refused).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await everything(ports)).toEqual(before);
  });

  test('refuse contradictory and invalid requests', async () => {
    const tag = await acme.tag('a');
    const stranger = await (await Account.open(ports)).tag('theirs');
    const wrong: [TagPatch, string, string][] = [
      [{ mergeTagIds: [tag.id] }, 'mergeTagIds', 'conflict'],
      [{ mergeTagIds: [stranger.id] }, 'mergeTagIds', 'unknown_tag'],
      [{ addPhotoIds: [1, 2], removePhotoIds: [2, 3] }, 'removePhotoIds', 'conflict'],
    ];
    for (const [patch, field, code] of wrong) await expect(use(tag, patch)).rejects.toMatchObject(invalid(field, code));
    const missing = editTag(ports, acme.caller, NOBODY, { addPhotoIds: [1] });
    await expect(missing).rejects.toMatchObject({ code: 'not_found', details: { resource: 'tag' } });
  });

  test('each need photos:write even for an empty list, while an edit of the tag itself does not', async () => {
    const tag = await acme.tag('a');
    const { caller } = acme.without('photos:write');
    for (const tools of [{ addPhotoIds: [] }, { removePhotoIds: [1] }, { mergeTagIds: [tag.id] }]) {
      const refusal = { code: 'scope_required', details: { scope: 'photos:write' } };
      await expect(editTag(ports, caller, tag.id, { color: '#000000', ...tools })).rejects.toMatchObject(refusal);
    }
    const edited = await editTag(ports, caller, tag.id, { color: '#000000' });
    expect(edited).toMatchObject({ color: '#000000', version: 2 });
    expect(edited).not.toHaveProperty('changes');
  });
});

describe('a POST of many tags', () => {
  const create = (...names: readonly string[]) =>
    createTags(
      ports,
      acme.caller,
      names.map((name) => ({ name, color: '#AABBCC', description: ' said ' })),
    );
  const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome);

  test('answers each tag with its own result, in the order of the request', async () => {
    const paris = await acme.tag('Paris');
    const results = await create('zoo', 'PARIS', '   ', 'Ana', 'ZOO');
    expect(results).toMatchObject([
      { index: 0, outcome: 'created', tag: { name: 'zoo', color: '#aabbcc', description: 'said', version: 1 } },
      { index: 1, outcome: 'existing', tag: paris },
      { index: 2, outcome: 'rejected', error: { code: 'invalid_request' } },
      { index: 3, outcome: 'created', tag: { name: 'Ana' } },
      { index: 4, outcome: 'existing', tag: { name: 'zoo' } },
    ]);
    expect((await acme.tags()).map((tag) => tag.name)).toEqual(['Paris', 'zoo', 'Ana']);
  });

  test('creates the first tags up to the limit, to which existing ones do not count', async () => {
    for (const name of ['1', '2', '3', '4', '5', '6', '7', '8']) await acme.tag(name);
    const results = await create('1', 'a', 'A', 'b', 'c', '8', 'C');
    expect(outcomes(results)).toEqual([
      'existing',
      'created',
      'existing',
      'created',
      'rejected',
      'existing',
      'rejected',
    ]);
    expect(results[4]).toMatchObject({ error: { code: 'limit_reached' } });
    expect(outcomes(await create('d'))).toEqual(['rejected']);
    expect(await acme.tags()).toHaveLength(10);
  });

  test('that is sent twice at once creates each tag once', async () => {
    const names = ['a', 'b', 'c'];
    const both = await Promise.all([create(...names), create(...names.toReversed())]);
    const made = both.flat().filter(({ outcome }) => outcome === 'created');
    expect([made.length, (await acme.tags()).length]).toEqual([3, 3]);
  });
});

describe('a PATCH of many photos', () => {
  test('changes each photo separately and answers it once, in the order of the ids', async () => {
    const [first, second, third] = (await photos(3)) as [Id, Id, Id];
    const edit = (ids: readonly Id[]) => editPhotos(ports, acme.caller, ids, { title: 'Sea' });
    await edit([second]);
    await trashPhoto(ports, acme.caller, third);
    const results = await edit([second, first, NOBODY, second, third]);
    expect(results).toEqual([
      { id: second, outcome: 'unchanged', photo: await acme.photo(second), error: null },
      { id: first, outcome: 'updated', photo: await acme.photo(first), error: null },
      { id: NOBODY, outcome: 'not_found', photo: null, error: null },
      { id: third, outcome: 'not_found', photo: null, error: null },
    ]);
    expect(await acme.photo(first)).toMatchObject({ title: 'Sea', version: 2 });
    expect(await acme.photo(third)).toMatchObject({ title: null });
  });

  test('restores the photos that are in the trash with trashed: false', async () => {
    const [trashed, active] = (await photos(2)) as [Id, Id];
    await trashPhoto(ports, acme.caller, trashed);
    const results = await editPhotos(ports, acme.caller, [trashed, active], { trashed: false });
    expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'unchanged']);
    expect((await acme.photo(trashed)).trashedAt).toBeNull();
  });

  test('reports a value that fits one photo but not another as an error of the other', async () => {
    const [timed, timeless] = (await photos(2)) as [Id, Id];
    await editPhotos(ports, acme.caller, [timed], { takenAt: '2024-12-21T23:39:24+01:00' });
    const results = await editPhotos(ports, acme.caller, [timeless, timed], { timeZone: '+02:00', title: 'x' });
    expect(results).toMatchObject([
      { id: timeless, outcome: 'error', photo: null, error: { code: 'invalid_request' } },
      { id: timed, outcome: 'updated', photo: { timeZone: '+02:00' }, error: null },
    ]);
    expect((await acme.photo(timeless)).title).toBeNull();
  });

  test('refuses a value that fits no photo as a whole, even when no photo is found', async () => {
    const ids = await photos(1);
    const before = await everything(ports);
    for (const asked of [ids, [NOBODY]]) {
      const refused = editPhotos(ports, acme.caller, asked, { rating: 6, title: 'x' });
      await expect(refused).rejects.toMatchObject(invalid('rating', 'out_of_range'));
    }
    expect(await everything(ports)).toEqual(before);
  });
});

describe('a DELETE of many photos', () => {
  test('moves them to the trash, and reports those that are already there as not found', async () => {
    const [first, second] = (await photos(2)) as [Id, Id];
    await trashPhoto(ports, acme.caller, second);
    const results = await trashPhotos(ports, acme.caller, [second, first, first, NOBODY]);
    expect(results).toEqual([
      { id: second, outcome: 'not_found' },
      { id: first, outcome: 'deleted' },
      { id: NOBODY, outcome: 'not_found' },
    ]);
    expect((await acme.photo(first)).trashedAt).toEqual(ports.clock.now());
  });

  test('permanently deletes them with their bytes, also from the trash', async () => {
    const [first, second, kept] = (await photos(3)) as [Id, Id, Id];
    await trashPhoto(ports, acme.caller, second);
    const results = await purgePhotos(ports, acme.caller, [second, first, NOBODY]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['deleted', 'deleted', 'not_found']);
    expect((await acme.photos()).map(({ id }) => id)).toEqual([kept]);
    expect(await blobsUnder(ports.blobs, 'originals/')).toHaveLength(1);
    expect(present((await purgePhotos(ports, acme.caller, [first]))[0]).outcome).toBe('not_found');
  });
});

describe('an edit of a tag that has very many photos', () => {
  const MANY = 4001;
  let tenant: Tenant;
  let tag: Tag;
  let ids: readonly Id[];
  let caller: Account['caller'];
  beforeEach(async () => {
    tenant = await Tenant.of(ports);
    tag = await tenant.addTag('popular');
    const all = await tenant.addPhotos(
      Array.from({ length: MANY }, () => ({})),
      [tag.id],
    );
    ids = all.map(({ id }) => id);
    ({ caller } = await Account.open(ports, { customerId: tenant.id }));
  });

  /** How many photos there are in each version and with each set of tags. */
  async function photosNow() {
    const kinds = new Map<string, number>();
    for (const { version, tags } of await tenant.query((reader) => reader.photos.getMany(ids))) {
      const kind = [version, ...tags.map(({ name }) => name)].join(' ');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    return Object.fromEntries(kinds);
  }
  const work = async () => {
    for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
      await runJob(ports, job);
      await ports.jobs.complete(job);
    }
  };

  test('answers a deletion when the tag is gone, and gives each photo one new version in the background', async () => {
    await deleteTag(ports, caller, tag.id);
    expect(await photosNow()).toEqual({ '1': MANY });
    await expect(readTag(ports, caller, tag.id)).rejects.toMatchObject({ code: 'not_found' });
    ports.clock.pass(1000);
    await work();
    expect(await photosNow()).toEqual({ '2': MANY });
    expect((await tenant.query((reader) => reader.photos.get(present(ids[0]))))?.updatedAt).toEqual(ports.clock.now());
    expect(await tenant.query((reader) => reader.tags.tombstones())).toEqual([]);
  });

  test('answers a repeated deletion with not_found, whatever its condition', async () => {
    await deleteTag(ports, caller, tag.id);
    const check = () => {
      throw new DomainError('precondition_failed', 'on purpose');
    };
    await expect(deleteTag(ports, caller, tag.id, check)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('changes nothing when its condition does not hold', async () => {
    const refusal = new DomainError('precondition_failed', 'on purpose');
    const seen: number[] = [];
    const check = ({ photoCount }: Tag) => {
      seen.push(photoCount);
      throw refusal;
    };
    await expect(deleteTag(ports, caller, tag.id, check)).rejects.toBe(refusal);
    expect([seen, await photosNow()]).toEqual([[MANY], { '1 popular': MANY }]);
    expect(await claimJob(ports.jobs, 60)).toBeNull();
  });

  test('merges tags in one transaction, and gives photos their new versions in the background', async () => {
    const into = await tenant.addTag('into');
    await editTag(ports, caller, into.id, { addPhotoIds: ids.slice(0, 1000) });
    const { changes, photoCount } = await editTag(ports, caller, into.id, { mergeTagIds: [tag.id] });
    expect(changes).toMatchObject({ added: MANY - 1000, unchanged: 1000, mergedTagIds: [tag.id] });
    expect(photoCount).toBe(MANY);
    expect(await photosNow()).toEqual({ '1 into': MANY - 1000, '2 into': 1000 });
    await work();
    expect(await photosNow()).toEqual({ '2 into': MANY - 1000, '3 into': 1000 });
  });

  test('is continued by the next run after a crash at any step, and no photo gets two versions', async () => {
    await deleteTag(ports, caller, tag.id);
    let left = 0;
    const dying: World['store'] = Object.create(ports.store);
    dying.transaction = async (customerId, inside) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      return ports.store.transaction(customerId, inside);
    };
    for (left of [0, 1, 2])
      await expect(bumpPhotoVersions({ ...ports, store: dying }, tenant.id)).rejects.toThrow('killed');
    expect(await photosNow()).toEqual({ '1': 1, '2': 4000 });
    await work();
    expect(await photosNow()).toEqual({ '2': MANY });
  });

  test('does not forget a deletion that comes while another one is in progress', async () => {
    const second = await tenant.addTag('second');
    await deleteTag(ports, caller, tag.id);
    for (let at = 0; at < ids.length; at += 1000) {
      await editTag(ports, caller, second.id, { addPhotoIds: ids.slice(at, at + 1000) });
    }
    const job = present(await claimJob(ports.jobs, 60));
    const meanwhile: World['store'] = Object.create(ports.store);
    let transactions = 0;
    meanwhile.transaction = async (customerId, inside) => {
      transactions += 1;
      if (transactions === 2) await deleteTag(ports, caller, second.id);
      return ports.store.transaction(customerId, inside);
    };
    await runJob({ ...ports, store: meanwhile }, job);
    await ports.jobs.complete(job);
    await work();
    expect(await photosNow()).toEqual({ '4': MANY });
    expect(await tenant.query((reader) => reader.tags.tombstones())).toEqual([]);
  });

  test('queues no job for a tag of few photos', async () => {
    const rare = await acme.tag('rare');
    const [id] = (await photos(2, rare)) as [Id];
    await deleteTag(ports, acme.caller, rare.id);
    expect(await acme.photo(id)).toMatchObject({ tags: [], version: 3 });
    expect(await claimJob(ports.jobs, 60)).toBeNull();
  });
});
