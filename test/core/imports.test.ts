import { stagingKey } from '../../src/core/blobs/blob-key.js';
import type { Registration } from '../../src/core/imports/candidate.js';
import type { ImportCreation } from '../../src/core/imports/create.js';
import type { ImportPhotoPatch } from '../../src/core/imports/edit-item.js';
import type { ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import { applyResults } from '../../src/core/imports/inspect.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { ItemErrorCode } from '../../src/core/shared/errors.js';
import { claimJob } from '../support/claim.js';
import {
  Account,
  announced,
  bytesOf,
  type ClientFile,
  everything,
  expectSound,
  note,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { sampleFacts } from '../support/samples.js';
import { atOnce, present } from '../support/tenant.js';

let ports: World;
let acme: Account;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

const outcomes = (answer: Awaited<ReturnType<Account['register']>>) => answer.results.map(({ outcome }) => outcome);

describe('opening an import', () => {
  test('accepts the given settings, and sets the others to defaults', async () => {
    const tag = await acme.tag('Paris');
    const said = {
      name: '  Paris shoot ',
      source: 'phs-cli/1.2',
      clientRef: 'laptop:/paris',
      duplicatePolicy: 'allow' as const,
      restoreTrashed: false,
      defaultTimeZone: 'Asia/Tokyo',
    };
    const full = await acme.start({ ...said, tagIds: [tag.id], tagNames: ['new', 'PARIS'] });
    expect(full).toMatchObject({ ...said, name: 'Paris shoot', status: 'open', apiKeyId: acme.keyId, version: 1 });
    expect(full.tags.map(({ name }) => name)).toEqual(['new', 'Paris']);
    expect(full.expiresAt).toEqual(new Date(ports.clock.now().getTime() + 7 * DAY));
    const plain = { name: null, clientRef: null, duplicatePolicy: 'skip', restoreTrashed: true, defaultTimeZone: null };
    expect(await acme.start()).toMatchObject({
      ...plain,
      tags: [],
      totalBytes: 0,
      finalizedAt: null,
      completedAt: null,
    });
  });

  test('under the clientRef of an open one answers that one, also at once from many clients', async () => {
    const first = await acme.start({ clientRef: 'ref', name: 'first' });
    const again = await atOnce(5, () => acme.start({ clientRef: 'ref', name: 'second' }));
    expect(again).toEqual(Array(5).fill(first));
    await acme.finalize(first.id, { action: 'discard' });
    expect((await acme.start({ clientRef: 'ref' })).id).not.toBe(first.id);
  });

  test('is limited to a number of imports, to which only open ones count', async () => {
    ports = world({ limits: { openImports: 2 } });
    acme = await Account.open(ports);
    const first = await acme.start({ clientRef: 'ref' });
    await acme.start();
    const refused = { code: 'limit_reached', details: { limit: 2, name: 'openImports' } };
    await expect(acme.start()).rejects.toMatchObject(refused);
    expect((await acme.start({ clientRef: 'ref' })).id).toBe(first.id);
    await acme.finalize(first.id);
    await expect(acme.start()).resolves.toMatchObject({ status: 'open' });
  });

  test.each<[string, string, ImportCreation]>([
    ['name', 'too_long', { name: 'x'.repeat(201) }],
    ['source', 'too_long', { source: 'x'.repeat(101) }],
    ['clientRef', 'too_long', { clientRef: 'x'.repeat(256) }],
    ['clientRef', 'invalid_format', { clientRef: 'a\u0000b' }],
    ['defaultTimeZone', 'invalid_format', { defaultTimeZone: 'Paris' }],
    ['tagIds', 'unknown_tag', { tagIds: [12345] }],
    ['tagNames', 'too_short', { tagNames: [''] }],
  ])('refuses %s: %s', async (field, code, creation) => {
    const before = await everything(ports);
    const refused = { code: 'invalid_request', details: { errors: [expect.objectContaining({ field, code })] } };
    await expect(acme.start(creation)).rejects.toMatchObject(refused);
    expect(await everything(ports)).toEqual(before);
  });

  test('creates no tag for a key that may not', async () => {
    const refused = { code: 'scope_required', details: { scope: 'tags:write' } };
    await expect(acme.without('tags:write').start({ tagNames: ['new'] })).rejects.toMatchObject(refused);
  });
});

describe('registering files', () => {
  test('creates items that wait for their bytes, each with a target, in the order of the request', async () => {
    const { id } = await acme.start();
    const [a, b] = [picture('a.jpg'), picture('b.jpg')];
    const answer = await acme.register(id, announced(a, { clientRef: 'a' }), announced(b));
    expect(answer.results.map(({ index, outcome, error }) => [index, outcome, error])).toEqual([
      [0, 'created', null],
      [1, 'created', null],
    ]);
    const [first, second] = answer.results.map(({ photo }) => present(photo));
    expect(first).toMatchObject({ ...announced(a), clientRef: 'a', status: 'awaiting_upload', photoId: null });
    expect(first?.upload?.url).toMatch(/^https:\/\/photos\.example\.com\/uploads\/[\w-]+$/);
    expect(second?.upload?.url).not.toBe(first?.upload?.url);
    expect(answer.import.counts).toMatchObject({ total: 2, awaitingUpload: 2 });
    expect(answer.import.totalBytes).toBe(a.sizeBytes + b.sizeBytes);
    expect(await acme.photos()).toEqual([]);
  });

  test('accepts every field of a photo', async () => {
    const tag = await acme.tag('Paris');
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const said = {
      title: ' Tower ',
      description: 'seen\nfrom below',
      takenAtLocal: '2024-12-21T23:39:24',
      timeZone: 'Europe/Paris',
      location: { latitude: 48.85837, longitude: 2.294481 },
      rating: 5,
      externalId: 'shoot-17',
      metadata: { client: 'ACME' },
      tagIds: [tag.id],
      tagNames: ['Tower'],
      sha256: Buffer.from(file.sha256, 'hex').toString('base64'),
    };
    const [item] = await acme.items(id, announced(file, said));
    expect(item).toMatchObject({
      title: 'Tower',
      description: said.description,
      takenAt: null,
      takenAtLocal: said.takenAtLocal,
      timeZone: said.timeZone,
      location: { ...said.location, altitude: null },
      rating: 5,
      externalId: 'shoot-17',
      metadata: { client: 'ACME' },
      tags: [{ name: 'Paris' }, { name: 'Tower' }],
      sha256: file.sha256,
    });
  });

  test('keeps the import open for another week', async () => {
    const { id, version } = await acme.start();
    ports.clock.pass(3 * DAY);
    const { import: touched } = await acme.register(id, announced(picture('a.jpg')));
    expect(touched.expiresAt).toEqual(new Date(ports.clock.now().getTime() + 7 * DAY));
    expect(touched.version).toBe(version + 1);
  });

  test('without a hash is accepted, and the bytes decide later', async () => {
    const { id } = await acme.start();
    const [item] = await acme.items(id, announced(picture('a.jpg'), { sha256: null }));
    expect(item).toMatchObject({ sha256: null, status: 'awaiting_upload' });
  });

  test.each<[string, Partial<Registration>, ItemErrorCode]>([
    ['no bytes', { sizeBytes: 0 }, 'file_empty'],
    ['too many bytes', { sizeBytes: 200 * 1024 * 1024 + 1 }, 'file_too_large'],
    ['a size that is no whole number', { sizeBytes: 1.5 }, 'invalid_request'],
    ['a negative size', { sizeBytes: -1 }, 'invalid_request'],
    ['a hash that is none', { sha256: 'abc' }, 'invalid_request'],
    ['a name that is a path', { filename: '../a.jpg' }, 'invalid_request'],
    ['a name of nothing', { filename: ' ' }, 'invalid_request'],
    ['a name with a line break', { filename: 'a\r\nb.jpg' }, 'invalid_request'],
    ['a long clientRef', { clientRef: 'x'.repeat(256) }, 'invalid_request'],
    ['a rating of six stars', { rating: 6 }, 'invalid_request'],
    ['a place off the earth', { location: { latitude: 91, longitude: 0 } }, 'invalid_request'],
    ['a time without an offset', { takenAt: '2024-12-21T23:39:24' }, 'invalid_request'],
    ['an instant and a wall clock', { takenAt: '2024-12-21T23:39:24Z', timeZone: '+01:00' }, 'invalid_request'],
    ['a key of metadata with a blank', { metadata: { 'a b': 'x' } }, 'invalid_request'],
  ])('rejects a file with %s, and accepts the others', async (_, wrong, code) => {
    const { id } = await acme.start();
    const sound = announced(picture('sound.jpg'));
    const answer = await acme.register(id, { ...announced(picture('a.jpg')), ...wrong }, sound);
    expect(outcomes(answer)).toEqual(['rejected', 'created']);
    expect(answer.results[0]).toMatchObject({ index: 0, photo: null, error: { code, message: expect.any(String) } });
    expect((await acme.list(id)).map(({ filename }) => filename)).toEqual(['sound.jpg']);
  });

  test('stores nothing if every file is rejected', async () => {
    const { id } = await acme.start();
    const before = await everything(ports);
    const wrong = [
      { filename: 'a', sizeBytes: 0 },
      { filename: '/', sizeBytes: 1, tagNames: ['new'] },
    ];
    await expect(acme.register(id, ...wrong)).rejects.toMatchObject({
      code: 'no_photos_accepted',
      details: { results: [{ error: { code: 'file_empty' } }, { error: { code: 'invalid_request' } }] },
    });
    expect(await everything(ports)).toEqual(before);
  });

  test('reports an unknown tag with its position, and stores nothing', async () => {
    const { id } = await acme.start();
    const before = await everything(ports);
    const refused = {
      code: 'invalid_request',
      details: { errors: [{ field: 'photos[1].tagIds', code: 'unknown_tag' }] },
    };
    const wrong = announced(picture('b.jpg'), { tagIds: [99] });
    await expect(acme.register(id, announced(picture('a.jpg')), wrong)).rejects.toMatchObject(refused);
    expect(await everything(ports)).toEqual(before);
  });

  test('creates tags only for a key that may, and keeps them after a discard', async () => {
    const { id } = await acme.start();
    const named = announced(picture('a.jpg'), { tagNames: ['new'] });
    const refused = { code: 'scope_required', details: { scope: 'tags:write' } };
    await expect(acme.without('tags:write').register(id, named)).rejects.toMatchObject(refused);
    await acme.register(id, named);
    await expect(acme.without('tags:write').register(id, named)).resolves.toMatchObject({ results: [{ error: null }] });
    await acme.finalize(id, { action: 'discard' });
    expect(await ports.store.query(acme.id, ({ tags }) => tags.findByNameKeys(['new']))).toHaveLength(1);
  });

  test('is limited to a number of files for one import', async () => {
    ports = world({ limits: { importMaxPhotos: 3 } });
    acme = await Account.open(ports);
    const { id } = await acme.start();
    const files = [picture('a.jpg'), picture('b.jpg')];
    await acme.items(id, ...files.map((file) => announced(file)));
    const more = [announced(picture('c.jpg')), announced(picture('d.jpg'))];
    const refused = { code: 'limit_reached', details: { limit: 3, name: 'importMaxPhotos' } };
    await expect(acme.register(id, ...more)).rejects.toMatchObject(refused);
    expect(await acme.list(id)).toHaveLength(2);
    // Those that are there already take no room.
    expect(outcomes(await acme.register(id, ...files.map((file) => announced(file)), present(more[0])))).toEqual([
      'existing',
      'existing',
      'created',
    ]);
  });

  test('in another customer’s import, or in an unknown one, is not found', async () => {
    const { id } = await acme.start();
    const other = await Account.open(ports);
    const refused = { code: 'not_found', details: { resource: 'import' } };
    await expect(other.register(id, announced(picture('a.jpg')))).rejects.toMatchObject(refused);
    await expect(acme.register(id + 1, announced(picture('a.jpg')))).rejects.toMatchObject(refused);
  });

  test('in an import that is no longer open is refused', async () => {
    const { id } = await acme.start();
    await acme.finalize(id);
    const refused = { code: 'import_not_open', details: { status: 'completed' } };
    await expect(acme.register(id, announced(picture('a.jpg')))).rejects.toMatchObject(refused);
  });
});

describe('registering files again', () => {
  test('by clientRef answers the items, unchanged, with fresh targets', async () => {
    const { id } = await acme.start();
    const batch = ['a.jpg', 'b.jpg'].map((name) => announced(picture(name), { clientRef: name, title: 'first' }));
    const items = await acme.items(id, ...batch);
    ports.clock.pass(1000);
    const answer = await acme.register(id, ...batch.map((input) => ({ ...input, title: 'second' })));
    expect(outcomes(answer)).toEqual(['existing', 'existing']);
    const urls = answer.results.map(({ photo }) => photo?.upload?.url);
    expect(answer.results.map(({ photo }) => ({ ...photo, upload: null }))).toEqual(
      items.map((item) => ({ ...item, upload: null })),
    );
    expect(urls).not.toEqual(items.map(({ upload }) => upload?.url));
    expect(await acme.list(id)).toHaveLength(2);
  });

  test('locks the items in the order of their ids, whatever the order of the request', async () => {
    const { id } = await acme.start();
    const batch = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => announced(picture(name), { clientRef: name }));
    await acme.items(id, ...batch);
    expect(outcomes(await acme.register(id, ...batch.toReversed()))).toEqual(['existing', 'existing', 'existing']);
  });

  test('locks the items before the trashed photos that have the bytes of other files', async () => {
    const trashed = picture('trashed.jpg');
    await trashPhoto(ports, acme.caller, (await acme.addPhoto(trashed)).id);
    const { id } = await acme.start();
    const again = announced(picture('a.jpg'));
    await acme.items(id, again);
    expect(outcomes(await acme.register(id, announced(trashed), again))).toEqual(['duplicate', 'existing']);
  });

  test('locks items that fail with others before trashed photos, also when an inspection finds them', async () => {
    const trashed = picture('trashed.jpg');
    await trashPhoto(ports, acme.caller, (await acme.addPhoto(trashed)).id);
    const { id } = await acme.start();
    const bad = picture('bad.jpg');
    const same = announced(trashed, { sha256: null });
    const files = [announced(bad, { clientRef: 'a' }), announced(bad, { clientRef: 'b' }), same];
    const [first, second, third] = (await acme.items(id, ...files)).map(present);
    expect(second).toMatchObject({ status: 'duplicate', duplicateOfItemId: first?.id });
    await acme.upload(present(first), bad.bytes);
    await acme.upload(present(third), trashed.bytes);
    const [one, other] = await ports.store.query(acme.id, ({ importPhotos }) =>
      importPhotos.getMany(id, [present(first).id, present(third).id]),
    );
    const measure = { sizeBytes: trashed.bytes.length, sha256: trashed.sha256 };
    await applyResults(ports, [
      { item: present(other), error: null, facts: sampleFacts(), measure },
      { item: present(one), error: { code: 'decode_failed', message: 'on purpose' } },
    ]);
    expect((await acme.list(id)).map(({ status }) => status)).toEqual(['failed', 'failed', 'duplicate']);
  });

  test('by hash and name answers the item if there is no clientRef, however the name is spelled', async () => {
    const { id } = await acme.start();
    const file = picture('Crème.jpg'.normalize('NFC'));
    const [item] = await acme.items(id, announced(file));
    const spellings = [file.filename, file.filename.normalize('NFD'), ` ${file.filename} `];
    for (const filename of spellings) {
      const answer = await acme.register(id, announced(file, { filename }));
      expect(answer.results).toMatchObject([{ outcome: 'existing', photo: { id: item?.id } }]);
    }
    expect(await acme.list(id)).toHaveLength(1);
  });

  test('by hash under another name is a duplicate, and under another clientRef too', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    const answer = await acme.register(
      id,
      announced(file, { filename: 'b.jpg' }),
      announced(file, { clientRef: 'ref' }),
    );
    expect(answer.results).toMatchObject([
      {
        outcome: 'duplicate',
        photo: { status: 'duplicate', photoId: null, duplicateOfItemId: item?.id, upload: null },
      },
      {
        outcome: 'duplicate',
        photo: { status: 'duplicate', photoId: null, duplicateOfItemId: item?.id, upload: null },
      },
    ]);
  });

  test.each([
    ['another hash', { sha256: 'f'.repeat(64) }],
    ['another size', { sizeBytes: 1 }],
  ])('with a known clientRef and %s is rejected as a conflict', async (_, other) => {
    const { id } = await acme.start();
    const file = announced(picture('a.jpg'), { clientRef: 'ref' });
    const items = await acme.items(id, file);
    const answer = await acme.register(id, { ...file, ...other }, announced(picture('b.jpg')));
    expect(answer.results).toMatchObject([
      { outcome: 'rejected', photo: null, error: { code: 'client_ref_conflict' } },
      { outcome: 'created' },
    ]);
    expect(await acme.item(present(items[0]))).toMatchObject(file);
  });

  test('with a clientRef twice in one request makes one item, and rejects the second if its bytes differ', async () => {
    const { id } = await acme.start();
    const file = announced(picture('a.jpg'), { clientRef: 'ref' });
    const answer = await acme.register(id, file, file, { ...announced(picture('b.jpg')), clientRef: 'ref' });
    expect(outcomes(answer)).toEqual(['created', 'existing', 'rejected']);
    expect(answer.results[1]?.photo?.id).toBe(answer.results[0]?.photo?.id);
    expect(await acme.list(id)).toHaveLength(1);
  });

  test('in parallel batches with the same clientRefs makes each item once', async () => {
    const { id } = await acme.start();
    const batch = ['a', 'b', 'c'].map((ref) => announced(picture(`${ref}.jpg`), { clientRef: ref }));
    const answers = await atOnce(4, () => acme.register(id, ...batch));
    expect(answers.flatMap(outcomes).filter((outcome) => outcome === 'created')).toHaveLength(3);
    expect(await acme.list(id)).toHaveLength(3);
  });

  test('resets a failed item to the new values, and it waits for bytes once more', async () => {
    const { id } = await acme.start();
    const wrong = note('a.jpg');
    const [item] = await acme.send(id, [wrong], { clientRef: 'ref', title: 'old', tagNames: ['old'] });
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'failed', error: { code: 'not_an_image' } });
    const right = picture('right.jpg');
    const answer = await acme.register(id, announced(right, { clientRef: 'ref', title: 'new', tagNames: ['new'] }));
    expect(answer.results).toMatchObject([
      {
        outcome: 'existing',
        photo: {
          id: item?.id,
          status: 'awaiting_upload',
          error: null,
          filename: 'right.jpg',
          sha256: right.sha256,
          sizeBytes: right.sizeBytes,
          title: 'new',
          tags: [{ name: 'new' }],
        },
      },
    ]);
    expect(answer.results[0]?.photo?.uploadId).not.toBe(present(item).uploadId);
    const refused = { code: 'import_photo_final' };
    await expect(acme.upload(present(item), wrong.bytes)).rejects.toMatchObject(refused);
    await acme.upload(present(answer.results[0]?.photo), right.bytes);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect(await acme.original(present(item).id)).toEqual(Buffer.from(right.bytes));
  });

  test('reactivates a failed item that is named twice in one request once', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [note('a.jpg')], { clientRef: 'ref' });
    await runJobsUntilIdle(ports);
    const again = announced(picture('b.jpg'), { clientRef: 'ref' });
    const answer = await acme.register(id, again, again, announced(picture('c.jpg'), { clientRef: 'ref' }));
    expect(outcomes(answer)).toEqual(['existing', 'existing', 'rejected']);
    expect(await acme.item(present(item))).toMatchObject({ sha256: again.sha256 });
    expect((await acme.item(present(item))).uploadId).toBe(answer.results[0]?.photo?.uploadId);
    expect(answer.results[0]?.photo).toEqual(answer.results[1]?.photo);
  });

  test('answers items in every other state unchanged', async () => {
    const { id } = await acme.start();
    const files = ['processing.jpg', 'ready.jpg', 'cancelled.jpg'].map((name) => picture(name));
    const [processing, ready, cancelled] = files as [ClientFile, ClientFile, ClientFile];
    const input = (file: ClientFile) => announced(file, { clientRef: file.filename });
    for (const file of files) await acme.items(id, input(file));
    const items = await acme.list(id);
    await acme.upload(present(items[1]), ready.bytes);
    await runJobsUntilIdle(ports);
    await acme.upload(present(items[0]), processing.bytes);
    await acme.edit(present(items[2]), { status: 'cancelled' });
    const before = await acme.list(id);
    expect(before.map(({ status }) => status)).toEqual(['processing', 'ready', 'cancelled']);
    const answer = await acme.register(id, input(processing), input(ready), input(cancelled));
    expect(outcomes(answer)).toEqual(['existing', 'existing', 'existing']);
    expect(answer.results.map(({ photo }) => photo)).toEqual(before);
  });
});

