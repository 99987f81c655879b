/* @slow @rest */
import { until } from './support/processes.js';
import { Installation } from './support/service.js';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
});
afterAll(() => installation.remove());

const phs = (line: string) => installation.operate(...line.split(' '));
const json = async (line: string) => JSON.parse((await phs(`${line} --json`)).stdout);

test('phs delivery-key creates, lists, edits and deletes; a secret is shown once', async () => {
  const create = 'delivery-key create --customer 1';
  const { id, secret, ...made } = await json(`${create} --name shop --presets-only --expires-at 2099-01-31T00:00:00Z`);
  const told = { customerId: 1, name: 'shop', presetsOnly: true, expiresAt: '2099-01-31T00:00:00.000Z' };
  expect(made).toEqual({ ...told, createdAt: expect.any(String) });
  expect([id, secret]).toEqual([expect.stringMatching(/^dk_\w{16}$/), expect.stringMatching(/^phs_sign_[\w-]{43}$/)]);
  const { stdout } = await phs(`${create} --name blog`);
  expect(stdout).toMatch(
    /^Delivery key (dk_\w{16}) "blog" for customer 1\n.*shown only now:\n\n {2}phs_sign_[\w-]{43}\n\n$/,
  );

  const { deliveryKeys } = await json('delivery-key list --customer 1');
  expect(deliveryKeys).toEqual([{ id, ...made }, expect.objectContaining({ name: 'blog', expiresAt: null })]);
  const list = await phs('delivery-key list --customer 1');
  expect(list.stdout).toMatch(new RegExp(`^ID +NAME +OPTIONS +EXPIRES\n${id} +shop +presets only +2099-01-31`));
  expect(list.stdout).not.toContain('phs_sign_');

  const edited = await json(`delivery-key edit ${id} --no-presets-only --expires-at never`);
  expect(edited).toEqual({ id, ...made, presetsOnly: false, expiresAt: null });
  expect(await json(`delivery-key edit ${id} --name kiosk --presets-only`)).toEqual({
    ...edited,
    name: 'kiosk',
    presetsOnly: true,
  });

  expect(await json(`delivery-key delete ${id}`)).toEqual({ id, deleted: true });
  expect(await phs(`delivery-key delete ${id}`)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('No such'),
  });
  expect((await json('delivery-key list --customer 1')).deliveryKeys).toHaveLength(1);
});

test('phs preset sets, lists and deletes', async () => {
  expect((await phs('preset set card h=200,w=300 --customer 1')).stdout).toBe('Preset card: w=300,h=200\n');
  expect(await json('preset set card w=400 --customer 1')).toMatchObject({ name: 'card', options: 'w=400' });
  await phs('preset set avatar w=64,fit=cover,h=64 --customer 1');
  const { presets } = await json('preset list --customer 1');
  expect(presets.map((preset: { name: string }) => preset.name)).toEqual(['avatar', 'card']);
  expect((await phs('preset list --customer 1')).stdout).toMatch(
    /^NAME +OPTIONS\navatar +w=64,h=64,fit=cover\ncard +w=400\n$/,
  );
  const wrong = await phs('preset set card w=0 --customer 1');
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('w must be a whole number') });
  expect(await json('preset delete card --customer 1')).toEqual({ name: 'card', deleted: true });
  expect(await phs('preset delete card --customer 1')).toMatchObject({ status: 2 });
});

test('phs share creates, lists, edits and revokes; its link is shown again', async () => {
  const headers = { authorization: `Bearer ${installation.token()}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ name: 'Paris' }) };
  const tag = (await (await fetch(`${installation.url}/api/v1/tags`, init)).json()) as { id: number };
  const created = await json('share create --customer 1 --title Selection --tag paris --download');
  const told = { customerId: 1, title: 'Selection', tagId: tag.id, mayDownload: true, hasPassword: false, visits: 0 };
  expect(created).toMatchObject({ ...told, url: expect.stringMatching(/\/s\/[\w-]{43}$/) });
  expect((await fetch(created.url)).status).toBe(200);
  // A visit is counted after its page was sent.
  const visited = await until('a counted visit', async () => {
    const [share] = (await json('share list --customer 1')).shares;
    return share.visits > 0 && share;
  });
  expect(visited).toEqual({ ...created, visits: 1, lastVisitedAt: expect.any(String) });
  const changes = '--title Best --no-download --upload-files 3 --expires-at 2090-01-01T00:00:00Z';
  const edited = await json(`share edit ${created.id} --customer 1 ${changes}`);
  const expiry = '2090-01-01T00:00:00.000Z';
  const uploads = { uploadFilesLimit: 3, uploadBytesLimit: 2_000_000_000 };
  expect(edited).toEqual({
    ...visited,
    title: 'Best',
    mayDownload: false,
    expiresAt: expiry,
    ...uploads,
  });
  const again = await json(`share edit ${created.id} --customer 1 --title Selection --no-expires-at`);
  expect(again).toEqual({ ...edited, title: 'Selection', expiresAt: null });
  expect((await phs(`share revoke ${created.id} --customer 1`)).stdout).toBe('Share 1 "Selection" revoked.\n');
  expect((await fetch(created.url)).status).toBe(404);
});

test.each(['delivery-key list', 'preset list', 'share list'])(
  'phs %s knows no customer that is not there',
  async (command) => {
    const { status, stderr } = await installation.command(...command.split(' '), '--customer', '999');
    expect([status, stderr]).toEqual([2, expect.stringContaining('No such customer')]);
  },
);
