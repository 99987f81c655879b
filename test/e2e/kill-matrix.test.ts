/* @slow @rest */
import { BULK_BATCH } from '../../src/core/bulk-edits/bulk-edit.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { MailServer } from '../support/mail-server.js';
import { present } from '../support/tenant.js';
import type { Client } from './support/client.js';
import { Failpoints } from './support/failpoints.js';
import { liveThrough, photoNamed } from './support/life.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

/** Each step that changes something, in the order of a photo's life: upload, verify, finalize, publish, delete, purge. */
const steps = [
  'create:createImport/store.transaction',
  'register:registerAll/store.transaction',
  'upload:storeDeclaredBytes/blobs.put',
  'upload:receiveStagedBytes/store.transaction',
  'inspect:inspectAndApply/blobs.copy',
  'inspect:applyResults/store.transaction',
  'inspect:inspectAndApply/blobs.put',
  'inspect:inspectAndApply/blobs.delete',
  'finalize:finalizeImport/store.transaction',
  'publish:publishMany/store.transaction',
  'publish:completeImport/store.transaction',
  'edit-photo:editPhoto/store.transaction',
  'trash:trashPhoto/store.transaction',
  'trash:purgePhoto/store.transaction',
  'trash:purgePhoto/blobs.delete',
  'claim-key:storeAnswer/store.transaction',
];

/** The steps of `phs gc`, which is a process of its own. */
const gcSteps = ['collect-garbage:giveUp/store.transaction', 'collect-garbage:collectGarbage/blobs.delete'];

