import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { ApiError, type ConnectionOptions, type Me, PhotoService } from 'photo-service-sdk';
import { makeFolder, writeWhole } from 'photo-service-sdk/node';
import { AccessError, UsageError } from './exit-codes.js';
import { jsonOption, quietOption } from './options.js';
import { type OutputOptions, print } from './print.js';
import type { ProgressDisplay } from './progress-display.js';

/** Which service, and with which key. */
export interface Login {
  readonly url: string;
  readonly token: string;
}

interface LoginOptions extends OutputOptions {
  readonly url?: string;
  readonly token?: string;
}

export function loginCommand(): Command {
  return new Command('login')
    .description('store the URL of a service and a key for later commands')
    .option('--url <url>', 'the URL of the service (default: PHOTO_SERVICE_URL)')
    .option('--token <token>', 'the API key; - reads it from standard input (default: PHOTO_SERVICE_TOKEN)')
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(async (options: LoginOptions) => {
      const url = (options.url ?? process.env['PHOTO_SERVICE_URL'])?.replace(/\/{1,9}$/, '');
      const given = options.token ?? process.env['PHOTO_SERVICE_TOKEN'];
      const token = given === '-' ? (await text(process.stdin)).trim() : given;
      if (!url || !token) throw new UsageError('Both options are required: phs login --url URL --token TOKEN');
      const me = await verifyLogin({ url, token });
      await saveLogin({ url, token });
      const whose = me === null ? 'a key without customer:read' : `${me.apiKey.name} of ${me.customer.name}`;
      print(options, { url, customer: me?.customer.name ?? null, file: loginFile() }, [
        `Logged in at ${url}: ${whose}. Stored in ${loginFile()}.`,
      ]);
    });
}

/** Whose key it is; null when it works but may not say. */
async function verifyLogin(login: { url: string; token: string }): Promise<Me | null> {
  try {
    return await clientOf(login, HASTY).me();
  } catch (error) {
    if (error instanceof ApiError && error.missingScope !== null) return null;
    throw error;
  }
}

export function whoamiCommand(): Command {
  return new Command('whoami')
    .description('show the key in use, its scopes and its remaining rate limits')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const login = await currentLogin();
      const { url } = login;
      const me = await clientOf(login, HASTY).me();
      const { customer, apiKey, rateLimits } = me;
      const name = profile();
      const left = ({ remaining, limit }: { remaining: number; limit: number }) => `${remaining} of ${limit}`;
      print(options, { url, ...me }, [
        `${customer.name} (customer ${customer.id}) at ${url}${name === null ? '' : `, profile ${name}`}`,
        `key ${apiKey.id} ${apiKey.name}, ${apiKey.prefix}: ${apiKey.scopes.join(', ')}`,
        `expires: ${apiKey.expiresAt ?? 'never'}; your address: ${me.clientIp}`,
        `left this minute: ${left(rateLimits.read)} reads, ${left(rateLimits.write)} writes`,
      ]);
    });
}

/** Checks an address and a key: after a typing error it should not wait and retry. */
const HASTY = { maxRetries: 1 };

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

/** Where the login of the current profile is. */
export function loginFile(): string {
  const name = profile();
  const folder = ownFolder('XDG_CONFIG_HOME', '.config');
  return name === null ? join(folder, 'login.json') : join(folder, 'profiles', `${name}.json`);
}

/** The name of the login that commands use, for people with several: `--profile` sets it for one command. Null: the one without a name. */
function profile(): string | null {
  const name = process.env['PHOTO_SERVICE_PROFILE'] || null;
  if (name !== null && !/^[A-Za-z0-9][\w-]{0,31}$/.test(name)) {
    throw new UsageError('The name of a profile has up to 32 letters, digits, - and _, such as work.');
  }
  return name;
}

/** Where this program keeps what it has to remember between two runs. */
export function stateFolder(): string {
  return ownFolder('XDG_STATE_HOME', '.local/state');
}

/** Returns a folder of this program. The XDG Base Directory Specification 0.8 has a path ignored that is not absolute. */
function ownFolder(variable: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME', otherwise: string): string {
  const folder = process.env[variable];
  return join(folder !== undefined && isAbsolute(folder) ? folder : join(homedir(), otherwise), 'photo-service');
}