describe('registering existing files', () => {
  test('finds bytes of the library to be a duplicate before a byte is sent', async () => {
    const file = picture('a.jpg');
    const photo = await acme.addPhoto(file);
    const { id } = await acme.start();
    const answer = await acme.register(id, announced(file, { filename: 'copy.jpg' }));
    expect(answer.results).toMatchObject([
      { outcome: 'duplicate', photo: { status: 'duplicate', photoId: photo.id, restored: false, upload: null } },
    ]);
    expect(answer.results[0]?.photo?.id).not.toBe(photo.id);
  });

  test('ignores the bytes of another customer', async () => {
    const file = picture('a.jpg');
    await (await Account.open(ports)).addPhoto(file);
    const { id } = await acme.start();
    expect(outcomes(await acme.register(id, announced(file)))).toEqual(['created']);
    expect((await acme.list(id))[0]).toMatchObject({ status: 'awaiting_upload', photoId: null });
  });

  test('uploads once when the same hash is there twice in one request', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const answer = await acme.register(id, announced(file), announced(file));
    expect(outcomes(answer)).toEqual(['created', 'duplicate']);
    const [first, second] = answer.results.map(({ photo }) => present(photo));
    expect(second).toMatchObject({ status: 'duplicate', photoId: null, duplicateOfItemId: first?.id, upload: null });
  });

  test('looks for no duplicates under the policy allow', async () => {
    const file = picture('a.jpg');
    await acme.addPhoto(file);
    const { id } = await acme.start({ duplicatePolicy: 'allow' });
    expect(
      outcomes(await acme.register(id, announced(file, { clientRef: '1' }), announced(file, { clientRef: '2' }))),
    ).toEqual(['created', 'created']);
  });

  test('fails an item that relies on one that fails or is cancelled, and it can be registered again', async () => {
    const file = note('no picture.jpg');
    const { id } = await acme.start();
    const copies = ['1', '2'].map((clientRef) => announced(file, { clientRef }));
    const [source, copy] = await acme.items(id, ...copies);
    await acme.upload(present(source), file.bytes);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(copy))).toMatchObject({ status: 'failed', error: { code: 'duplicate_of_failed' } });
    const [again] = await acme.items(id, present(copies[1]));
    expect(again).toMatchObject({ id: copy?.id, status: 'awaiting_upload', duplicateOfItemId: null, error: null });
  });
});

