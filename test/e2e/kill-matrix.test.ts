/* @slow */
import type { Client } from './support/client.js';
import { Failpoints } from './support/failpoints.js';
import { liveThrough } from './support/life.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

/** Each step that changes something, in the order of a photo's life: upload, verify, finalize, publish, delete, purge. */
const steps = [
  'create-import:createImport/store.transaction',
  'register-all:registerAll/store.transaction',
  'declared-bytes:storeDeclaredBytes/blobs.put',
  'receive-staged-bytes:receiveStagedBytes/store.transaction',
  'apply-inspection:inspectAndApply/blobs.copy',
  'apply-inspection-results:applyResults/store.transaction',
  'apply-inspection:storeThumb/blobs.put',
  'apply-inspection:inspectAndApply/blobs.delete',
  'request-publishing:requestPublishing/store.transaction',
  'finalize-import:finalizeImport/store.transaction',
  'publish-many:publishMany/store.transaction',
  'complete-import:completeImport/store.transaction',
  'edit-photo:editPhoto/store.transaction',
  'trash-photo:trashPhoto/store.transaction',
  'purge-photo:purgePhoto/store.transaction',
  'purge-photo:removeBytes/blobs.delete',
  'idempotent-responses:storeAfterwards/store.transaction',
];

/** The steps of `phs gc`, which is a process of its own. */
const gcSteps = ['unowned:giveUp/store.transaction', 'collect-garbage:collectGarbage/blobs.delete'];

describe('F2, F3: kill -9 right after each step, before anybody is told of it', () => {
  let installation: Installation;
  let failpoints: Failpoints;
  let client: Client;
  beforeAll(async () => {
    installation = await Installation.make();
    failpoints = new Failpoints(installation);
    await installation.start(failpoints.settings);
    client = installation.client();
  });
  afterEach(() => failpoints.disarm());
  afterAll(() => installation.remove());

  it('these are all the steps there are', async () => {
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

  it.each(gcSteps)('phs gc: %s', async (step) => {
    // Bytes that arrived and were not told of: gc takes them, and the client, who has no answer, sends them again.
    failpoints.arm('declared-bytes:storeDeclaredBytes/blobs.put');
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
});
