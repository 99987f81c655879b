import type { BulkActionInput } from '../../src/core/bulk-edits/bulk-action.js';
import { BULK_BATCH, BULK_EDIT_MS, type BulkEdit, MAX_ACTIVE_EDITS } from '../../src/core/bulk-edits/bulk-edit.js';
import {
  activeBulkEdits,
  type BulkSelection,
  forgetBulkEdits,
  listBulkEdits,
  readBulkEdit,
  startBulkEdit,
  undoBulkEdit,
} from '../../src/core/bulk-edits/manage-bulk-edits.js';
import { giveUpBulkEdit, runBulkEdit } from '../../src/core/bulk-edits/run-bulk-edit.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { purgePhoto, trashPhoto } from '../../src/core/photos/trash.js';
import type { Id } from '../../src/core/shared/ids.js';
import { deleteTag } from '../../src/core/tags/delete-tag.js';
import { editTag } from '../../src/core/tags/edit-tag.js';
import { createWebhookEndpoint } from '../../src/core/webhooks/endpoints.js';
import { runJob } from '../../src/worker/pools.js';
import { claimJob } from '../support/claim.js';
import { Account, type World, world } from '../support/core-world.js';
import { sampleExif, samplePhoto } from '../support/samples.js';
import { atOnce, present } from '../support/tenant.js';

let ports: World;
let acme: Account;
beforeEach(async () => {
  ports = world({ limits: { tags: 10, tagsPerPhoto: 3 } });
  acme = await Account.open(ports);
});

const taken = {
  takenAt: new Date('2024-06-01T10:00:00.500Z'),
  takenAtLocal: '2024-06-01T12:00:00.500',
  timeZone: 'Europe/Paris',
  takenAtSource: 'exif_offset',
} as const;

const inFiji = {
  location: { latitude: -18, longitude: 178, altitude: 30 },
  place: { country: 'FJ', region: 'Western', city: 'Lautoka' },
};

function add(count: number, values: Partial<Photo> = {}): Promise<Id[]> {
  return ports.store.transaction(acme.id, async ({ photos, importPhotos }) => {
    const ids = await importPhotos.allocateIds(count);
    for (const id of ids) await photos.insert(samplePhoto(acme.id, id, values), [], sampleExif);
    return [...ids];
  });
}

const start = (action: BulkActionInput, selection: BulkSelection | readonly Id[]) =>
  startBulkEdit(ports, acme.caller, action, 'length' in selection ? { photoIds: selection } : selection);

/** Runs all jobs, each as often as it adds itself. */
async function work(): Promise<void> {
  for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
    await runJob(ports, job);
    await ports.jobs.complete(job);
  }
}

async function done(action: BulkActionInput, selection: BulkSelection | readonly Id[]): Promise<BulkEdit> {
  const { id } = await start(action, selection);
  await work();
  return readBulkEdit(ports, acme.caller, id);
}

async function undone({ id }: Pick<BulkEdit, 'id'>): Promise<BulkEdit> {
  await undoBulkEdit(ports, acme.caller, id);
  await work();
  return readBulkEdit(ports, acme.caller, id);
}

const tagsOf = async (id: Id) => (await acme.photo(id)).tags.map(({ name }) => name);
const auditEntries = () => ports.database.auditEntries.where(({ action }) => action.startsWith('photo.bulk'));

/** The fields of a photo that clients can see, but for those of every version. */
async function contents(id: Id) {
  const { version: _, updatedAt: __, purgeAt: ___, ...photo } = await acme.photo(id);
  return photo;
}