describe('a PATCH of an item', () => {
  /** An import with an item in each state that an open import can have. */
  async function oneOfEach() {
    const { id } = await acme.start();
    const known = picture('duplicate.jpg');
    await acme.addPhoto(known);
    const files = {
      awaiting_upload: picture('waiting.jpg'),
      processing: picture('processing.jpg'),
      ready: picture('ready.jpg'),
      failed: note('failed.jpg'),
      duplicate: known,
      cancelled: picture('cancelled.jpg'),
    };
    const items = await acme.items(id, ...Object.values(files).map((file) => announced(file)));
    const item = (status: string) => present(items[Object.keys(files).indexOf(status)]);
    await acme.upload(item('ready'), files.ready.bytes);
    await acme.upload(item('failed'), files.failed.bytes);
    await runJobsUntilIdle(ports);
    await acme.upload(item('processing'), files.processing.bytes);
    await acme.edit(item('cancelled'), { status: 'cancelled' });
    const list = await acme.list(id);
    expect(list.map(({ status }) => status)).toEqual(Object.keys(files));
    return (status: ImportPhotoStatus) => present(list.find((each) => each.status === status));
  }

  const takes: [ImportPhotoStatus, ImportPhotoPatch, Partial<Record<string, unknown>> | 'final' | 'incomplete'][] = [
    ['awaiting_upload', { title: 'new' }, { title: 'new', status: 'awaiting_upload' }],
    ['processing', { title: 'new' }, { title: 'new', status: 'processing' }],
    ['ready', { title: 'new' }, { title: 'new', status: 'ready' }],
    ['failed', { title: 'new' }, { title: 'new', status: 'failed' }],
    ['duplicate', { title: 'new' }, 'final'],
    ['cancelled', { title: 'new' }, 'final'],
    ['awaiting_upload', { sizeBytes: 7 }, { sizeBytes: 7, uploadId: expect.any(Number) }],
    ['failed', { sizeBytes: 7 }, { sizeBytes: 7, status: 'failed' }],
    ['processing', { sizeBytes: 7 }, 'final'],
    ['ready', { sha256: 'f'.repeat(64) }, 'final'],
    ['awaiting_upload', { status: 'uploaded' }, 'incomplete'],
    ['processing', { status: 'uploaded' }, { status: 'processing' }],
    ['ready', { status: 'uploaded' }, { status: 'ready' }],
    ['duplicate', { status: 'uploaded' }, { status: 'duplicate' }],
    ['failed', { status: 'uploaded' }, 'final'],
    ['cancelled', { status: 'uploaded' }, 'final'],
    ['awaiting_upload', { status: 'awaiting_upload' }, { status: 'awaiting_upload' }],
    ['failed', { status: 'awaiting_upload' }, { status: 'awaiting_upload', uploadId: expect.any(Number), error: null }],
    ['processing', { status: 'awaiting_upload' }, 'final'],
    ['ready', { status: 'awaiting_upload' }, 'final'],
    ['duplicate', { status: 'awaiting_upload' }, 'final'],
    ['cancelled', { status: 'awaiting_upload' }, 'final'],
    ['awaiting_upload', { status: 'cancelled' }, { status: 'cancelled' }],
    ['processing', { status: 'cancelled' }, { status: 'cancelled' }],
    ['ready', { status: 'cancelled' }, { status: 'cancelled' }],
    ['failed', { status: 'cancelled' }, { status: 'cancelled' }],
    ['duplicate', { status: 'cancelled' }, { status: 'cancelled' }],
    ['cancelled', { status: 'cancelled' }, { status: 'cancelled' }],
    ['cancelled', { status: 'cancelled', title: 'new' }, 'final'],
    [
      'failed',
      { status: 'awaiting_upload', sizeBytes: 7 },
      { status: 'awaiting_upload', sizeBytes: 7, uploadId: expect.any(Number) },
    ],
  ];

  test.each(takes)('that is %s with %j results in %j', async (status, patch, result) => {
    const item = (await oneOfEach())(status);
    const before = await everything(ports);
    if (result === 'final') {
      const details = { status, photoId: item.photoId };
      await expect(acme.edit(item, patch)).rejects.toMatchObject({ code: 'import_photo_final', details });
      expect(await everything(ports)).toEqual(before);
    } else if (result === 'incomplete') {
      const details = { missing: 1, sample: [item.id] };
      await expect(acme.edit(item, patch)).rejects.toMatchObject({ code: 'uploads_incomplete', details });
      expect(await everything(ports)).toEqual(before);
    } else {
      const edited = await acme.edit(item, patch);
      expect(edited).toMatchObject(result);
      // A new try has a number of its own; anything else keeps the old one.
      expect(edited.uploadId === item.uploadId).toBe(!('uploadId' in result));
      expect(await acme.item(item)).toEqual(edited);
      expect(edited.upload === null).toBe(edited.status !== 'awaiting_upload');
    }
  });

  test('with the present values changes nothing', async () => {
    const item = (await oneOfEach())('awaiting_upload');
    const before = await everything(ports);
    for (const patch of [{}, { status: 'awaiting_upload' as const }]) await acme.edit(item, patch);
    await acme.edit({ ...item }, {});
    expect(await everything(ports)).toEqual(before);
  });

  test('merges: absent fields stay, null clears, metadata is merged key by key', async () => {
    const { id } = await acme.start();
    const words = { title: 'old', rating: 3, metadata: { a: '1', b: '2' }, tagNames: ['old'] };
    const [item] = await acme.items(id, announced(picture('a.jpg'), words));
    const patch = { title: null, metadata: { a: null, c: '3' }, description: 'new' };
    const edited = await acme.edit(present(item), patch);
    expect(edited).toMatchObject({ title: null, rating: 3, description: 'new', tags: [{ name: 'old' }] });
    expect(edited.metadata).toEqual({ b: '2', c: '3' });
    expect((await acme.edit(edited, { tagNames: ['new'] })).tags).toMatchObject([{ name: 'new' }]);
    expect((await acme.edit(edited, { tagIds: [] })).tags).toEqual([]);
    expect(await acme.edit(edited, { filename: ' b.jpg ' })).toMatchObject({ filename: 'b.jpg' });
  });

  test('with an instant replaces a wall clock, and the other way round', async () => {
    const { id } = await acme.start();
    const local = { takenAtLocal: '2024-12-21T23:39:24', timeZone: '+02:00' };
    const [item] = await acme.items(id, announced(picture('a.jpg'), local));
    const nothing = { takenAt: null, takenAtLocal: null, timeZone: null };
    const takenAt = '2020-01-01T00:00:00+01:00';
    expect(await acme.edit(present(item), { takenAt })).toMatchObject({ ...nothing, takenAt });
    expect(await acme.edit(present(item), { timeZone: 'Asia/Tokyo' })).toMatchObject({
      ...nothing,
      timeZone: 'Asia/Tokyo',
    });
    expect(await acme.edit(present(item), { takenAt })).toMatchObject({ ...nothing, takenAt });
    expect(await acme.edit(present(item), { takenAt: null })).toMatchObject(nothing);
  });

  test.each<[string, string, ImportPhotoPatch]>([
    ['rating', 'out_of_range', { title: 'fine', rating: 9 }],
    ['filename', 'invalid_format', { filename: 'a/b' }],
    ['takenAt', 'conflict', { takenAt: '2020-01-01T00:00:00Z', takenAtLocal: '2020-01-01T00:00:00' }],
    ['sha256', 'invalid_format', { title: 'fine', sha256: 'abc' }],
    ['sizeBytes', 'out_of_range', { title: 'fine', sizeBytes: 0 }],
    ['sizeBytes', 'out_of_range', { title: 'fine', sizeBytes: 2 ** 40 }],
    ['tagIds', 'unknown_tag', { tagIds: [99] }],
    ['metadata', 'too_many', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v'])) }],
  ])('is refused, with %s as the field: %s', async (field, code, patch) => {
    const { id } = await acme.start();
    const [item] = await acme.items(id, announced(picture('a.jpg')));
    const before = await everything(ports);
    const refused = { code: 'invalid_request', details: { errors: [expect.objectContaining({ field, code })] } };
    await expect(acme.edit(present(item), patch)).rejects.toMatchObject(refused);
    expect(await everything(ports)).toEqual(before);
  });

  test('of the hash invalidates the old target, and releases items that relied on the old bytes', async () => {
    const { id } = await acme.start();
    const [old, next] = [picture('old.jpg'), picture('next.jpg')];
    const [item, copy] = await acme.items(id, announced(old), announced(old));
    const edited = await acme.edit(present(item), { sha256: next.sha256, sizeBytes: next.sizeBytes });
    expect(await acme.item(present(copy))).toMatchObject({ status: 'failed', error: { code: 'duplicate_of_failed' } });
    await expect(acme.upload(present(item), old.bytes)).rejects.toMatchObject({ code: 'import_photo_final' });
    await acme.upload(edited, next.bytes);
    await acme.finalize(id);
    await runJobsUntilIdle(ports);
    expect((await acme.list(id)).map(({ status }) => status)).toEqual(['imported', 'failed']);
    await expectSound(ports);
  });

  test('to cancelled releases the items that relied on its bytes', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item, copy] = await acme.items(id, announced(file), announced(file));
    await acme.edit(present(item), { status: 'cancelled' });
    expect(await acme.item(present(copy))).toMatchObject({ status: 'failed', error: { code: 'duplicate_of_failed' } });
  });

  test('to uploaded looks for bytes that were not announced', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    // The service died after it had stored the bytes.
    await ports.blobs.put(stagingKey(present(item)), bytesOf(file.bytes));
    expect(await acme.edit(present(item), { status: 'uploaded' })).toMatchObject({ status: 'processing' });
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'ready', sha256: file.sha256 });
  });

  test('needs an import that is open, an existing item, and the right customer', async () => {
    const { id } = await acme.start();
    const [item] = await acme.items(id, announced(picture('a.jpg')));
    const other = await Account.open(ports);
    const there = await other.start();
    const missing = (resource: string) => ({ code: 'not_found', details: { resource } });
    await expect(other.edit(present(item), { title: 'x' })).rejects.toMatchObject(missing('import'));
    const elsewhere = { id: present(item).id, importId: there.id };
    await expect(other.edit(elsewhere, { title: 'x' })).rejects.toMatchObject(missing('import_photo'));
    await expect(acme.edit({ importId: id, id: 9e15 }, { status: 'uploaded' })).rejects.toMatchObject(
      missing('import_photo'),
    );
    await acme.finalize(id, { missingUploads: 'fail' });
    const refused = { code: 'import_not_open', details: { status: 'completed_with_errors' } };
    await expect(acme.edit(present(item), { title: 'x' })).rejects.toMatchObject(refused);
    await expect(acme.edit(present(item), {})).rejects.toMatchObject(refused);
  });
});

