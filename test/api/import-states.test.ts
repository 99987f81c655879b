import { stagingKey } from '../../src/core/blobs/blob-key.js';
import { expireImports } from '../../src/core/imports/expire.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { Answer } from './support/http-client.js';
import { picture, postFiles, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  actor = await app.customer();
});
afterAll(() => app.close());

interface Item {
  readonly id: number;
  readonly importId: number;
  readonly status: string;
  readonly photoId: number | null;
  readonly restored: boolean;
  readonly error: { readonly code: string } | null;
  readonly upload: { readonly url: string; readonly headers: Record<string, string> } | null;
}

let pictures = 0;
/** A picture that nobody has yet. */
function fresh(): Uint8Array {
  pictures += 1;
  return picture(`state ${pictures}`);
}

const open = async (body: object = {}): Promise<number> => (await actor.post('/imports', body)).body.id;
const finalize = (id: number, body?: object, headers = {}): Promise<Answer> =>
  actor.post(`/imports/${id}/finalize`, body, headers);
const state = async (id: number) => (await actor.get(`/imports/${id}`)).body;
const pathOf = ({ importId, id }: Item) => `/imports/${importId}/photos/${id}`;

async function look({ importId, id }: Item): Promise<Item> {
  const { data } = (await actor.get(`/imports/${importId}?include=photos`)).body.photos;
  return data.find((item: Item) => item.id === id);
}

/** Announces these bytes; the item and what became of it. */
async function announce(importId: number, bytes: Uint8Array, words: object = {}): Promise<[Item, string]> {
  const said = { filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes), ...words };
  const [result] = (await actor.post(`/imports/${importId}/photos`, { photos: [said] })).body.data;
  return [result.photo, result.outcome];
}

/** Sends bytes to where the item waits for them. */
async function put(item: Item, bytes: Uint8Array): Promise<number> {
  const { url = '', headers = {} } = (await look(item)).upload ?? {};
  return (await app.send({ method: 'PUT', path: new URL(url).pathname, body: bytes, headers })).status;
}

async function sendInline(importId: number, bytes: Uint8Array): Promise<Item> {
  return (await postFiles(actor, importId, [{ filename: 'a.jpg', content: bytes }])).body.data[0].photo;
}

/** Bytes that the library has, in a photo with this id. */
async function inLibrary(bytes: Uint8Array): Promise<number> {
  const { id } = await sendInline(await open(), bytes).then(async (item) => {
    await finalize(item.importId);
    return item;
  });
  await app.work();
  return id;
}

/** An item whose bytes the service would fetch. */
async function fetched(importId: number): Promise<Item> {
  const photos = [{ filename: 'a.jpg', sourceUrl: 'https://media.example/a.jpg' }];
  return (await actor.post(`/imports/${importId}/photos`, { photos })).body.data[0].photo;
}

/** An item in each state that it can have while its import is open. */
const items: Record<string, () => Promise<Item>> = {
  awaiting_upload: async () => (await announce(await open(), fresh()))[0],
  fetching: async () => fetched(await open()),
  processing: async () => sendInline(await open(), fresh()),
  ready: async () => {
    const item = await sendInline(await open(), fresh());
    await app.work();
    return look(item);
  },
  duplicate: async () => {
    const bytes = fresh();
    await inLibrary(bytes);
    return (await announce(await open(), bytes))[0];
  },
  failed: async () => {
    const importId = await open();
    const broken = Buffer.from('{"picture":"broken"}');
    const item = await sendInline(importId, broken);
    await app.work();
    return look(item);
  },
  cancelled: async () => {
    const [item] = await announce(await open(), fresh());
    return (await actor.patch(pathOf(item), { status: 'cancelled' })).body;
  },
};

/** An import in each state. */
const imports: Record<string, () => Promise<number>> = {
  open: () => open(),
  processing: async () => {
    const { importId } = await sendInline(await open(), fresh());
    await finalize(importId);
    return importId;
  },
  completed: async () => {
    const id = await open();
    await finalize(id);
    return id;
  },
  completed_with_errors: async () => {
    const [{ importId }] = await announce(await open(), fresh());
    await finalize(importId, { missingUploads: 'fail' });
    return importId;
  },
  cancelled: async () => {
    const id = await open();
    await finalize(id, { action: 'discard' });
    return id;
  },
  expired: async () => {
    const id = await open();
    app.clock.pass(7 * DAY);
    await expireImports(app.ports);
    return id;
  },
};