describe('a bulk edit changes photos and can be undone', () => {
  const actions: readonly (readonly [BulkActionInput, object])[] = [
    [{ kind: 'add_tags', tagNames: ['Rome', 'New'] }, { tags: [{ name: 'New' }, { name: 'Rome' }] }],
    [{ kind: 'set_rating', rating: 4 }, { rating: 4 }],
    [
      { kind: 'shift_time', seconds: -5400, timeZone: null },
      {
        takenAtLocal: '2024-06-01T10:30:00.500',
        takenAt: new Date('2024-06-01T08:30:00.500Z'),
        takenAtSource: 'client',
      },
    ],
    [
      { kind: 'shift_time', seconds: 0, timeZone: '+00:00' },
      { takenAtLocal: taken.takenAtLocal, takenAt: new Date('2024-06-01T12:00:00.500Z'), timeZone: '+00:00' },
    ],
    [
      { kind: 'shift_time', seconds: 86_400, timeZone: 'Asia/Tokyo' },
      { takenAtLocal: '2024-06-02T12:00:00.500', takenAt: new Date('2024-06-02T03:00:00.500Z') },
    ],
    [
      { kind: 'rotate', degrees: 90 },
      { rotation: 0, width: 400, height: 300 },
    ],
    [
      { kind: 'set_location', location: { latitude: 48.8584, longitude: 2.2945 } },
      {
        location: { latitude: 48.8584, longitude: 2.2945, altitude: null },
        place: { country: 'FR', region: 'Île-de-France', city: 'Paris' },
      },
    ],
    [
      { kind: 'set_location', location: null },
      { location: null, place: null },
    ],
    [{ kind: 'trash' }, { trashedAt: expect.any(Date), purgeAt: expect.any(Date) }],
  ];

  test.each(actions)('%j', async (action, expected) => {
    const [id, other] = await add(2, { ...taken, ...inFiji, rotation: 270, width: 300, height: 400, rating: null });
    const before = await contents(present(id));
    const edit = await done(action, [present(id)]);
    expect(edit).toMatchObject({ state: 'done', total: 1, changed: 1, unchanged: 0, failures: [] });
    expect(await acme.photo(present(id))).toMatchObject({ ...expected, version: 2 });
    expect(await acme.photo(present(other))).toMatchObject({ version: 1 });
    expect(await undone(edit)).toMatchObject({ state: 'undone', undone: 1, kept: 0 });
    expect(await contents(present(id))).toEqual(before);
    expect((await acme.photo(present(id))).version).toBe(3);
    expect(await acme.photo(present(other))).toMatchObject({ version: 1 });
  });

  test('a bulk edit that removes tags can be undone', async () => {
    const [a, b] = await add(2);
    const [paris, rome] = [await acme.tag('Paris'), await acme.tag('Rome')];
    await editTag(ports, acme.caller, paris.id, { addPhotoIds: [present(a), present(b)] });
    await editTag(ports, acme.caller, rome.id, { addPhotoIds: [present(a)] });
    const edit = await done({ kind: 'remove_tags', tagNames: ['rome'] }, [present(a), present(b)]);
    expect(edit).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await tagsOf(present(a))).toEqual(['Paris']);
    expect(await undone(edit)).toMatchObject({ undone: 1, kept: 0 });
    expect(await tagsOf(present(a))).toEqual(['Paris', 'Rome']);
  });

  test('a bulk edit that restores photos from the trash can be undone', async () => {
    const [id] = await add(1);
    await trashPhoto(ports, acme.caller, present(id));
    const edit = await done({ kind: 'restore' }, [present(id)]);
    expect(await acme.photo(present(id))).toMatchObject({ trashedAt: null, purgeAt: null });
    await undone(edit);
    expect(await acme.photo(present(id))).toMatchObject({ trashedAt: expect.any(Date), purgeAt: expect.any(Date) });
  });
});

describe('a bulk edit counts what it cannot change, with the reason', () => {
  test('a bulk edit counts photos that are deleted or in the trash', async () => {
    const [a, b, c] = await add(3);
    await purgePhoto(ports, acme.caller, present(a));
    await trashPhoto(ports, acme.caller, present(b));
    const edit = await done({ kind: 'set_rating', rating: 1 }, [present(a), present(b), present(c)]);
    expect(edit).toMatchObject({ state: 'done', total: 3, changed: 1 });
    expect(edit.failures).toEqual([
      { reason: 'not_found', count: 1, photoIds: [a] },
      { reason: 'in_trash', count: 1, photoIds: [b] },
    ]);
  });

  test('a bulk edit counts photos with too many tags, and tags that were deleted meanwhile', async () => {
    const [a, b] = await add(2);
    await done({ kind: 'add_tags', tagNames: ['1', '2', '3'] }, [present(a)]);
    const edit = await done({ kind: 'add_tags', tagNames: ['4'] }, [present(a), present(b)]);
    expect(edit).toMatchObject({ changed: 1, failures: [{ reason: 'too_many_tags', count: 1, photoIds: [a] }] });
    const { id } = await start({ kind: 'remove_tags', tagNames: ['4'] }, [present(b)]);
    await deleteTag(ports, acme.caller, present((await acme.tags()).find(({ name }) => name === '4')).id);
    await work();
    const { failures } = await readBulkEdit(ports, acme.caller, id);
    expect(failures).toMatchObject([{ reason: 'tag_deleted', count: 1 }]);
  });

  test('a bulk edit counts capture times that are unknown, or that would be before the year 1', async () => {
    const [unknown] = await add(1);
    const [early] = await add(1, {
      ...taken,
      takenAt: new Date('0001-01-02T00:00:00Z'),
      takenAtLocal: '0001-01-02T00:09:21',
    });
    const shift = { kind: 'shift_time', seconds: -10 * 86_400, timeZone: null } as const;
    const { failures, changed } = await done(shift, [present(unknown), present(early)]);
    expect(changed).toBe(0);
    expect(failures.map(({ reason }) => reason)).toEqual(['no_capture_time', 'capture_time_out_of_range']);
  });
});

