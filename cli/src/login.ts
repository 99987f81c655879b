import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ConnectionOptions, PhotoService } from 'photo-service-sdk';
import { makeFolder, writeWhole } from 'photo-service-sdk/node';
import { AccessError, UsageError } from './exit-codes.js';
import { ownFolder } from './folders.js';
import type { ProgressDisplay } from './progress-display.js';

export interface Login {
  readonly url: string;
  readonly token: string;
}

/** A client with the current login, which tells a display why it waits. */
export async function connect(display?: ProgressDisplay): Promise<PhotoService> {
  return clientOf(await currentLogin(), display && { onWait: (wait) => display.waiting(wait) });
}

export function clientOf({ url, token }: Login, options: Partial<ConnectionOptions> = {}): PhotoService {
  try {
    return new PhotoService({ baseUrl: url, token, ...options });
  } catch (error) {
    throw new UsageError((error as Error).message.replace('baseUrl', 'The URL').replace('token', 'The token'));
  }
}

/**
 * The login of the profile that is named; otherwise PHOTO_SERVICE_URL and PHOTO_SERVICE_TOKEN; otherwise what `phs login` stored. A
 * stored token is never sent to an address other than its own.
 * @throws AccessError when there is none.
 */
export async function currentLogin(): Promise<Login> {
  const { env } = process;
  const named = profile();
  if (named !== null) return (await savedLogin()) ?? missing(`in the profile ${named}`, `--profile ${named} `);
  const [url, token] = [env['PHOTO_SERVICE_URL'], env['PHOTO_SERVICE_TOKEN']];
  if (url && token) return { url, token };
  const saved = await savedLogin();
  if (token && saved) return { url: saved.url, token };
  if (saved && (!url || url.replace(/\/{1,9}$/, '') === saved.url)) return saved;
  return missing(url ? `for ${url}` : '');
}

function missing(where: string, option = ''): never {
  throw new AccessError(`There is no key${where && ` ${where}`} yet. Log in with: phs login ${option}--url URL --token TOKEN
(or set PHOTO_SERVICE_URL and PHOTO_SERVICE_TOKEN)`);
}

async function savedLogin(): Promise<Login | null> {
  const text = await readFile(loginFile(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const { url, token } = JSON.parse(text) as Login;
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // Reported below.
  }
  throw new AccessError(`${loginFile()} is damaged. Create it again: phs login --url URL --token TOKEN`);
}

/** Stores a login for later commands, readable by this user only. */
export async function saveLogin(login: Login): Promise<void> {
  await makeFolder(dirname(loginFile()), 0o700);
  await writeWhole(loginFile(), `${JSON.stringify(login, null, 2)}\n`);
}

export function loginFile(): string {
  const name = profile();
  return join(ownFolder('config'), ...(name === null ? ['login.json'] : ['profiles', `${name}.json`]));
}

/** The name of the login that commands use, for people with several: `--profile` sets it for one command. Null: the one without a name. */
export function profile(): string | null {
  const name = process.env['PHOTO_SERVICE_PROFILE'] || null;
  if (name !== null && !/^[A-Za-z0-9][\w-]{0,31}$/.test(name)) {
    throw new UsageError('The name of a profile has up to 32 letters, digits, - and _, such as work.');
  }
  return name;
}