function itemIn(status: string): Promise<Item> {
  const make = items[status];
  if (make === undefined) throw new Error(`no item is made ${status}`);
  return make();
}

function importIn(status: string): Promise<number> {
  const make = imports[status];
  if (make === undefined) throw new Error(`no import is made ${status}`);
  return make();
}

test.each(Object.keys(items))('an item can be made %s', async (status) => {
  expect((await itemIn(status)).status).toBe(status);
});

test.each(Object.keys(imports))('an import can be made %s', async (status) => {
  expect((await state(await importIn(status))).status).toBe(status);
});

describe('the states of an import', () => {
  test('open: "expiresAt (last activity + 7 days; null when not open)"; activity extends it', async () => {
    const id = await open();
    const opened = await state(id);
    expect(opened.expiresAt).toBe(new Date(app.clock.now().getTime() + 7 * DAY).toISOString());
    app.clock.pass(3 * DAY);
    await announce(id, fresh());
    const used = await state(id);
    expect(used.expiresAt).toBe(new Date(app.clock.now().getTime() + 7 * DAY).toISOString());
    expect(used.version).toBeGreaterThan(opened.version);
    app.clock.pass(5 * DAY);
    await expireImports(app.ports);
    expect((await state(id)).status).toBe('open');
    app.clock.pass(2 * DAY);
    await expireImports(app.ports);
    const expired = await state(id);
    expect(expired).toMatchObject({
      status: 'expired',
      expiresAt: null,
      finalizedAt: null,
      completedAt: app.clock.now().toISOString(),
      progress: 1,
      counts: { total: 1, cancelled: 1 },
    });
  });

  test('processing → completed: every item is imported or duplicate', async () => {
    const bytes = fresh();
    await inLibrary(bytes);
    const id = await open();
    await sendInline(id, fresh());
    await announce(id, bytes);
    const processing = (await finalize(id)).body;
    expect(processing).toMatchObject({ status: 'processing', expiresAt: null, completedAt: null });
    expect(processing.finalizedAt).toBe(app.clock.now().toISOString());
    await app.work();
    expect(await state(id)).toMatchObject({
      status: 'completed',
      completedAt: app.clock.now().toISOString(),
      counts: { total: 2, imported: 1, duplicate: 1 },
      progress: 1,
    });
  });

  test('processing → completed_with_errors: "≥ 1 failed item"', async () => {
    const { importId } = await itemIn('failed');
    await sendInline(importId, fresh());
    expect((await finalize(importId)).status).toBe(202);
    await app.work();
    expect(await state(importId)).toMatchObject({
      status: 'completed_with_errors',
      counts: { total: 2, imported: 1, failed: 1 },
    });
  });

  test('"all item work done → completed*/with_errors directly": finalize itself answers 200', async () => {
    const failed = await itemIn('failed');
    const answer = await finalize(failed.importId);
    expect([answer.status, answer.body.status]).toEqual([200, 'completed_with_errors']);
    const cancelled = await itemIn('cancelled');
    expect((await finalize(cancelled.importId)).body).toMatchObject({ status: 'completed', counts: { cancelled: 1 } });
  });

  test.each(['processing', 'completed', 'completed_with_errors', 'cancelled', 'expired'])(
    '"Only open accepts registrations and item PATCHes": %s is 409 import_not_open',
    async (status) => {
      const id = await importIn(status);
      const refused = [
        await actor.post(`/imports/${id}/photos`, { photos: [{ filename: 'a.jpg', sizeBytes: 1 }] }),
        await postFiles(actor, id, [{ filename: 'a.jpg', content: fresh() }]),
      ];
      const [item] = (await actor.get(`/imports/${id}?include=photos`)).body.photos.data;
      if (item) refused.push(await actor.patch(pathOf(item), { title: 'no' }));
      for (const answer of refused) {
        expect([answer.status, answer.body.error]).toMatchObject([
          409,
          { code: 'import_not_open', details: { status } },
        ]);
      }
    },
  );

  test.each(['completed', 'completed_with_errors', 'cancelled', 'expired'])(
    '"Terminal … No way back": %s stays',
    async (status) => {
      const id = await importIn(status);
      const before = await state(id);
      app.clock.pass(30 * DAY);
      await expireImports(app.ports);
      await app.work();
      expect(await state(id)).toEqual(before);
    },
  );

  test('progress: "terminal items / total; 1 when total = 0 and terminal"', async () => {
    const id = await open();
    expect((await state(id)).progress).toBe(0);
    const [gone] = await announce(id, fresh());
    await announce(id, fresh());
    await announce(id, fresh());
    expect((await state(id)).progress).toBe(0);
    await actor.patch(pathOf(gone), { status: 'cancelled' });
    expect((await state(id)).progress).toBe(0.333);
    expect((await finalize(await open())).body.progress).toBe(1);
  });

  test('counts: "sum of the last seven = total"; totalBytes is the sum of the sizes', async () => {
    const id = await open();
    const sizes = [11, 22, 33];
    for (const size of sizes) await announce(id, fresh(), { sizeBytes: size });
    const [twin] = await announce(id, fresh(), { sizeBytes: 44 });
    await actor.patch(pathOf(twin), { status: 'cancelled' });
    const { counts, totalBytes } = await state(id);
    const { total, ...rest } = counts;
    expect(counts).toMatchObject({ total: 4, awaitingUpload: 3, cancelled: 1 });
    expect(Object.values(rest as Record<string, number>).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(totalBytes).toBe(11 + 22 + 33 + 44);
  });
});

describe('each row of the states of an item', () => {
  test('(new) → awaiting_upload: "registered by JSON"', async () => {
    const [item, outcome] = await announce(await open(), fresh());
    expect([outcome, item.status, item.photoId]).toEqual(['created', 'awaiting_upload', null]);
    expect(item.upload).not.toBeNull();
  });

  test('(new) → processing: "inline upload stored"', async () => {
    expect(await sendInline(await open(), fresh())).toMatchObject({
      status: 'processing',
      photoId: null,
      upload: null,
    });
  });

  test.each(['declared', 'actual'])(
    '(new) → duplicate: "%s SHA-256 equals a photo of this customer"',
    async (which) => {
      const bytes = fresh();
      const photoId = await inLibrary(bytes);
      const id = await open();
      const item = which === 'declared' ? (await announce(id, bytes))[0] : await sendInline(id, bytes);
      expect(item).toMatchObject({ status: 'duplicate', photoId, restored: false, upload: null });
      // Someone else's bytes are not looked at.
      const stranger = await app.customer();
      const theirs = (await stranger.post('/imports')).body.id;
      const said = { filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) };
      expect((await stranger.post(`/imports/${theirs}/photos`, { photos: [said] })).body.data[0].outcome).toBe(
        'created',
      );
    },
  );

  test('(new) → duplicate: of "an earlier item of this import"; its photoId is "the first\'s photo" at publish', async () => {
    const id = await open();
    const bytes = fresh();
    const [first] = await announce(id, bytes, { clientRef: '1' });
    const [second, outcome] = await announce(id, bytes, { clientRef: '2' });
    expect([outcome, second.status, second.photoId]).toEqual(['duplicate', 'duplicate', null]);
    await put(first, bytes);
    await finalize(id);
    await app.work();
    expect(await look(second)).toMatchObject({ status: 'duplicate', photoId: first.id });
  });

  test('"(policy skip)": with allow the same bytes become a photo of their own', async () => {
    const bytes = fresh();
    const photoId = await inLibrary(bytes);
    const id = await open({ duplicatePolicy: 'allow' });
    const items = [
      (await announce(id, bytes, { clientRef: '1' }))[0],
      (await announce(id, bytes, { clientRef: '2' }))[0],
    ];
    for (const item of items) await put(item, bytes);
    await app.work();
    await finalize(id);
    await app.work();
    const photos = (await actor.get(`/photos?sha256=${sha256(bytes)}&sort=id`)).body.data;
    expect(photos.map((photo: { id: number }) => photo.id)).toEqual([photoId, ...items.map((item) => item.id)]);
  });

  test('awaiting_upload → processing: "the signed PUT itself"', async () => {
    const bytes = fresh();
    const [item] = await announce(await open(), bytes);
    expect(await put(item, bytes)).toBe(204);
    expect((await look(item)).status).toBe('processing');
  });

  /** Bytes in staging of which the service does not know, as when it was stopped after storing them. */
  async function arrivedUnseen(bytes: Uint8Array): Promise<Item> {
    const [item] = await announce(await open(), bytes);
    const { uploadId } = await app.ports.store.query(actor.customerId, async (reader) => {
      const found = await reader.importPhotos.get(item.importId, item.id);
      if (found === null) throw new Error('no item');
      return found;
    });
    const key = stagingKey({ customerId: actor.customerId, importId: item.importId, id: item.id, uploadId });
    await app.ports.blobs.put(
      key,
      (async function* () {
        yield bytes;
      })(),
    );
    return item;
  }

  test('awaiting_upload → processing: "PATCH uploaded"', async () => {
    const item = await arrivedUnseen(fresh());
    const answer = await actor.patch(pathOf(item), { status: 'uploaded' });
    expect([answer.status, answer.body.status]).toEqual([200, 'processing']);
  });

  test('awaiting_upload → processing: finalize sees the object', async () => {
    const item = await arrivedUnseen(fresh());
    expect((await finalize(item.importId)).body).toMatchObject({ status: 'processing', counts: { processing: 1 } });
    await app.work();
    expect((await state(item.importId)).status).toBe('completed');
  });

  test('processing → ready: "bytes verified, decoded, metadata read"', async () => {
    const bytes = fresh();
    const item = await sendInline(await open(), bytes);
    await app.work();
    expect(await look(item)).toMatchObject({
      status: 'ready',
      photoId: null,
      contentType: 'image/jpeg',
      width: 400,
      height: 300,
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
      error: null,
    });
    // "A Photo with the item's id exists for imported only".
    expect((await actor.get(`/photos/${item.id}`)).status).toBe(404);
  });

  test('processing → duplicate: "actual SHA-256 already in library"', async () => {
    const bytes = fresh();
    const photoId = await inLibrary(bytes);
    const [item] = await announce(await open(), bytes, { sha256: null });
    expect(item.status).toBe('awaiting_upload');
    await put(item, bytes);
    await app.work();
    expect(await look(item)).toMatchObject({ status: 'duplicate', photoId, sha256: sha256(bytes) });
  });

  test('processing → failed: "item error"', async () => {
    const text = Buffer.from('no picture at all');
    const [item] = await announce(await open(), text);
    await put(item, text);
    await app.work();
    expect(await look(item)).toMatchObject({ status: 'failed', error: { code: 'not_an_image' }, upload: null });
  });

  test('ready → imported: "published after finalize", with the id of the item', async () => {
    const item = await itemIn('ready');
    await finalize(item.importId);
    await app.work();
    expect(await look(item)).toMatchObject({ status: 'imported', photoId: item.id, restored: false });
    expect((await actor.get(`/photos/${item.id}`)).body).toMatchObject({ id: item.id, importId: item.importId });
  });

  test('ready → duplicate: "another import published the same bytes first"', async () => {
    const bytes = fresh();
    const [winner, loser] = [await sendInline(await open(), bytes), await sendInline(await open(), bytes)];
    await app.work();
    expect([(await look(winner)).status, (await look(loser)).status]).toEqual(['ready', 'ready']);
    for (const { importId } of [winner, loser]) {
      await finalize(importId);
      await app.work();
    }
    expect(await look(loser)).toMatchObject({ status: 'duplicate', photoId: winner.id });
    expect((await state(loser.importId)).status).toBe('completed');
    expect((await actor.get('/photos')).body.data).toHaveLength(1);
  });

  test('awaiting_upload → failed(upload_missing): "finalize with missingUploads: fail"; who relied on it fails too', async () => {
    const id = await open();
    const bytes = fresh();
    const [first] = await announce(id, bytes, { clientRef: '1' });
    const [second] = await announce(id, bytes, { clientRef: '2' });
    await finalize(id, { missingUploads: 'fail' });
    expect([(await look(first)).error?.code, (await look(second)).error?.code]).toEqual([
      'upload_missing',
      'duplicate_of_failed',
    ]);
  });

  test('failed → awaiting_upload: "same clientRef registered again", with the new values', async () => {
    const id = await open();
    const text = Buffer.from('no picture');
    const [item] = await announce(id, text, { clientRef: 'r', title: 'old' });
    await put(item, text);
    await app.work();
    expect((await look(item)).status).toBe('failed');
    const bytes = fresh();
    const [again, outcome] = await announce(id, bytes, { clientRef: 'r', filename: 'b.jpg', title: 'new' });
    expect([outcome, again]).toMatchObject([
      'existing',
      {
        id: item.id,
        status: 'awaiting_upload',
        error: null,
        filename: 'b.jpg',
        title: 'new',
        sha256: sha256(bytes),
        sizeBytes: bytes.length,
      },
    ]);
    expect(again.upload?.url).not.toBe(item.upload?.url);
    expect(await put(again, bytes)).toBe(204);
    await app.work();
    expect((await look(item)).status).toBe('ready');
  });

  test('failed → awaiting_upload: PATCH {"status":"awaiting_upload"}', async () => {
    const item = await itemIn('failed');
    const answer = await actor.patch(pathOf(item), { status: 'awaiting_upload' });
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'awaiting_upload', error: null }]);
    expect(answer.body.upload).not.toBeNull();
  });

  test.each(['awaiting_upload', 'fetching', 'processing', 'ready', 'failed', 'duplicate'])(
    '%s → cancelled: PATCH {"status":"cancelled"}; it never becomes a photo',
    async (status) => {
      const item = await itemIn(status);
      const before = (await actor.get('/photos?trashed=any')).body.data;
      const answer = await actor.patch(pathOf(item), { status: 'cancelled' });
      expect([answer.status, answer.body.status, answer.body.upload]).toEqual([200, 'cancelled', null]);
      await app.work();
      expect((await finalize(item.importId)).body).toMatchObject({ status: 'completed', counts: { cancelled: 1 } });
      await app.work();
      expect((await actor.get('/photos?trashed=any')).body.data).toEqual(before);
    },
  );

  test('a duplicate of an item that is cancelled becomes failed(duplicate_of_failed)', async () => {
    const id = await open();
    const bytes = fresh();
    const [first] = await announce(id, bytes, { clientRef: '1' });
    const [second] = await announce(id, bytes, { clientRef: '2' });
    await actor.patch(pathOf(first), { status: 'cancelled' });
    expect(await look(second)).toMatchObject({ status: 'failed', error: { code: 'duplicate_of_failed' } });
    // "(client re-registers one of them)"
    expect((await announce(id, bytes, { clientRef: '2' }))[0].status).toBe('awaiting_upload');
  });

  test.each(['discard', 'expiry'])('"any non-terminal → cancelled: import cancelled/expired", by %s', async (how) => {
    const bytes = fresh();
    await inLibrary(bytes);
    const id = await open();
    const [waiting] = await announce(id, fresh());
    const ready = await sendInline(id, fresh());
    await app.work();
    const [duplicate] = await announce(id, bytes, { clientRef: 'd' });
    const processing = await sendInline(id, fresh());
    const items = [waiting, ready, duplicate, processing];
    if (how === 'discard') await finalize(id, { action: 'discard' });
    else {
      app.clock.pass(7 * DAY);
      await expireImports(app.ports);
    }
    await app.work();
    for (const item of items) expect(await look(item)).toMatchObject({ status: 'cancelled', upload: null });
    expect((await state(id)).counts).toMatchObject({ total: 4, cancelled: 4 });
    expect((await actor.get('/photos')).body.data).toHaveLength(1);
  });
});

