/* @slow */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from './support/client.js';
import { liveThrough } from './support/life.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

const NODE_OPTIONS = `--import=${pathToFileURL(join(__dirname, 'support/failpoints.mjs')).href}`;

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
  'trash-photo:purgePhoto/store.transaction',
  'trash-photo:removeBytes/blobs.delete',
  'idempotent-responses:storeAfterwards/store.transaction',
];

/** The steps of `phs gc`, which is a process of its own. */
const gcSteps = ['unowned:giveUp/store.transaction', 'collect-garbage:collectGarbage/blobs.delete'];

describe('F2, F3: kill -9 right after each step, before anybody is told of it', () => {
  let installation: Installation;
  let client: Client;
  beforeAll(async () => {
    installation = await Installation.make();
    await installation.start();
    client = installation.client();
    await installation.stop();
  });
  afterEach(() => installation.stop());
  afterAll(() => installation.remove());

  it('these are all the steps there are', async () => {
    const file = join(installation.dataDir, 'steps');
    await installation.start({ NODE_OPTIONS, FAILPOINTS_SEEN: file });
    await liveThrough(client, 'undisturbed');
    await installation.stop();
    expect(linesOf(file)).toEqual([...steps].sort());
  });

  it.each(steps)('%s', async (step) => {
    await installation.start({ NODE_OPTIONS, FAILPOINT: step });
    const life = liveThrough(client, step);
    await installation.end();
    await installation.start();
    await life;
    await expectSound(installation);
  });

  it.each(gcSteps)('phs gc: %s', async (step) => {
    // Bytes that arrived and were not told of: gc takes them, and the client, who has no answer, sends them again.
    await installation.start({ NODE_OPTIONS, FAILPOINT: 'declared-bytes:storeDeclaredBytes/blobs.put' });
    const life = liveThrough(client, step);
    await installation.end();
    const cut = await installation.commandWith({ NODE_OPTIONS, FAILPOINT: step }, 'gc', '--grace', '0');
    expect(cut).toMatchObject({ status: null, stdout: '' });
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
    await installation.start();
    await life;
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  });
});

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : [];
}
