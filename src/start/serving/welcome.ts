import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Memory } from '../../composition/open-memory.js';
import type { Config } from '../../config/config.js';
import { VERSION } from '../../config/version.js';
import { issueKey, listKeys } from '../../core/access/keys.js';
import { commandLine } from '../../core/audit/audit-entry.js';
import { createFirstCustomer } from '../../core/customers/create-customer.js';
import { operatorFor } from '../../core/customers/customer.js';
import type { Ports, Uses } from '../../core/ports.js';
import { inviteFirstOwner } from '../../core/users/people/one-time-link.js';
import { writePrivateFile } from '../private-file.js';

export interface WelcomeOptions {
  /** Whether to open the settings area in the browser of the person who started the service. */
  readonly open: boolean;
  readonly memory?: Memory;
}

/**
 * At a first start creates the first customer and stores its key. Before requests are answered: a program that waits for `/readyz` finds the key.
 * @returns what says where the service is, for when it answers.
 */
export async function prepareWelcome(
  ports: Ports,
  config: Config,
  { open, memory }: WelcomeOptions,
): Promise<() => void> {
  // A worker creates none: its data folder may be temporary, and the key would be lost with it.
  const first = config.role === 'worker' ? null : await firstRun(ports);
  const link = first?.link ?? `${config.publicUrl}/settings`;
  const isTerminal = process.stdout.isTTY === true;
  const ready = isTerminal
    ? banner(config, first, link)
    : `Photo Service ${VERSION} is ready at ${config.publicUrl} (${whereData(config)}). Stop it with Ctrl-C.`;
  const introduced = async (to: FirstRun) =>
    memory ? inMemory(to, config) : `${ready}\n${await introduction(to, config)}`;
  const text = first === null ? await withHint(ready, ports) : await introduced(first);
  return () => {
    console.log(text);
    if (open) openBrowser(link);
  };
}

/** The message of a service that stores nothing: its key is no secret, and programs that start it for their tests read it from here. */
function inMemory({ token, link }: FirstRun, { publicUrl }: Config): string {
  return `Photo Service ${VERSION} is ready at ${publicUrl}. Nothing is stored: all of it is gone when this process ends (Ctrl-C).

API key: ${token}
Sign in: ${link}

  export PHOTO_SERVICE_URL=${publicUrl} PHOTO_SERVICE_TOKEN=${token}
  ${ownCommand()} import ${shellWord(examplePhotos())}
`;
}

type Places = Pick<Config, 'databaseUrl' | 'dataDir' | 'blobStore'>;

/** Where the database and the photos are, without secrets. */
function whereData({ databaseUrl, dataDir, blobStore: { store, settings } }: Places): string {
  if (databaseUrl === null && store.folder !== undefined) return `everything is stored in ${dataDir}`;
  const database = databaseUrl === null ? dataDir : 'DATABASE_URL';
  return `the database in ${database}, photos in ${store.describe(settings, dataDir)}`;
}

/** Eight lines for a person, with what they want first on top. */
export function banner(
  { publicUrl, role, ...places }: Places & Pick<Config, 'publicUrl' | 'role'>,
  first: FirstRun | null,
  link: string,
): string {
  const once = first === null ? '' : '  (signs in one person, once, within a week)';
  const lines = [
    ['Open', `${link}${once}`],
    ['Docs', `${publicUrl}/docs`],
    ['API', `${publicUrl}/api/v1`],
    ['Keys', first === null ? `${publicUrl}/settings/keys` : resolve(places.dataDir, 'first-key')],
    ['Data', whereData({ ...places, dataDir: resolve(places.dataDir) })],
    ['Role', role],
    ['Stop', 'Ctrl-C'],
  ];
  return [
    ...lines.map(([name = '', value]) => `${name.padEnd(6)}${value}`),
    `Photo Service ${VERSION} is ready at ${publicUrl}`,
  ].join('\n');
}

/** A hint for the only customer, as long as it has no key: after a first start that was interrupted before its key was shown. */
async function withHint(ready: string, ports: Ports): Promise<string> {
  const [only, ...others] = await ports.customers.list();
  if (only === undefined || others.length > 0 || (await listKeys(ports, only.id)).length > 0) return ready;
  const command = `${ownCommand()} key create --customer ${only.id} --name first --scopes all`;
  return `${ready}\nThere is no API key yet. Create one: ${command}`;
}

/** The output of a first start. Secrets are only printed to a terminal: other output is often a log. */
async function introduction(first: FirstRun, { dataDir, publicUrl }: Config): Promise<string> {
  try {
    return firstSteps(publicUrl, await writeSecrets(first, dataDir, process.stdout.isTTY ?? false));
  } catch (error) {
    return keyNotWritten(first, (error as Error).message);
  }
}

/** The results of a first start; the database only has hashes of the token and of the link, which signs one browser in, once. */
export type FirstRun = NonNullable<Awaited<ReturnType<typeof firstRun>>>;

/**
 * On an empty database: creates the first customer, a key with all scopes, and a link for its first owner. Null when there was a customer.
 */