describe('"Effects on the library happen only at publish"', () => {
  async function trashed(): Promise<{ bytes: Uint8Array; photoId: number }> {
    const bytes = fresh();
    const photoId = await inLibrary(bytes);
    await actor.delete(`/photos/${photoId}`);
    return { bytes, photoId };
  }

  test('a trashed duplicate comes back at publish, and not before: "restored turns true"', async () => {
    const { bytes, photoId } = await trashed();
    const [item] = await announce(await open(), bytes);
    expect(item).toMatchObject({ status: 'duplicate', photoId, restored: false });
    await app.work();
    expect((await actor.get(`/photos/${photoId}`)).status).toBe(404);
    await finalize(item.importId);
    await app.work();
    expect(await look(item)).toMatchObject({ status: 'duplicate', photoId, restored: true });
    expect((await actor.get(`/photos/${photoId}`)).body).toMatchObject({ trashedAt: null, purgeAt: null });
  });

  test('a trashed duplicate comes back "unless restoreTrashed is false"', async () => {
    const { bytes, photoId } = await trashed();
    const [item] = await announce(await open({ restoreTrashed: false }), bytes);
    await finalize(item.importId);
    await app.work();
    expect(await look(item)).toMatchObject({ status: 'duplicate', photoId, restored: false });
    expect((await actor.get(`/photos/${photoId}`)).status).toBe(404);
  });

  test('"A discarded or expired import changes nothing"', async () => {
    const { bytes, photoId } = await trashed();
    const [item] = await announce(await open(), bytes);
    await finalize(item.importId, { action: 'discard' });
    await app.work();
    expect((await actor.get(`/photos/${photoId}`)).status).toBe(404);
  });

  test('a duplicate whose photo is permanently deleted meanwhile: failed(duplicate_source_gone)', async () => {
    const { bytes, photoId } = await trashed();
    const [item] = await announce(await open(), bytes);
    await actor.delete(`/photos/${photoId}?permanent=true`);
    await finalize(item.importId);
    await app.work();
    expect(await look(item)).toMatchObject({
      status: 'failed',
      photoId: null,
      error: { code: 'duplicate_source_gone' },
    });
    expect((await state(item.importId)).status).toBe('completed_with_errors');
  });

  test('skip "leave[s] the existing photo as it is"', async () => {
    const bytes = fresh();
    const photoId = await inLibrary(bytes);
    const before = (await actor.get(`/photos/${photoId}`)).body;
    app.clock.pass(1000);
    const [item] = await announce(await open({ tagNames: ['New'] }), bytes, { title: 'other', tagNames: ['Item'] });
    await finalize(item.importId);
    await app.work();
    expect((await actor.get(`/photos/${photoId}`)).body).toEqual(before);
  });
});

