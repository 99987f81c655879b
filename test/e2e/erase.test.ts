/* @rest */
import { Client } from './support/client.js';
import { Failpoints } from './support/failpoints.js';
import { photoNamed } from './support/life.js';
import { processesOn, until } from './support/processes.js';
import { Installation } from './support/service.js';
import { ImageSigner } from './support/signed-image.js';
import { collectGarbage, expectSound } from './support/sound.js';

/** Half of the rows are gone; half of the files are. test/core/customers.test.ts ends it at every step. */
const steps = ['erase-customer:removeEverything/customers.removeRows', 'erase-customer:eachBlobOf/blobs.delete'];

describe('phs customer', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.make();
    await installation.start();
  });
  afterAll(() => installation.remove());

  async function phs(...args: string[]) {
    // What erases is shown to end as a process of its own.
    const run = args[1] === 'erase' ? 'command' : 'operate';
    const { status, stdout, stderr } = await installation[run](...args, '--json');
    return { status, stderr, json: stdout === '' ? null : JSON.parse(stdout) };
  }

  /** A customer with photos, a tag, an open import and an idempotency key. */
  async function customerWithPhotos(name: string): Promise<{ id: number; client: Client; photos: number[] }> {
    const { id } = (await phs('customer', 'create', '--name', name)).json;
    const limits = ['--read-limit', '1000000', '--write-limit', '1000000'];
    const key = await phs('key', 'create', '--customer', String(id), '--name', 'key', '--scopes', 'all', ...limits);
    const client = new Client(installation.url, key.json.token);
    const subject = (
      await client.post('/imports', { tagNames: ['flowers'] }, { 'Idempotency-Key': encodeURIComponent(name) })
    ).body.id;
    const files = [1, 2, 3].map((number) => ({ name: `${number}.jpg`, bytes: photoNamed(`${name} ${number}`) }));
    expect((await client.inline(subject, files)).status).toBe(201);
    await client.post(`/imports/${subject}/finalize`);
    await until('the import to end', async () => (await client.get(`/imports/${subject}`)).body.status === 'completed');
    const open = (await client.post('/imports')).body.id;
    await client.inline(open, [{ name: 'waiting.jpg', bytes: photoNamed(`${name} waiting`) }]);
    const photos = (await client.get('/photos?sort=id')).body.data.map((photo: { id: number }) => photo.id);
    expect(photos).toHaveLength(3);
    return { id, client, photos };
  }

  it('suspends an account: writes are refused at once, reads continue, resume reverts it, and erase requires --yes', async () => {
    const { id, client, photos } = await customerWithPhotos('suspended');
    expect((await phs('customer', 'suspend', String(id))).json).toMatchObject({ id, status: 'suspended' });
    expect((await client.post('/tags', { name: 'no' })).body.error).toMatchObject({ code: 'account_suspended' });
    expect((await client.get('/customer')).body.status).toBe('suspended');
    expect(await client.bytes(`/photos/${photos[0]}/download`)).toEqual(photoNamed('suspended 1'));
    expect((await phs('customer', 'resume', String(id))).json).toMatchObject({ id, status: 'active' });
    expect((await client.post('/tags', { name: 'yes' })).status).toBe(201);
    const { status, stderr } = await phs('customer', 'erase', String(id));
    expect(status).toBe(2);
    expect(stderr).toContain('3 photos');
    expect((await client.get('/photos')).body.data).toHaveLength(3);
  });

  it('addresses admits people again who have blocked their own address', async () => {
    const { id } = (await phs('customer', 'create', '--name', 'locked')).json;
    const addresses = (...rest: string[]) => phs('customer', 'addresses', String(id), ...rest);
    const invitation = await phs('user', 'invite', '--customer', String(id), '--email', 'anna@example.com');
    const page = async () => (await fetch(invitation.json.url)).status;
    expect((await addresses('--ip', '192.0.2.7,10.0.0.0/8')).json.settingsIpList).toEqual([
      '192.0.2.7/32',
      '10.0.0.0/8',
    ]);
    expect(await page()).toBe(403);
    expect((await addresses()).json.settingsIpList).toHaveLength(2);
    expect((await addresses('--ip', '10.0.*.*')).status).toBe(2);
    expect((await addresses('--no-ip')).json).toEqual({ id, settingsIpList: [] });
    expect(await page()).toBe(200);
  });

  it('erase removes one customer whole, proves it, and touches no other, beside the running service', async () => {
    const [gone, kept] = [await customerWithPhotos('gone'), await customerWithPhotos('kept')];
    const image = (await ImageSigner.of(installation, { customerId: gone.id })).path(gone.photos[0] ?? 0, 'w=8');
    expect((await fetch(installation.url + image)).status).toBe(200);
    await phs('preset', 'set', 'card', 'w=8', '--customer', String(gone.id));
    const { status, json } = await phs('customer', 'erase', String(gone.id), '--yes');
    expect(status).toBe(0);
    expect(json).toMatchObject({ customerId: gone.id, complete: true });
    expect(json.rowsBefore).toMatchObject({ photos: 3, api_keys: 1, idempotency_keys: 1 });
    expect(json.rowsBefore).toMatchObject({ delivery_keys: 1, presets: 1 });
    expect(json.rowsBefore).toMatchObject({ imports: 2, import_photos: 4, tags: 1, photo_tags: 3 });
    expect(Object.values(json.rowsAfter)).toEqual(Object.keys(json.rowsBefore).map(() => 0));
    expect(json.blobsRemoved.originals).toBeGreaterThanOrEqual(3);
    expect(json.blobsAfter).toEqual({ staging: 0, originals: 0, renditions: 0, bytes: 0 });
    expect((await gone.client.get('/photos')).status).toBe(401);
    expect((await fetch(installation.url + image)).status).toBe(403);
    expect(await kept.client.bytes(`/photos/${kept.photos[2]}/download`)).toEqual(photoNamed('kept 3'));
    expect((await phs('customer', 'erase', String(gone.id), '--yes')).status).toBe(2);
    const { customers } = (await phs('customer', 'list')).json;
    expect(customers.map((customer: { id: number }) => customer.id)).not.toContain(gone.id);
  });

  it.each(steps)('erase goes on where kill -9 ended it: %s', async (step) => {
    const { id, client } = await customerWithPhotos(`killed at ${step}`);
    const failpoints = new Failpoints(installation);
    failpoints.arm(step);
    const killed = await installation.commandWith(failpoints.settings, 'customer', 'erase', String(id), '--yes');
    expect([killed.status, killed.stdout]).toEqual([null, '']);
    // Its keys ended first of all.
    expect((await client.get('/photos')).status).toBe(401);
    const again = await phs('customer', 'erase', String(id), '--yes');
    expect(again.json).toMatchObject({ complete: true });
  });

  it('leaves a sound installation without orphans', async () => {
    await until(
      'jobs and readers to rest',
      () => !processesOn(installation.dataDir).some(({ command }) => command.includes(' erase ')),
    );
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  });
});