describe('the undo of a bulk edit', () => {
  test('leaves alone exactly what another request has changed in the same field', async () => {
    const [same, other, trashed, gone, untouched] = await add(5, { rating: 1 });
    const ids = [same, other, trashed, gone, untouched].map(present);
    const edit = await done({ kind: 'set_rating', rating: 5 }, ids);
    await editPhoto(ports, acme.caller, present(same), { rating: 3 });
    await editPhoto(ports, acme.caller, present(other), { title: 'Rome' });
    await trashPhoto(ports, acme.caller, present(trashed));
    await purgePhoto(ports, acme.caller, present(gone));
    expect(await undone(edit)).toMatchObject({ undone: 2, kept: 3 });
    expect(await acme.photo(present(same))).toMatchObject({ rating: 3 });
    expect(await acme.photo(present(other))).toMatchObject({ rating: 1, title: 'Rome' });
    expect(await acme.photo(present(trashed))).toMatchObject({ rating: 5 });
    expect(await acme.photo(present(untouched))).toMatchObject({ rating: 1 });
  });

  test('removes exactly the tags that the edit has added, unless another request has removed them', async () => {
    const [a, b] = await add(2);
    const edit = await done({ kind: 'add_tags', tagNames: ['Rome'] }, [present(a), present(b)]);
    const rome = present((await acme.tags())[0]);
    await editTag(ports, acme.caller, rome.id, { removePhotoIds: [present(a)] });
    await done({ kind: 'add_tags', tagNames: ['Later'] }, [present(b)]);
    expect(await undone(edit)).toMatchObject({ undone: 1, kept: 1 });
    expect(await tagsOf(present(b))).toEqual(['Later']);
  });

  test('happens once, even when two requests ask for it', async () => {
    const ids = await add(2);
    const edit = await done({ kind: 'rotate', degrees: 180 }, ids);
    await Promise.all([undone(edit), undoBulkEdit(ports, acme.caller, edit.id)]);
    await work();
    expect(await undone(edit)).toMatchObject({ state: 'undone', undone: 2, kept: 0 });
    expect(await acme.photo(present(ids[0]))).toMatchObject({ rotation: 0, version: 3 });
  });

  test('stops an edit that is in progress, and reverts what it has done', async () => {
    const ids = await add(BULK_BATCH + 1);
    const edit = await start({ kind: 'set_rating', rating: 2 }, ids);
    await runBulkEdit(ports, acme.id, edit.id);
    expect(await readBulkEdit(ports, acme.caller, edit.id)).toMatchObject({ state: 'running', changed: BULK_BATCH });
    expect(await undone(edit)).toMatchObject({ state: 'undone', changed: BULK_BATCH, undone: BULK_BATCH });
    expect((await acme.photos()).filter(({ rating }) => rating !== null)).toEqual([]);
    expect(await acme.photo(present(ids.at(-1)))).toMatchObject({ version: 1 });
    expect(auditEntries()).toMatchObject([
      { action: 'photo.bulk_edited', count: BULK_BATCH },
      { action: 'photo.bulk_edit_undone', count: BULK_BATCH },
    ]);
  });

  test('is refused when nothing was changed', async () => {
    const edit = await done({ kind: 'restore' }, await add(1));
    expect(edit).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await undone(edit)).toMatchObject({ state: 'done' });
  });
});