describe('F2, F3: kill -9 right after each step, before it is reported', () => {
  let installation: Installation;
  let failpoints: Failpoints;
  let client: Client;
  let mails: MailServer;
  /** Where the first owner enters. Only the first start names it. */
  let welcome: string;
  beforeAll(async () => {
    mails = await MailServer.start();
    installation = await Installation.make({
      SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      MAIL_FROM: 'photos@example.com',
    });
    failpoints = new Failpoints(installation);
    await installation.start(failpoints.settings);
    client = await installation.client();
    welcome = new URL(present(installation.link())).pathname;
  });
  afterEach(() => failpoints.disarm());
  afterAll(async () => {
    await installation.remove();
    await mails.close();
  });

  it('covers every step', async () => {
    const ofFirstStart = failpoints.seen();
    await liveThrough(client, 'undisturbed');
    expect(failpoints.seen().filter((step) => !ofFirstStart.includes(step))).toEqual([...steps].sort());
  });

  it.each(steps)('%s', async (step) => {
    failpoints.arm(step);
    const life = liveThrough(client, step);
    await installation.end();
    failpoints.disarm();
    await installation.start(failpoints.settings);
    await life;
    await expectSound(installation);
  });

  it('a bulk edit, its undo and a list of ids move each capture time once, wherever they are killed', async () => {
    const browser = new BrowserClient(installation.url);
    await browser.submit(welcome, { email: 'anna@example.com', password: 'five calm words of mine' });
    const { id } = (await client.post('/imports')).body;
    // Two batches.
    const files = Array.from({ length: BULK_BATCH + 5 }, (_, n) => ({
      name: `${n}.jpg`,
      bytes: photoNamed(`bulk ${n}`),
    }));
    for (let at = 0; at < files.length; at += 20) await client.inline(id, files.slice(at, at + 20));
    await client.post(`/imports/${id}/finalize`);
    await until('the import to end', async () => (await client.get(`/imports/${id}`)).body.status === 'completed');
    const photos = async () => {
      const all: { id: number; version: number; takenAtLocal: string | null }[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await client.get(`/photos?importId=${id}&sort=id&limit=100${query}`);
        all.push(...body.data);
        cursor = body.pagination.nextCursor;
      }
      return all.map(({ id, version, takenAtLocal }) => ({ id, version, takenAtLocal }));
    };
    const ids = (await photos()).map((photo) => photo.id);
    expect(ids).toHaveLength(files.length);
    const taken = { takenAt: '2024-12-21T23:39:24+01:00' };
    for (const list of [ids.slice(0, 100), ids.slice(100)]) await client.patch(`/photos/${list.join()}`, taken);
    const before = await photos();
    const versioned = (by: number, takenAtLocal: string) =>
      before.map((photo) => ({ ...photo, version: photo.version + by, takenAtLocal }));
    const none = async (filter: string) =>
      (await client.get(`/photos?importId=${id}&limit=1&${filter}`)).body.data.length === 0;
    const time = encodeURIComponent(taken.takenAt);
    const killedDuring = async (step: string, act: () => Promise<unknown>) => {
      failpoints.arm(step);
      await Promise.all([installation.end(), act().catch(() => undefined)]);
      failpoints.disarm();
      await installation.start(failpoints.settings);
    };
    // What the first batch did is stored, and nothing else.
    const batch = 'run-bulk-edit:runBulkEdit/store.transaction';
    const library = `/settings/library/selection?import=${id}`;
    const earlier = { do: 'shift', direction: 'back', hours: '1', all: 'yes' };
    await killedDuring(batch, () => browser.submit(`/settings/library?import=${id}`, earlier, library));
    await until('all photos to be moved', () => none(`takenAfter=${time}`));
    expect(await photos()).toEqual(versioned(1, '2024-12-21T22:39:24'));
    await killedDuring(batch, () => browser.submit('/settings/history', {}, '/settings/history/1/undo'));
    await until('the edit to be undone', () => none(`takenBefore=${time}`));
    expect(await photos()).toEqual(versioned(2, '2024-12-21T23:39:24'));

    // So does a list of ids, sent again with its key.
    const shift = (list: readonly number[]) =>
      client.patch(`/photos/${list.join()}`, { shiftTakenAt: { seconds: 60 } }, { 'Idempotency-Key': `${list[0]}` });
    await killedDuring('edit-photo:editPhotos/store.transaction', () => shift(ids.slice(0, 100)));
    const again = [await shift(ids.slice(0, 100)), await shift(ids.slice(100))];
    expect(again.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
      [200, 'true'],
      [200, null],
    ]);
    expect(await photos()).toEqual(versioned(3, '2024-12-21T23:40:24'));
    await expectSound(installation);
  });

  it.each(gcSteps)('phs gc: %s', async (step) => {
    // Bytes that arrived and were not told of: gc takes them, and the client, who has no answer, sends them again.
    failpoints.arm('upload:storeDeclaredBytes/blobs.put');
    const life = liveThrough(client, step);
    await installation.end();
    failpoints.arm(step);
    const cut = await installation.commandWith(failpoints.settings, 'gc', '--grace', '0');
    expect(cut).toMatchObject({ status: null, stdout: '' });
    failpoints.disarm();
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
    await installation.start(failpoints.settings);
    await life;
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  });

  describe('F32: a mail', () => {
    const invite = async (email: string) => {
      const { status, stderr } = await installation.operate('user', 'invite', '--customer', '1', '--email', email);
      expect([status, stderr]).toEqual([0, expect.any(String)]);
    };
    /** The ids of the mails that somebody got. */
    const mailsTo = (email: string) =>
      mails.received.filter(({ to }) => to.includes(email)).map(({ headers }) => headers['message-id']);
    const arrived = (email: string, count: number) =>
      until(`${count} mails to ${email}`, () => mailsTo(email).length >= count);

    it('that the server accepted before this was stored is sent once more with the same id', async () => {
      failpoints.arm('send-mail:sendMail/mailer.send');
      await invite('anna@example.com');
      await installation.end();
      expect(mailsTo('anna@example.com')).toHaveLength(1);
      failpoints.disarm();
      await installation.start(failpoints.settings);
      await arrived('anna@example.com', 2);
      await invite('bert@example.com');
      await arrived('bert@example.com', 1);
      const [id] = mailsTo('anna@example.com');
      expect(mailsTo('anna@example.com')).toEqual([id, id]);
    });

    it('that the server has not accepted yet, or that no process has started to send, is sent once', async () => {
      mails.hangs = true;
      const before = mails.connections;
      await invite('carl@example.com');
      await until('the server to be asked', () => mails.connections > before);
      await installation.kill();
      await invite('dora@example.com');
      mails.hangs = false;
      await installation.start(failpoints.settings);
      for (const email of ['carl@example.com', 'dora@example.com']) await arrived(email, 1);
      await invite('emil@example.com');
      await arrived('emil@example.com', 1);
      expect(['carl@example.com', 'dora@example.com'].map((email) => mailsTo(email).length)).toEqual([1, 1]);
    });
  });
});