describe('PATCH /imports/{id}/photos/{photoId}, each status × state', () => {
  const same = '200 without effect';
  const final = '409 import_photo_final';
  const table: [string, string, string][] = [
    ['uploaded', 'awaiting_upload', '409 uploads_incomplete'],
    ['uploaded', 'fetching', final],
    ['uploaded', 'processing', same],
    ['uploaded', 'ready', same],
    ['uploaded', 'duplicate', same],
    ['uploaded', 'failed', final],
    ['uploaded', 'cancelled', final],
    ['awaiting_upload', 'awaiting_upload', '200 awaiting_upload'],
    ['awaiting_upload', 'fetching', final],
    ['awaiting_upload', 'processing', final],
    ['awaiting_upload', 'ready', final],
    ['awaiting_upload', 'duplicate', final],
    ['awaiting_upload', 'failed', '200 awaiting_upload'],
    ['awaiting_upload', 'cancelled', final],
    ['cancelled', 'awaiting_upload', '200 cancelled'],
    ['cancelled', 'fetching', '200 cancelled'],
    ['cancelled', 'processing', '200 cancelled'],
    ['cancelled', 'ready', '200 cancelled'],
    ['cancelled', 'duplicate', '200 cancelled'],
    ['cancelled', 'failed', '200 cancelled'],
    ['cancelled', 'cancelled', same],
  ];
  test.each(table)('%s on %s: %s', async (status, from, expected) => {
    const item = await itemIn(from);
    const before = await look(item);
    const { version } = await state(item.importId);
    app.clock.pass(1000);
    const answer = await actor.patch(pathOf(item), { status });
    if (expected === same) {
      expect([answer.status, answer.body]).toEqual([200, before]);
      expect((await state(item.importId)).version).toBe(version);
    } else if (answer.status === 200) expect(`200 ${answer.body.status}`).toBe(expected);
    else expect(`${answer.status} ${answer.body.error.code}`).toBe(expected);
    if (answer.status === 409) expect((await look(item)).status).toBe(from);
  });

  const described: [string, number][] = [
    ['awaiting_upload', 200],
    ['fetching', 200],
    ['processing', 200],
    ['ready', 200],
    ['failed', 200],
    ['duplicate', 409],
    ['cancelled', 409],
  ];
  test.each(described)(
    '"Metadata may be changed in awaiting_upload, processing, ready and failed": %s, %d',
    async (from, status) => {
      const item = await itemIn(from);
      const words = { title: 'told', filename: 'new.jpg', tagNames: ['Told'], takenAt: '2020-01-01T00:00:00Z' };
      const answer = await actor.patch(pathOf(item), words);
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.body).toMatchObject({ status: from, title: 'told', tags: [{ name: 'Told' }] });
      else expect(answer.body.error).toMatchObject({ code: 'import_photo_final', details: { status: from } });
    },
  );

  test('the values of a ready item are those of the photo', async () => {
    const item = await itemIn('ready');
    const words = { title: 'told', description: null, rating: 2, externalId: 'x', metadata: { a: 'b' } };
    await actor.patch(pathOf(item), { ...words, takenAt: '2020-01-01T00:00:00+01:00', tagNames: ['T'] });
    await finalize(item.importId);
    await app.work();
    expect((await actor.get(`/photos/${item.id}`)).body).toMatchObject({
      ...words,
      takenAtLocal: '2020-01-01T00:00:00',
      timeZone: '+01:00',
      takenAtSource: 'client',
      tags: [{ name: 'T' }],
    });
  });

  test.each([
    ['awaiting_upload', 200],
    ['failed', 200],
    ['fetching', 409],
    ['processing', 409],
    ['ready', 409],
    ['duplicate', 409],
    ['cancelled', 409],
  ])('"sha256, sizeBytes while awaiting_upload/failed": %s, %d', async (from, status) => {
    const item = await itemIn(from);
    for (const patch of [{ sizeBytes: 77 }, { sha256: 'A'.repeat(64) }]) {
      const answer = await actor.patch(pathOf(item), patch);
      expect(answer.status).toBe(status);
      if (status === 409) expect(answer.body.error.code).toBe('import_photo_final');
    }
    if (status === 200) expect(await look(item)).toMatchObject({ sizeBytes: 77, sha256: 'a'.repeat(64) });
  });

  test('other bytes than declared before: the old upload target takes nothing more', async () => {
    const [item] = await announce(await open(), fresh());
    const old = new URL(item.upload?.url ?? '').pathname;
    const bytes = fresh();
    const answer = await actor.patch(pathOf(item), { sha256: sha256(bytes), sizeBytes: bytes.length });
    expect(answer.body.upload.url).not.toBe(item.upload?.url);
    expect((await app.send({ method: 'PUT', path: old, body: bytes })).status).toBe(409);
    expect(await put(item, bytes)).toBe(204);
  });

  test('{} and current values change nothing, and leave the upload target valid', async () => {
    const bytes = fresh();
    const [item] = await announce(await open(), bytes, { title: 'T', metadata: { a: 'b' } });
    const before = await look(item);
    const { version } = await state(item.importId);
    app.clock.pass(1000);
    const said = {
      title: ' T ',
      metadata: { a: 'b', absent: null },
      sha256: sha256(bytes).toUpperCase(),
      sizeBytes: bytes.length,
    };
    for (const patch of [{}, said]) {
      const { upload: _, ...answer } = (await actor.patch(pathOf(item), patch)).body;
      expect({ ...answer, upload: before.upload }).toEqual(before);
    }
    expect((await state(item.importId)).version).toBe(version);
    const path = new URL(item.upload?.url ?? '').pathname;
    expect((await app.send({ method: 'PUT', path, body: bytes })).status).toBe(204);
  });

  test('tags: tagIds and tagNames replace the item’s; a new name needs tags:write', async () => {
    const [item] = await announce(await open(), fresh(), { tagNames: ['Old'] });
    const narrow = await actor.withKey({ scopes: ['photos:write'] });
    const refused = await narrow.patch(pathOf(item), { title: 'no', tagNames: ['Brand new'] });
    expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'tags:write' }]);
    expect(await look(item)).toMatchObject({ title: null, tags: [{ name: 'Old' }] });
    expect((await narrow.patch(pathOf(item), { tagNames: ['OLD'] })).status).toBe(200);
    const unknown = await actor.patch(pathOf(item), { tagIds: [999999] });
    expect(unknown.body.error.details.errors).toMatchObject([{ field: 'tagIds', code: 'unknown_tag' }]);
    expect((await actor.patch(pathOf(item), { tagIds: [] })).body.tags).toEqual([]);
  });
});

