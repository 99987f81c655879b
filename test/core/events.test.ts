import { MAX_BODY_BYTES } from '../../src/api/webhooks/event-body.js';
import { deleteKey, issueKey } from '../../src/core/access/keys.js';
import { storedKey } from '../../src/core/blobs/blob-key.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createDeliveryKey, deleteDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { changeTypes, eventTypes, newEventId } from '../../src/core/events/event.js';
import { expireImports } from '../../src/core/imports/expire.js';
import { verify } from '../../src/core/integrity/verify.js';
import { editPhoto, editPhotos, setPhotoTags } from '../../src/core/photos/edit-photo.js';
import { purgePhoto, purgeTrash, trashPhoto } from '../../src/core/photos/trash.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createShare, revokeShare } from '../../src/core/shares/own-shares.js';
import { createTags } from '../../src/core/tags/create-tags.js';
import { bumpPhotoVersions, deleteTag } from '../../src/core/tags/delete-tag.js';
import { editTag } from '../../src/core/tags/edit-tag.js';
import { type TagPatch } from '../../src/core/tags/tag.js';
import { Account, announced, bytesOf, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';
import { deliverAll, expectEveryVersionTold, type Got, gotBy, hook } from '../support/webhook-world.js';

/** Which changes are told of, and what receivers read. */
let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
});

/** What a change has told an endpoint that wants everything: types and ids, in the order of types. */
async function toldBy(change: () => Promise<unknown>): Promise<string[]> {
  const before = here.webhooks.sent.length;
  await change();
  await deliverAll(here);
  return gotBy(here)
    .slice(before)
    .map(
      ({ type, data }) =>
        `${type} ${(data.photo ?? data.tag ?? data.import ?? data.apiKey ?? data.deliveryKey ?? data.share).id}`,
    )
    .sort();
}

const last = (): Got => present(gotBy(here).at(-1));
const fresh = () => acme.addPhoto(picture('a.jpg'));