describe('a bulk edit of all photos that match', () => {
  test('counts and changes them, in the library or in the trash', async () => {
    const ids = await add(BULK_BATCH * 2 + 1, { rating: 5 });
    await add(3, { rating: 1 });
    const edit = await start({ kind: 'trash' }, { filters: { trashed: 'false', minRating: 5 } });
    expect(edit).toMatchObject({ total: ids.length, changed: 0, state: 'running' });
    await work();
    expect(await readBulkEdit(ports, acme.caller, edit.id)).toMatchObject({ state: 'done', changed: ids.length });
    const usage = () => ports.store.query(acme.id, (reader) => reader.usage.read());
    expect(await usage()).toMatchObject({ photos: 3, trashedPhotos: ids.length });
    await done({ kind: 'restore' }, { filters: { trashed: 'true' } });
    expect(await usage()).toMatchObject({ photos: ids.length + 3, trashedPhotos: 0 });
  });

  test('requires that the tags of the query exist', async () => {
    const rating = { kind: 'set_rating', rating: 1 } as const;
    const unknown = start(rating, { filters: { trashed: 'false', tagIds: [999] } });
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a run of a bulk edit that is interrupted', () => {
  test('before its commit changes nothing, and the next run continues so that each photo is changed once', async () => {
    const ids = await add(BULK_BATCH + 50, taken);
    const { id } = await start({ kind: 'shift_time', seconds: 3600, timeZone: null }, ids);
    let calls = 0;
    /** Fails at the nth call into a repository. */
    const failingAt = (last: number): World => ({
      ...ports,
      store: Object.assign(Object.create(ports.store), {
        transaction: (customerId: Id, run: (transaction: never) => Promise<unknown>) =>
          ports.store.transaction(customerId, (transaction) => run(counting(transaction, last) as never)),
      }),
    });
    const counting = (transaction: object, last: number) =>
      new Proxy(transaction, {
        get: (target, name) =>
          new Proxy(Reflect.get(target, name), {
            get: (repository, method) => {
              const own = Reflect.get(repository, method);
              if (typeof own !== 'function') return own;
              return (...given: unknown[]) => {
                calls += 1;
                if (calls === last) throw new Error('on purpose');
                return own.apply(repository, given);
              };
            },
          }),
      });
    // The first steps, some among the photos, and the last ones, which store the position and add the job.
    for (const last of [
      1,
      2,
      3,
      4,
      50,
      BULK_BATCH + 3,
      BULK_BATCH + 4,
      BULK_BATCH + 5,
      BULK_BATCH + 6,
      BULK_BATCH + 7,
    ]) {
      calls = 0;
      const run = runBulkEdit(failingAt(last), acme.id, id).then(
        () => 'ran',
        (error: Error) => error.message,
      );
      const outcome = await run;
      expect(outcome).toBe('on purpose');
      expect(ports.database.photos.where(({ version }) => version !== 1)).toEqual([]);
      expect(await readBulkEdit(ports, acme.caller, id)).toMatchObject({ changed: 0, lastPhotoId: null });
    }
    await work();
    expect(await readBulkEdit(ports, acme.caller, id)).toMatchObject({ state: 'done', changed: ids.length });
    expect(ports.database.photos.where(({ version }) => version !== 2)).toEqual([]);
    expect(ports.database.photos.where(({ takenAtLocal }) => takenAtLocal !== '2024-06-01T13:00:00.500')).toEqual([]);
    expect(auditEntries()).toMatchObject([{ action: 'photo.bulk_edited', count: ids.length }]);
  });

  test('changes each photo once even if two runs work at the same time', async () => {
    const ids = await add(BULK_BATCH * 2);
    const { id } = await start({ kind: 'rotate', degrees: 90 }, ids);
    await atOnce(5, () => runBulkEdit(ports, acme.id, id));
    await work();
    expect(await readBulkEdit(ports, acme.caller, id)).toMatchObject({ state: 'done', changed: ids.length });
    expect(ports.database.photos.where(({ version }) => version !== 2)).toEqual([]);
  });

  test('is given up after the third failure, and what it has done can be undone', async () => {
    const ids = await add(BULK_BATCH + 1);
    const { id } = await start({ kind: 'set_rating', rating: 2 }, ids);
    await runBulkEdit(ports, acme.id, id);
    await giveUpBulkEdit(ports, acme.id, id);
    expect(await readBulkEdit(ports, acme.caller, id)).toMatchObject({ state: 'failed', changed: BULK_BATCH });
    await work();
    expect(await undone({ id })).toMatchObject({ state: 'undone', undone: BULK_BATCH });
  });
});

test('two bulk edits of the same photos at once both take effect', async () => {
  const ids = await add(3, taken);
  const [rating, tags] = await Promise.all([
    start({ kind: 'set_rating', rating: 3 }, ids),
    start({ kind: 'add_tags', tagNames: ['Rome'] }, ids),
  ]);
  expect((await activeBulkEdits(ports, acme.caller)).map(({ id }) => id)).toEqual([rating.id, tags.id]);
  await Promise.all([runBulkEdit(ports, acme.id, rating.id), runBulkEdit(ports, acme.id, tags.id)]);
  for (const id of ids) expect(await acme.photo(id)).toMatchObject({ rating: 3, tags: [{ name: 'Rome' }], version: 3 });
  expect(await undone(rating)).toMatchObject({ undone: 3, kept: 0 });
  for (const id of ids) expect(await acme.photo(id)).toMatchObject({ rating: null, tags: [{ name: 'Rome' }] });
});

test('a bulk edit sends one event for each photo, and leaves one audit entry', async () => {
  const [a, b] = (await add(2)).map(present);
  await createWebhookEndpoint(ports, acme.caller, { url: 'https://example.com/hooks', description: null, events: [] });
  const edit = await done({ kind: 'trash' }, [present(a), present(b)]);
  await undone(edit);
  const told = ports.database.deliveries.all().map(({ type, subjectId }) => `${type} ${subjectId}`);
  expect(told.sort()).toEqual(
    [`photo.restored ${a}`, `photo.restored ${b}`, `photo.trashed ${a}`, `photo.trashed ${b}`].sort(),
  );
  const entry = { subjectId: edit.id, subjectName: 'Move to the trash', count: 2, actorName: 'key' };
  expect(auditEntries()).toMatchObject([
    { action: 'photo.bulk_edited', ...entry },
    { action: 'photo.bulk_edit_undone', ...entry },
  ]);
});

describe('a bulk edit is refused', () => {
  const inputs: readonly BulkActionInput[] = [
    { kind: 'add_tags', tagNames: [] },
    { kind: 'add_tags', tagNames: [' '] },
    { kind: 'remove_tags', tagNames: ['nobody'] },
    { kind: 'set_rating', rating: 6 },
    { kind: 'set_rating', rating: 1.5 },
    { kind: 'rotate', degrees: 45 },
    { kind: 'shift_time', seconds: 0, timeZone: null },
    { kind: 'shift_time', seconds: 2 ** 40, timeZone: null },
    { kind: 'shift_time', seconds: 0, timeZone: 'Paris' },
  ];
  test.each(inputs)('with the invalid action %j', async (input) => {
    await expect(start(input, await add(1))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await activeBulkEdits(ports, acme.caller)).toEqual([]);
  });

  test('without the required scope, and beyond the limits of photos and of active edits', async () => {
    const [id] = await add(1);
    const without = acme.without('photos:delete').caller;
    const trash = startBulkEdit(ports, without, { kind: 'trash' }, { photoIds: [present(id)] });
    await expect(trash).rejects.toMatchObject({ code: 'scope_required' });
    const many = Array.from({ length: 10_001 }, (_, at) => at + 1);
    await expect(start({ kind: 'trash' }, many)).rejects.toMatchObject({ code: 'invalid_request' });
    for (let at = 0; at < MAX_ACTIVE_EDITS; at += 1) await start({ kind: 'trash' }, [present(id)]);
    await expect(start({ kind: 'trash' }, [present(id)])).rejects.toMatchObject({ code: 'limit_reached' });
  });

  test('for another customer or another person', async () => {
    const { id } = await done({ kind: 'set_rating', rating: 1 }, await add(1));
    const other = await Account.open(ports);
    await expect(readBulkEdit(ports, other.caller, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(undoBulkEdit(ports, other.caller, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await listBulkEdits(ports, other.caller, { before: null, limit: 9 })).toEqual({ edits: [], next: null });
  });
});

test('bulk edits are listed newest first, and deleted after a week', async () => {
  const ids = await add(1);
  const first = await done({ kind: 'set_rating', rating: 1 }, ids);
  ports.clock.pass(BULK_EDIT_MS);
  const second = await done({ kind: 'set_rating', rating: 2 }, ids);
  const page = await listBulkEdits(ports, acme.caller, { before: null, limit: 1 });
  expect(page).toMatchObject({ edits: [{ id: second.id }], next: second.id });
  await forgetBulkEdits(ports);
  expect(ports.database.bulkEdits.all()).toHaveLength(2);
  ports.clock.pass(1);
  await forgetBulkEdits(ports);
  expect(ports.database.bulkEdits.all()).toMatchObject([{ id: second.id }]);
  expect(ports.database.bulkChanges.all()).toMatchObject([{ bulkEditId: second.id }]);
  await expect(undoBulkEdit(ports, acme.caller, first.id)).rejects.toMatchObject({ code: 'not_found' });
});
