import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConnectionOptions, PhotoService, type Wait } from 'photo-service-sdk';
import { makeFolder, writeWhole } from 'photo-service-sdk/node';
import { AccessError, UsageError } from './exit-codes.js';
import { configFolder } from './folders.js';

/** Which service, and with which key. */
export interface Login {
  readonly url: string;
  readonly token: string;
}

export function loginFile(): string {
  return join(configFolder(), 'login.json');
}

/** Stores a login for later commands, readable by this user only. */
export async function saveLogin(login: Login): Promise<void> {
  await makeFolder(configFolder(), 0o700);
  await writeWhole(loginFile(), `${JSON.stringify(login, null, 2)}\n`);
}

/**
 * PHOTO_SERVICE_URL and PHOTO_SERVICE_TOKEN, otherwise the login stored by `phs login`. A stored token is never sent to an address other
 * than its own.
 * @throws AccessError when there is none.
 */
export async function currentLogin(env: NodeJS.ProcessEnv = process.env): Promise<Login> {
  const [url, token] = [env['PHOTO_SERVICE_URL'], env['PHOTO_SERVICE_TOKEN']];
  if (url && token) return { url, token };
  const kept = await savedLogin();
  if (token && kept) return { url: kept.url, token };
  if (kept && (!url || url.replace(/\/+$/, '') === kept.url)) return kept;
  throw new AccessError(`There is no key${url ? ` for ${url}` : ''} yet. Log in with: phs login --url URL --token TOKEN
(or set PHOTO_SERVICE_URL and PHOTO_SERVICE_TOKEN)`);
}

/** A client with the current login. */
export async function connect(onWait?: (wait: Wait) => void): Promise<PhotoService> {
  return clientOf(await currentLogin(), onWait && { onWait });
}

/** Checks an address and a key: after a typing error it should not wait and retry. */
export const HASTY = { maxRetries: 1 };

export function clientOf({ url, token }: Login, options: Partial<ConnectionOptions> = {}): PhotoService {
  try {
    return new PhotoService({ baseUrl: url, token, ...options });
  } catch (error) {
    throw new UsageError((error as Error).message.replace('baseUrl', 'The URL').replace('token', 'The token'));
  }
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