describe('with a webhook endpoint', () => {
  beforeEach(async () => {
    await hook(here, acme.id);
  });
  afterEach(() => expectEveryVersionTold(here, acme.id));

  test('an import that ends sends one event for each photo and one for itself', async () => {
    const { id } = await acme.start();
    const items = await acme.send(id, [picture('a.jpg'), picture('b.jpg')]);
    const told = await toldBy(async () => {
      await acme.finalize(id);
      await runJobsUntilIdle(here);
    });
    expect(told).toEqual([`import.completed ${id}`, ...items.map((item) => `photo.created ${item.id}`)]);
    const completed = present(gotBy(here).find(({ type }) => type === 'import.completed'));
    expect(completed.data).toMatchObject({
      customerId: acme.id,
      import: { id, status: 'completed', counts: { total: 2, imported: 2 } },
    });
    expect(completed.data.version).toBe(completed.data.import.version);
  });

  test('an import that has nothing to publish, is discarded or expires sends an event for itself', async () => {
    const empty = await acme.start();
    expect(await toldBy(() => acme.finalize(empty.id))).toEqual([`import.completed ${empty.id}`]);
    expect(await toldBy(() => acme.finalize(empty.id))).toEqual([]);
    const discarded = await acme.start();
    expect(await toldBy(() => acme.finalize(discarded.id, { action: 'discard' }))).toEqual([
      `import.cancelled ${discarded.id}`,
    ]);
    const idle = await acme.start();
    here.clock.pass(8 * DAY);
    expect(await toldBy(() => expireImports(here))).toEqual([`import.expired ${idle.id}`]);
    expect(last().data.import).toMatchObject({ status: 'expired' });
  });

  test('a photo that an import restores from the trash sends an event, while other photos send none', async () => {
    const files = [picture('a.jpg'), picture('b.jpg')] as const;
    const [trashed, kept] = [await acme.addPhoto(files[0]), await acme.addPhoto(files[1])];
    expect(await toldBy(() => trashPhoto(here, acme.caller, trashed.id))).toContain(`photo.trashed ${trashed.id}`);
    const told = await toldBy(() => acme.bring(files));
    expect(told).toEqual([expect.stringMatching(/^import\.completed/), `photo.restored ${trashed.id}`]);
    expect(kept.id).not.toBe(trashed.id);
  });

  test('an edit sends an event with the photo as the API shows it, and none when it changes nothing', async () => {
    const { id } = await fresh();
    expect(await toldBy(() => editPhoto(here, acme.caller, id, { title: 'É 📷' }))).toContain(`photo.updated ${id}`);
    expect(last()).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'photo.updated',
      timestamp: here.clock.now().toISOString(),
      data: { customerId: acme.id, version: 2, photo: { id, title: 'É 📷', version: 2, tags: [], filename: 'a.jpg' } },
    });
    expect(last().data.photo).not.toHaveProperty('blobKey');
    expect(await toldBy(() => editPhoto(here, acme.caller, id, { title: 'É 📷' }))).toEqual([]);
    const other = await acme.addPhoto(picture('b.jpg'));
    await deliverAll(here);
    const both = await toldBy(() => editPhotos(here, acme.caller, [id, other.id], { rating: 5 }));
    expect(both).toEqual([`photo.updated ${id}`, `photo.updated ${other.id}`]);
  });

  test('trash, restore and deletion of a photo each send one event, a deletion with the id alone', async () => {
    const { id } = await fresh();
    await deliverAll(here);
    expect(await toldBy(() => trashPhoto(here, acme.caller, id))).toEqual([`photo.trashed ${id}`]);
    expect(last().data.photo.trashedAt).not.toBeNull();
    const restore = () => editPhoto(here, acme.caller, id, { trashed: false, title: 'back' });
    expect(await toldBy(restore)).toEqual([`photo.restored ${id}`]);
    expect(await toldBy(() => purgePhoto(here, acme.caller, id))).toEqual([`photo.deleted ${id}`]);
    expect(last().data).toEqual({ customerId: acme.id, photo: { id } });
  });

  test('the purge of the trash sends an event for each photo', async () => {
    const { id } = await fresh();
    await trashPhoto(here, acme.caller, id);
    await deliverAll(here);
    here.clock.pass(31 * DAY);
    expect(await toldBy(() => purgeTrash(here))).toEqual([`photo.deleted ${id}`]);
  });

  test('a new set of tags sends an event for its photo and for each tag that it creates', async () => {
    const { id } = await fresh();
    await deliverAll(here);
    const set = () => setPhotoTags(here, acme.caller, id, { tagNames: ['new'] });
    const told = await toldBy(set);
    const [tag] = await acme.tags();
    expect(told).toEqual([`photo.updated ${id}`, `tag.created ${tag?.id}`]);
    expect(await toldBy(set)).toEqual([]);
  });

  test('changes of tags send events', async () => {
    const a = await acme.tag('a');
    expect(await toldBy(async () => undefined)).toEqual([`tag.created ${a.id}`]);
    const made = await toldBy(() => createTags(here, acme.caller, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]));
    expect(made).toHaveLength(2);
    expect(await toldBy(() => editTag(here, acme.caller, a.id, { color: '#112233' }))).toEqual([`tag.updated ${a.id}`]);
    expect(last().data).toMatchObject({ version: 2, tag: { id: a.id, color: '#112233', photoCount: 0 } });
    expect(await toldBy(() => editTag(here, acme.caller, a.id, { color: '#112233' }))).toEqual([]);
    expect(await toldBy(() => deleteTag(here, acme.caller, a.id))).toEqual([`tag.deleted ${a.id}`]);
    expect(last().data).toEqual({ customerId: acme.id, tag: { id: a.id } });
  });

  test('a tag that many photos get, lose, or lose by its deletion sends an event for each photo', async () => {
    const [a, b] = [(await acme.addPhoto(picture('a.jpg'))).id, (await acme.addPhoto(picture('b.jpg'))).id];
    const [from, into] = [await acme.tag('from'), await acme.tag('into')];
    await deliverAll(here);
    const both = [`photo.updated ${a}`, `photo.updated ${b}`];
    const edit = (id: Id, patch: TagPatch) => toldBy(() => editTag(here, acme.caller, id, patch));
    expect(await edit(from.id, { addPhotoIds: [a, b] })).toEqual(both);
    expect(last().data.photo).toMatchObject({ tags: [{ id: from.id, name: 'from' }], version: 2 });
    expect(await edit(into.id, { mergeTagIds: [from.id] })).toEqual([...both, `tag.deleted ${from.id}`]);
    expect(await edit(into.id, { removePhotoIds: [a] })).toEqual(both.slice(0, 1));
    expect(await toldBy(() => deleteTag(here, acme.caller, into.id))).toEqual([both[1], `tag.deleted ${into.id}`]);
  });

  test('a tag whose photos get their new versions later sends one event for each of them then', async () => {
    const [a, b] = [(await acme.addPhoto(picture('a.jpg'))).id, (await acme.addPhoto(picture('b.jpg'))).id];
    const { id } = await acme.tag('gone');
    await editTag(here, acme.caller, id, { addPhotoIds: [a, b] });
    await trashPhoto(here, acme.caller, b);
    await deliverAll(here);
    const remove = () =>
      here.store.transaction(acme.id, async ({ tags }) => {
        await tags.lock([id]);
        await tags.delete(id, null);
      });
    expect(await toldBy(remove)).toEqual([]);
    const both = [`photo.updated ${a}`, `photo.updated ${b}`];
    expect(await toldBy(() => bumpPhotoVersions(here, acme.id))).toEqual(both);
    expect(await toldBy(() => bumpPhotoVersions(here, acme.id))).toEqual([]);
  });

  test('an original that is found lost or is recovered sends an event for its photo', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    await deliverAll(here);
    await here.blobs.delete([storedKey(photo.blobKey)]);
    const how = { repair: true, fast: false, graceSeconds: 60, onFinding: () => undefined };
    expect(await toldBy(() => verify(here, how))).toEqual([`photo.updated ${photo.id}`]);
    expect(last().data.photo.originalLostAt).not.toBeNull();
    expect(await toldBy(() => acme.bring([file]))).toContain(`photo.updated ${photo.id}`);
    await here.blobs.delete([storedKey((await acme.photo(photo.id)).blobKey)]);
    await verify(here, how);
    await here.blobs.put(storedKey((await acme.photo(photo.id)).blobKey), bytesOf(file.bytes));
    expect(await toldBy(() => verify(here, how))).toHaveLength(2);
  });

  test('tags that an import creates send events', async () => {
    const told = await toldBy(() => acme.start({ tagNames: ['x', 'y'] }));
    expect(told).toEqual((await acme.tags()).map((tag) => `tag.created ${tag.id}`));
  });

  test('changes of keys send events without the secret', async () => {
    const [issued] = [
      await issueKey(here, operatorFor(acme.id), {
        name: 'importer',
        scopes: ['photos:read'],
        ipList: ['10.0.0.0/8'],
        readLimit: null,
        writeLimit: null,
        expiresAt: null,
      }),
    ];
    const { key, token } = issued;
    expect(await toldBy(async () => undefined)).toEqual([`api_key.created ${key.id}`]);
    expect(last().data.apiKey).toEqual({
      id: key.id,
      name: 'importer',
      prefix: `phs_live_…${key.lastFour}`,
      scopes: ['photos:read'],
      ipRestricted: true,
      createdAt: key.createdAt.toISOString(),
      expiresAt: null,
    });
    expect(last().body).not.toContain(token);
    expect(last().body).not.toContain(key.tokenHash);
    expect(await toldBy(() => deleteKey(here, operatorFor(acme.id), key.id))).toEqual([`api_key.deleted ${key.id}`]);
    expect(last().data).toEqual({ customerId: acme.id, apiKey: { id: key.id } });
  });

  test('changes of shares send events without link and password', async () => {
    const uses = operatorFor(acme.id);
    const photo = await acme.addPhoto(picture('shared.jpg'));
    const values = {
      title: 'Paris',
      mayDownload: true,
      expiresAt: null,
      uploadFilesLimit: 5,
      uploadBytesLimit: 10 ** 6,
    };
    const contents = { photoIds: [photo.id], password: 'seven sailors' };
    await toldBy(async () => undefined);
    const { share, token } = await createShare(here, uses, { ...values, ...contents });
    expect(await toldBy(async () => undefined)).toEqual([`share.created ${share.id}`]);
    expect(last().data.share).toEqual({
      ...{
        ...values,
        id: share.id,
        tagId: null,
        chosenPhotos: 1,
        hasPassword: true,
        uploadedFiles: 0,
        uploadedBytes: 0,
      },
      createdAt: share.createdAt.toISOString(),
    });
    for (const secret of [token, share.token, share.tokenHash, share.passwordHash, 'seven sailors']) {
      expect(last().body).not.toContain(secret);
    }
    expect(await toldBy(() => revokeShare(here, uses, share.id))).toEqual([`share.revoked ${share.id}`]);
    expect(last().data).toEqual({ customerId: acme.id, share: { id: share.id } });
  });

  test('changes of delivery keys send events without the secret', async () => {
    const uses = operatorFor(acme.id);
    const values = { name: 'shop', presetsOnly: true, expiresAt: null };
    const { key, secret } = await createDeliveryKey(here, uses, values);
    expect(await toldBy(async () => undefined)).toEqual([`delivery_key.created ${key.id}`]);
    const { id, publicId, createdAt } = key;
    expect(last().data.deliveryKey).toEqual({ ...values, id, publicId, createdAt: createdAt.toISOString() });
    expect(last().body).not.toContain(secret);
    expect(last().body).not.toContain(key.secret);
    expect(await toldBy(() => deleteDeliveryKey(here, uses, key.id))).toEqual([`delivery_key.deleted ${key.id}`]);
    expect(last().data).toEqual({ customerId: acme.id, deliveryKey: { id: key.id } });
  });

  test('another customer gets no event', async () => {
    const other = await Account.open(here);
    expect(await toldBy(() => other.addPhoto(picture('a.jpg')))).toEqual([]);
  });
});

