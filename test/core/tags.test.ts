import { setPhotoTags } from '../../src/core/photos/edit-photo.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createTag } from '../../src/core/tags/create-tags.js';
import { deleteTag } from '../../src/core/tags/delete-tag.js';
import { editTag } from '../../src/core/tags/edit-tag.js';
import { listTags, readTag } from '../../src/core/tags/read-tag.js';
import type { Tag, TagCreation, TagFilters, TagPatch, TagSort } from '../../src/core/tags/tag.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { atOnce, present } from '../support/tenant.js';

let ports: World;
let acme: Account;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

const missing = { code: 'not_found', details: { resource: 'tag' } };
const invalid = (field: string, code: string) => ({
  code: 'invalid_request',
  details: { errors: [expect.objectContaining({ field, code })] },
});
const create = (input: TagCreation, ifExists: 'fail' | 'return' = 'fail') =>
  createTag(ports, acme.caller, input, ifExists);
const read = (id: Id) => readTag(ports, acme.caller, id);

describe('a POST of a tag', () => {
  test('creates it with the given values', async () => {
    const { tag, created } = await create({
      name: '  Été   à\u00a0\u3000Paris ',
      color: '#3366FF',
      description: ' words ',
    });
    const at = ports.clock.now();
    expect(created).toBe(true);
    expect(tag).toMatchObject({
      name: 'Été à Paris',
      color: '#3366ff',
      description: 'words',
      photoCount: 0,
      version: 1,
    });
    expect([tag.createdAt, tag.updatedAt]).toEqual([at, at]);
    expect(await read(tag.id)).toEqual(tag);
    expect((await create({ name: 'plain' })).tag).toMatchObject({ color: null, description: null });
  });

  const same: [string, string][] = [
    ['Paris', 'PARIS'],
    ['Straße', 'STRASSE'],
    ['Ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ'],
    ['\u00e9t\u00e9', 'E\u0301TE\u0301'],
    ['ﬁle', 'FILE'],
    ['a  b', ' A B '],
  ];
  test.each(same)('is refused with the name of another: %j and %j', async (first, second) => {
    const { tag } = await create({ name: first });
    const refused = { code: 'tag_name_taken', details: { tagId: tag.id } };
    await expect(create({ name: second })).rejects.toMatchObject(refused);
    expect(await create({ name: second, color: '#000000' }, 'return')).toEqual({ tag, created: false });
    expect(await acme.tags()).toEqual([tag]);
  });

  test('distinguishes accents, and customers', async () => {
    await create({ name: 'ete' });
    await expect(create({ name: 'été' })).resolves.toMatchObject({ created: true });
    await expect((await Account.open(ports)).tag('ete')).resolves.toMatchObject({ name: 'ete' });
  });

  test.each<[string, string, TagCreation]>([
    ['name', 'too_short', { name: '' }],
    ['name', 'too_short', { name: '\u3000 ' }],
    ['name', 'too_long', { name: 'x'.repeat(101) }],
    ['name', 'invalid_format', { name: 'a\u0000' }],
    ['name', 'invalid_format', { name: 'a\u2028b' }],
    ['color', 'invalid_format', { name: 'a', color: 'red' }],
    ['color', 'invalid_format', { name: 'a', color: '#fff' }],
    ['description', 'too_long', { name: 'a', description: 'x'.repeat(1001) }],
  ])('is refused with %s: %s', async (field, code, input) => {
    await expect(create(input)).rejects.toMatchObject(invalid(field, code));
  });

  test('counts characters, not their code units', async () => {
    await expect(create({ name: '\u{1f4f7}'.repeat(100) })).resolves.toMatchObject({ created: true });
  });

  test('is limited to a number of tags, to which a repeated one does not add', async () => {
    ports = world({ limits: { tags: 1 } });
    acme = await Account.open(ports);
    await create({ name: 'a' });
    const refused = { code: 'limit_reached', details: { limit: 1, name: 'tags' } };
    await expect(create({ name: 'b' })).rejects.toMatchObject(refused);
    await expect(create({ name: 'A' }, 'return')).resolves.toMatchObject({ created: false });
    await expect(create({ name: 'A' })).rejects.toMatchObject({ code: 'tag_name_taken' });
  });

  test('of one name at once from many clients creates it once, and the others get it', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => create({ name: 'a' })));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const returned = await atOnce(5, () => create({ name: 'b' }, 'return'));
    expect(new Set(returned.map(({ tag }) => tag.id)).size).toBe(1);
  });
});

