import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentLogin, loginFile, saveLogin } from '../../cli/src/login.js';

const own = { url: 'https://photos.example.com', token: 'phs_live_own' };
const work = { url: 'https://photos.example.org', token: 'phs_live_work' };

let folder: string;
const before = { ...process.env };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'login-'));
  process.env['XDG_CONFIG_HOME'] = folder;
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true });
});

async function loggedInTwice(): Promise<void> {
  await saveLogin(own);
  process.env['PHOTO_SERVICE_PROFILE'] = 'work';
  await saveLogin(work);
}

test('a login with a name is stored beside the one without, and no other user can read them', async () => {
  await loggedInTwice();
  expect(await currentLogin()).toEqual(work);
  expect((await stat(loginFile())).mode & 0o077).toBe(0);
  delete process.env['PHOTO_SERVICE_PROFILE'];
  expect(await currentLogin()).toEqual(own);
});

test('a profile that is named comes before the key of the environment', async () => {
  await loggedInTwice();
  Object.assign(process.env, {
    PHOTO_SERVICE_URL: 'https://photos.example.net',
    PHOTO_SERVICE_TOKEN: 'phs_live_other',
  });
  expect(await currentLogin()).toEqual(work);
  delete process.env['PHOTO_SERVICE_PROFILE'];
  expect(await currentLogin()).toEqual({ url: 'https://photos.example.net', token: 'phs_live_other' });
});

test('an unknown profile says how to log in with it', async () => {
  await saveLogin(own);
  process.env['PHOTO_SERVICE_PROFILE'] = 'home';
  await expect(currentLogin()).rejects.toThrow(
    'no key in the profile home yet. Log in with: phs login --profile home --url',
  );
});

test.each(['../work', 'a/b', '-x', '', 'ö', 'a'.repeat(33)])('%j is refused as the name of a profile', async (name) => {
  await saveLogin(own);
  process.env['PHOTO_SERVICE_PROFILE'] = name;
  if (name === '') expect(await currentLogin()).toEqual(own);
  else await expect(currentLogin()).rejects.toThrow('up to 32 letters');
});