test('without a webhook endpoint no event is stored', async () => {
  const { id } = await acme.addPhoto(picture('a.jpg'));
  await setPhotoTags(here, acme.caller, id, { tagNames: ['new'] });
  await purgePhoto(here, acme.caller, id);
  expect(here.database.deliveries.all()).toEqual([]);
});

describe('the body of an event', () => {
  const wide = (character: string, count: number) => character.repeat(count);

  test('of a large photo leaves out first the metadata, then the description, then the tags', async () => {
    await hook(here, acme.id, { events: ['photo.created'] });
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key${at}`, wide('ñ', 500)]));
    const words = [
      { title: 'small' },
      { metadata },
      {
        metadata: {},
        description: wide('"', 5000),
        tagNames: Array.from({ length: 95 }, (_, at) => wide('📷', 50) + at),
      },
    ];
    for (const more of words) {
      const { id } = await acme.start();
      const file = picture('a.jpg');
      const { results } = await acme.register(id, announced(file, more));
      await acme.upload(present(results[0]?.photo), file.bytes);
      await acme.finalize(id);
      await runJobsUntilIdle(here);
    }
    await deliverAll(here);
    const [small, large, larger] = gotBy(here);
    expect(small?.data).not.toHaveProperty('omitted');
    expect(large?.data.omitted).toEqual(['metadata']);
    expect(large?.data.photo).not.toHaveProperty('metadata');
    expect(larger?.data.omitted).toEqual(['metadata', 'description', 'tags']);
    expect(larger?.data.photo).toMatchObject({ filename: 'a.jpg', version: 1 });
    for (const { body } of gotBy(here)) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES);
  });
});

describe('an event id', () => {
  test('is a ULID of its time, so that ids sort by time and no two are the same', () => {
    const at = new Date('2026-11-21T12:00:00.000Z');
    const id = newEventId(at);
    expect(id).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    // The time of a ULID is its first ten characters.
    const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const time = [...id.slice(4, 14)].reduce((sum, letter) => sum * 32 + letters.indexOf(letter), 0);
    expect(time).toBe(at.getTime());
    expect(newEventId(new Date(at.getTime() + 1)) > id).toBe(true);
    expect(new Set(Array.from({ length: 1000 }, () => newEventId(at))).size).toBe(1000);
  });

  test('event types are those of the contract', () => {
    expect(eventTypes).toHaveLength(19);
    expect([...changeTypes, 'webhook.test']).toEqual([...eventTypes]);
  });
});