describe('a PATCH of a tag', () => {
  let tag: Tag;
  beforeEach(async () => {
    tag = (await create({ name: 'Paris', color: '#3366ff', description: 'words' })).tag;
    ports.clock.pass(1000);
  });
  const edit = (patch: TagPatch, id = tag.id) => editTag(ports, acme.caller, id, patch);

  test('changes the given fields, as a new version', async () => {
    const edited = await edit({ name: 'London', color: null });
    expect(edited).toEqual({
      ...tag,
      name: 'London',
      nameKey: 'london',
      color: null,
      updatedAt: ports.clock.now(),
      version: 2,
    });
    expect(await read(tag.id)).toEqual(edited);
    expect(await edit({ description: null })).toMatchObject({ name: 'London', description: null, version: 3 });
  });

  test.each<TagPatch>([{}, { name: ' Paris ' }, { color: '#3366FF' }, { description: 'words ' }])(
    'with its present values changes nothing: %j',
    async (patch) => {
      expect(await edit(patch)).toEqual(tag);
      expect(await read(tag.id)).toEqual(tag);
    },
  );

  test('to its own name in other letter case is a change', async () => {
    expect(await edit({ name: 'PARIS' })).toMatchObject({ name: 'PARIS', version: 2 });
  });

  test('to the name of another is refused', async () => {
    const other = (await create({ name: 'London' })).tag;
    const refused = { code: 'tag_name_taken', details: { tagId: other.id } };
    await expect(edit({ name: 'LONDON', color: null })).rejects.toMatchObject(refused);
    expect(await read(tag.id)).toEqual(tag);
  });

  test.each<[string, string, TagPatch]>([
    ['name', 'too_short', { name: ' ' }],
    ['name', 'too_long', { name: 'x'.repeat(101) }],
    ['color', 'invalid_format', { color: 'blue' }],
    ['description', 'too_long', { description: 'x'.repeat(1001) }],
  ])('is refused with %s: %s', async (field, code, patch) => {
    await expect(edit(patch)).rejects.toMatchObject(invalid(field, code));
  });

  test('changes no photo, while photos show the new name', async () => {
    const photo = await acme.addPhoto(picture('a.jpg'), { tagIds: [tag.id] });
    await edit({ name: 'London' });
    expect(await acme.photo(photo.id)).toEqual({ ...photo, tags: [{ id: tag.id, name: 'London' }] });
    expect(await read(tag.id)).toMatchObject({ photoCount: 1 });
  });

  test('of a missing tag or another customer’s is not found', async () => {
    const other = await Account.open(ports);
    await expect(editTag(ports, other.caller, tag.id, { name: 'x' })).rejects.toMatchObject(missing);
    await expect(edit({ name: 'x' }, tag.id + 1)).rejects.toMatchObject(missing);
    expect(await read(tag.id)).toEqual(tag);
  });

  test('and a DELETE check their condition against the present tag', async () => {
    const check = (seen: Tag) => {
      expect(seen).toEqual(tag);
      throw new DomainError('precondition_failed', 'It has changed.');
    };
    const refused = { code: 'precondition_failed' };
    await expect(editTag(ports, acme.caller, tag.id, { name: 'x' }, check)).rejects.toMatchObject(refused);
    await expect(deleteTag(ports, acme.caller, tag.id, check)).rejects.toMatchObject(refused);
    expect(await read(tag.id)).toEqual(tag);
  });
});