describe('a finalize request', () => {
  test('of an empty import completes it at once', async () => {
    const { id } = await acme.start({ clientRef: 'ref' });
    const at = ports.clock.now();
    const ended = await acme.finalize(id);
    expect(ended).toMatchObject({ status: 'completed', finalizedAt: at, completedAt: at, expiresAt: null });
    expect(await claimJob(ports.jobs, 300)).toBeNull();
  });

  test('with missing uploads is refused with their list, and the import stays open', async () => {
    const { id } = await acme.start();
    const files = Array.from({ length: 22 }, (_, at) => picture(`${at}.jpg`));
    const items = await acme.items(id, ...files.map((file) => announced(file)));
    await acme.upload(present(items[0]), present(files[0]).bytes);
    const sample = items.slice(1, 21).map((item) => item.id);
    const refused = { code: 'uploads_incomplete', details: { missing: 21, sample } };
    await expect(acme.finalize(id)).rejects.toMatchObject(refused);
    expect(await acme.import(id)).toMatchObject({ status: 'open', counts: { awaitingUpload: 21 } });
  });

  test('with missingUploads fail fails them, and the items that relied on them', async () => {
    const { id } = await acme.start();
    const [there, missing] = [picture('there.jpg'), picture('missing.jpg')];
    const items = await acme.items(id, announced(there), announced(missing), announced(missing));
    await acme.upload(present(items[0]), there.bytes);
    expect(await acme.finalize(id, { missingUploads: 'fail' })).toMatchObject({ status: 'processing' });
    await runJobsUntilIdle(ports);
    const ended = await acme.import(id);
    expect(ended).toMatchObject({ status: 'completed_with_errors', counts: { imported: 1, failed: 2 } });
    const errors = (await acme.list(id)).map(({ error }) => error?.code);
    expect(errors).toEqual([undefined, 'upload_missing', 'duplicate_of_failed']);
    await expectSound(ports);
  });

  test('of nothing but missing uploads completes the import at once', async () => {
    const { id } = await acme.start();
    await acme.items(id, announced(picture('a.jpg')));
    const ended = await acme.finalize(id, { missingUploads: 'fail' });
    expect(ended).toMatchObject({ status: 'completed_with_errors', counts: { failed: 1 } });
    expect(ended.completedAt).not.toBeNull();
  });

  test('makes uploads afterwards be refused', async () => {
    const { id } = await acme.start();
    const file = picture('a.jpg');
    const [item] = await acme.items(id, announced(file));
    await acme.finalize(id, { missingUploads: 'fail' });
    await expect(acme.upload(present(item), file.bytes)).rejects.toMatchObject({
      code: 'import_photo_final',
      details: { status: 'failed', photoId: null },
    });
  });

  test('counts bytes that arrived without an announcement', async () => {
    const { id } = await acme.start();
    const files = [picture('a.jpg'), picture('b.jpg')];
    const items = await acme.items(id, ...files.map((file) => announced(file)));
    // The service died after it had stored the bytes.
    for (const [at, item] of items.entries())
      await ports.blobs.put(stagingKey(item), bytesOf(present(files[at]).bytes));
    expect(await acme.finalize(id)).toMatchObject({ status: 'processing', counts: { processing: 2 } });
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 2 } });
    await expectSound(ports);
  });

  test('that is repeated during the work or after its end answers the import unchanged', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    const first = await acme.finalize(id);
    const before = await everything(ports);
    ports.clock.pass(1000);
    expect(await acme.finalize(id)).toEqual(first);
    expect(await acme.finalize(id, { missingUploads: 'fail' })).toEqual(first);
    expect(await everything(ports)).toEqual(before);
    await runJobsUntilIdle(ports);
    const ended = await acme.import(id);
    expect(await acme.finalize(id)).toEqual(ended);
    expect(ended.status).toBe('completed');
    expect(await claimJob(ports.jobs, 300)).toBeNull();
  });

  test('from many clients at once takes effect once', async () => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg'), picture('b.jpg')]);
    const answers = await atOnce(8, () => acme.finalize(id));
    expect(new Set(answers.map(({ version }) => version)).size).toBe(1);
    await runJobsUntilIdle(ports);
    expect(await acme.import(id)).toMatchObject({ status: 'completed', counts: { imported: 2 } });
    expect(await acme.photos()).toHaveLength(2);
  });

  test('to discard cancels every item, changes no photo, and may be repeated', async () => {
    const known = picture('known.jpg');
    const photo = await acme.addPhoto(known);
    const before = await acme.photos();
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg'), known]);
    await runJobsUntilIdle(ports);
    await acme.items(id, announced(picture('waiting.jpg')));
    const discarded = await acme.finalize(id, { action: 'discard' });
    expect(discarded).toMatchObject({ status: 'cancelled', counts: { total: 3, cancelled: 3 }, finalizedAt: null });
    expect(discarded.completedAt).toEqual(ports.clock.now());
    expect(await acme.finalize(id, { action: 'discard' })).toEqual(discarded);
    await runJobsUntilIdle(ports);
    expect(await acme.photos()).toEqual(before);
    expect(await acme.photo(photo.id)).toEqual(photo);
  });

  test('to discard stops items that were still being inspected', async () => {
    const { id } = await acme.start();
    const [item] = await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id, { action: 'discard' });
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(item))).toMatchObject({ status: 'cancelled' });
    expect(await acme.photos()).toEqual([]);
  });

  test.each([
    ['commit', 'cancelled'],
    ['discard', 'processing'],
    ['discard', 'completed'],
  ] as const)('to %s an import that is %s is refused', async (action, status) => {
    const { id } = await acme.start();
    await acme.send(id, [picture('a.jpg')]);
    await acme.finalize(id, { action: status === 'cancelled' ? 'discard' : 'commit' });
    if (status === 'completed') await runJobsUntilIdle(ports);
    const refused = { code: 'import_not_open', details: { status } };
    await expect(acme.finalize(id, { action })).rejects.toMatchObject(refused);
  });

  test('for another customer’s import, or an unknown one, is not found', async () => {
    const { id } = await acme.start();
    const other = await Account.open(ports);
    for (const action of ['commit', 'discard'] as const) {
      await expect(other.finalize(id, { action })).rejects.toMatchObject({ code: 'not_found' });
      await expect(acme.finalize(id + 1, { action })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