export async function firstRun(ports: Uses<'customers' | 'clock' | 'store' | 'addresses' | 'mailer' | 'secrets'>) {
  const customer = await createFirstCustomer(ports, commandLine);
  if (customer === null) return null;
  const { token } = await issueKey(ports, operatorFor(customer.id), {
    name: 'First key',
    scopes: ['all'],
    ipList: [],
    readLimit: null,
    writeLimit: null,
    expiresAt: null,
  });
  const { user, link } = await inviteFirstOwner(ports, operatorFor(customer.id));
  return { customerId: customer.id, userId: user.id, token, link };
}

/**
 * Writes the key to a file under `dataDir` that only its owner can read; and also the link, if the output may become a log. Errors: those
 * of the file system.
 * @returns where the key is, and the link that a person sees: the link itself, or where it is.
 */
export async function writeSecrets(
  { token, link }: FirstRun,
  dataDir: string,
  isTerminal: boolean,
): Promise<{ readonly keyFile: string; readonly link: string | { readonly file: string } }> {
  const [keyFile, linkFile] = [resolve(dataDir, 'first-key'), resolve(dataDir, 'first-link')];
  await writePrivateFile(keyFile, `${token}\n`);
  if (isTerminal) return { keyFile, link };
  await writePrivateFile(linkFile, `${link}\n`);
  return { keyFile, link: { file: linkFile } };
}

/** The message when the files could not be written. */
export function keyNotWritten({ customerId, userId }: FirstRun, reason: string): string {
  return `
A first customer was made, but its API key could not be written to a file (${reason}). Make another key, and a link into the settings area:

  ${ownCommand()} key create --customer ${customerId} --name first --scopes all
  ${ownCommand()} user link ${userId} --customer ${customerId}
`;
}

/**
 * The message when they were written: where the key is, and commands that can be pasted into a shell in the project's folder. The variables are those that
 * `phs`, the examples and the guides read.
 */
export function firstSteps(publicUrl: string, { keyFile, link }: Awaited<ReturnType<typeof writeSecrets>>): string {
  const auth = `-w "\\n" -H "Authorization: Bearer $PHOTO_SERVICE_TOKEN"`;
  const [phs, photo] = [ownCommand(), (name: string) => shellWord(join(examplePhotos(), name))];
  const opening =
    typeof link === 'string'
      ? `Open this link to see it in your browser. It signs in one person, once, within a week:\n\n  ${link}`
      : `The link to sign in with a browser (one person, once, within a week) is in the file\n\n  ${link.file}`;
  return `
A first customer was made. ${opening}

Its API key, which is shown nowhere else, is in the file

  ${keyFile}

Try it. Paste these lines into another terminal, in this folder:

  export PHOTO_SERVICE_URL=${publicUrl}
  export PHOTO_SERVICE_TOKEN=$(cat ${shellWord(keyFile)})

  # who am I?
  curl -s ${auth} $PHOTO_SERVICE_URL/api/v1/me

  # import three photos: open an import, send the files, finalize
  curl -s ${auth} -X POST $PHOTO_SERVICE_URL/api/v1/imports
  curl -s ${auth} -F file=@${photo('cyclamen.jpg')} -F file=@${photo('notocactus.jpg')} -F file=@${photo('rocks.jpg')} $PHOTO_SERVICE_URL/api/v1/imports/1/photos
  curl -s ${auth} -H "Prefer: wait=10" -X POST $PHOTO_SERVICE_URL/api/v1/imports/1/finalize

  # list them, and download one: the same bytes
  curl -s ${auth} "$PHOTO_SERVICE_URL/api/v1/photos?sort=id"
  curl -s ${auth} -o cyclamen-again.jpg $PHOTO_SERVICE_URL/api/v1/photos/1/download
  cmp ${photo('cyclamen.jpg')} cyclamen-again.jpg && echo identical

  # a whole folder: ${phs} import ~/Pictures

Every endpoint: ${publicUrl}/docs. More people, keys and customers: ${phs} user invite --help, ${phs} key create --help, ${phs} customer create --help
`;
}

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Returns how `phs` is run in a folder, for messages. */
export function ownCommand(folder = process.cwd()): string {
  // Installed there, or the folder of the program. Elsewhere `npx phs` would run another package of that name.
  const places = [join('node_modules', '.bin', 'phs'), join('bin', 'phs.js')];
  return places.some((place) => existsSync(join(folder, place))) ? 'npx phs' : 'npx photo-service';
}

/** Where the photos of the examples are, seen from a folder. */
export function examplePhotos(folder = process.cwd()): string {
  const near = join('examples', 'photos');
  return existsSync(join(folder, near)) ? near : fileURLToPath(new URL('../../../examples/photos', import.meta.url));
}

/** The command that opens an address on each system. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page in the person's browser, or in what BROWSER names. Where that cannot be done, it says so and nothing else happens. */
export function openBrowser(url: string): void {
  const own = process.env['BROWSER'];
  const [command, ...args] = own ? [own] : (openers[process.platform] ?? ['xdg-open']);
  spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true })
    .on('error', ({ message }) => console.error(`phs: no browser could be opened: ${message}`))
    .unref();
}