describe('a DELETE of a tag', () => {
  test('removes it from its photos, which become new versions, and leaves the others', async () => {
    const [gone, kept] = [await acme.tag('gone'), await acme.tag('kept')];
    const tagged = await acme.addPhoto(picture('a.jpg'), { tagIds: [gone.id, kept.id] });
    const trashed = await acme.addPhoto(picture('b.jpg'), { tagIds: [gone.id] });
    const plain = await acme.addPhoto(picture('c.jpg'), { tagIds: [kept.id] });
    await trashPhoto(ports, acme.caller, trashed.id);
    ports.clock.pass(1000);
    const at = ports.clock.now();
    await deleteTag(ports, acme.caller, gone.id);
    await expect(read(gone.id)).rejects.toMatchObject(missing);
    const left = { tags: [{ id: kept.id, name: 'kept' }] };
    expect(await acme.photo(tagged.id)).toEqual({ ...tagged, ...left, updatedAt: at, version: 2 });
    expect(await acme.photo(trashed.id)).toMatchObject({ tags: [], updatedAt: at, version: 3 });
    expect(await acme.photo(plain.id)).toEqual(plain);
    expect((await read(kept.id)).photoCount).toBe(2);
  });

  test('that is repeated, or of an unknown tag or another customer’s, is not found', async () => {
    const tag = await acme.tag('a');
    const other = await Account.open(ports);
    await expect(deleteTag(ports, other.caller, tag.id)).rejects.toMatchObject(missing);
    await deleteTag(ports, acme.caller, tag.id);
    await expect(deleteTag(ports, acme.caller, tag.id)).rejects.toMatchObject(missing);
    await expect(deleteTag(ports, acme.caller, tag.id + 1)).rejects.toMatchObject(missing);
  });

  test('makes the name available', async () => {
    const tag = await acme.tag('a');
    await deleteTag(ports, acme.caller, tag.id);
    expect((await acme.tag('A')).id).toBeGreaterThan(tag.id);
  });
});

describe('a list of tags', () => {
  const list = (filters: TagFilters, sort: TagSort = 'name', limit = 100, cursor: string | null = null) =>
    listTags(ports, acme.caller, { filters, sort, limit, cursor });
  const names = async (filters: TagFilters, sort?: TagSort) => (await list(filters, sort)).data.map(({ name }) => name);

  beforeEach(async () => {
    for (const name of ['b', 'A', 'Été', 'c']) await acme.tag(name);
    await (await Account.open(ports)).tag('theirs');
  });

  test('is sorted by name without letter case, or by age, in both directions', async () => {
    expect(await names({})).toEqual(['A', 'b', 'c', 'Été']);
    expect(await names({}, '-name')).toEqual(['Été', 'c', 'b', 'A']);
    expect(await names({}, 'id')).toEqual(['b', 'A', 'Été', 'c']);
    expect(await names({}, '-id')).toEqual(['c', 'Été', 'A', 'b']);
  });

  test('is filtered by name, part of a name, ids and use', async () => {
    const all = await acme.tags();
    const photo = await acme.addPhoto(picture('a.jpg'));
    await setPhotoTags(ports, acme.caller, photo.id, { tagNames: ['b'] });
    expect(await names({ nameKey: 'a' })).toEqual(['A']);
    expect(await names({ q: 'te' })).toEqual(['Été']);
    expect(await names({ ids: [present(all[0]).id, 9e15] })).toEqual(['b']);
    expect(await names({ unused: false })).toEqual(['b']);
    expect(await names({ unused: true })).toEqual(['A', 'c', 'Été']);
  });

  test('is walked through by pages', async () => {
    const first = await list({}, 'name', 3);
    const second = await list({}, 'name', 3, first.nextCursor);
    expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(['A', 'b', 'c', 'Été']);
    expect(second.nextCursor).toBeNull();
    await expect(list({ unused: true }, 'name', 3, first.nextCursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});