describe('POST /imports/{id}/finalize, each action × state', () => {
  const table: [string, string, string][] = [
    ['commit', 'open', '200 completed'],
    ['commit', 'processing', '202 processing'],
    ['commit', 'completed', '200 completed'],
    ['commit', 'completed_with_errors', '200 completed_with_errors'],
    ['commit', 'cancelled', '409 import_not_open'],
    ['commit', 'expired', '409 import_not_open'],
    ['discard', 'open', '200 cancelled'],
    ['discard', 'processing', '409 import_not_open'],
    ['discard', 'completed', '409 import_not_open'],
    ['discard', 'completed_with_errors', '409 import_not_open'],
    ['discard', 'cancelled', '200 cancelled'],
    ['discard', 'expired', '409 import_not_open'],
  ];
  test.each(table)('%s of an import that is %s: %s', async (action, from, expected) => {
    const id = await importIn(from);
    const before = await state(id);
    app.clock.pass(1000);
    const answer = await finalize(id, { action });
    expect(`${answer.status} ${answer.status === 409 ? answer.body.error.code : answer.body.status}`).toBe(expected);
    if (from !== 'open') expect(await state(id)).toEqual(before);
    // "202 Import (processing) with Location and Retry-After: 2".
    expect([answer.headers.location, answer.headers['retry-after']]).toEqual(
      answer.status === 202 ? [`/api/v1/imports/${id}`, '2'] : [undefined, undefined],
    );
  });

  test('an import that is missing or another customer’s is 404', async () => {
    const stranger = await app.customer();
    const theirs = (await stranger.post('/imports')).body.id;
    for (const id of [999999, theirs]) {
      const answer = await finalize(id);
      expect([answer.status, answer.body.error.details]).toEqual([404, { resource: 'import' }]);
    }
    expect((await stranger.get(`/imports/${theirs}`)).body.status).toBe('open');
  });

  test('"(defaults commit, reject)": missing uploads are 409, the import stays open; sample has at most 20 ids', async () => {
    const id = await open();
    const photos = Array.from({ length: 25 }, (_, at) => ({ filename: `${at}.jpg`, sizeBytes: 1 }));
    const items = (await actor.post(`/imports/${id}/photos`, { photos })).body.data;
    for (const body of [undefined, {}, { action: 'commit' }, { missingUploads: 'reject' }]) {
      const answer = await finalize(id, body);
      expect([answer.status, answer.body.error.code]).toEqual([409, 'uploads_incomplete']);
      expect(answer.body.error.details).toEqual({
        missing: 25,
        sample: items.slice(0, 20).map((result: { photo: Item }) => result.photo.id),
      });
    }
    expect((await state(id)).status).toBe('open');
    expect((await finalize(id, { action: 'discard' })).body.status).toBe('cancelled');
  });

  test.each(['wait=0', 'wait=abc', 'waiting=5', 'respond-async', ''])('Prefer: %s does not wait', async (prefer) => {
    const { importId } = await sendInline(await open(), fresh());
    expect((await finalize(importId, undefined, { prefer })).status).toBe(202);
  });

  test.each(['wait=15', 'respond-async, wait=99999', 'wait="15"', 'WAIT = 15; foo=bar'])(
    'Prefer: %s waits for the end',
    async (prefer) => {
      const { importId } = await sendInline(await open(), fresh());
      const waiting = finalize(importId, undefined, { prefer });
      while ((await state(importId)).status === 'open') await new Promise(setImmediate);
      await app.work();
      const answer = await waiting;
      expect([answer.status, answer.body.status]).toEqual([200, 'completed']);
    },
  );

  test('the wait ends at its time with 202', async () => {
    const { importId } = await sendInline(await open(), fresh());
    const answer = await finalize(importId, undefined, { prefer: 'wait=1' });
    expect([answer.status, answer.body.status, answer.headers['retry-after']]).toEqual([202, 'processing', '2']);
  });
});
