import { resolve } from 'node:path';
import { VERSION } from '../cli/version.js';
import type { Config } from '../config.js';
import type { Ports } from '../core/ports.js';
import {
  type FirstRun,
  firstRun,
  firstSteps,
  keylessCustomer,
  keyNotWritten,
  type SecretLocations,
  writeSecrets,
} from '../first-run.js';
import { ownCommand } from '../own-command.js';
import { openBrowser } from './open-browser.js';

export interface WelcomeOptions {
  /** Whether to open the settings area in the browser of whoever started the service. */
  readonly open: boolean;
}

/**
 * At a first start creates the first customer and stores its key. Before requests are answered: whoever waits for `/readyz` finds the key.
 * @returns what says where the service is, for when it answers.
 */
export async function prepareWelcome(ports: Ports, config: Config, { open }: WelcomeOptions): Promise<() => void> {
  // A worker creates none: its data folder may be temporary, and the key would be lost with it.
  const first = config.role === 'worker' ? null : await firstRun(ports);
  const link = first?.link ?? `${config.publicUrl}/settings`;
  const isTerminal = process.stdout.isTTY === true;
  const ready = isTerminal ? banner(config, first, link) : readyLine(config);
  const text = first === null ? await withHint(ready, ports) : `${ready}\n${await introduction(first, config)}`;
  return () => {
    console.log(text);
    if (open) openBrowser(link);
  };
}

function readyLine({ databaseUrl, dataDir, publicUrl }: Config): string {
  const where = databaseUrl === null ? `everything is stored in ${dataDir}` : 'using the database in DATABASE_URL';
  return `Photo Service ${VERSION} is ready at ${publicUrl} (${where}). Stop it with Ctrl-C.`;
}

/** Eight lines for a person, with what they want first on top. */
export function banner(
  { databaseUrl, dataDir, publicUrl, role }: Pick<Config, 'databaseUrl' | 'dataDir' | 'publicUrl' | 'role'>,
  first: FirstRun | null,
  link: string,
): string {
  const once = first === null ? '' : '  (signs in one person, once, within a week)';
  const lines = [
    ['Open', `${link}${once}`],
    ['Docs', `${publicUrl}/docs`],
    ['API', `${publicUrl}/api/v1`],
    ['Keys', first === null ? `${publicUrl}/settings/keys` : resolve(dataDir, 'first-key')],
    ['Data', databaseUrl === null ? resolve(dataDir) : 'the database in DATABASE_URL'],
    ['Role', role],
    ['Stop', 'Ctrl-C'],
  ];
  return [
    ...lines.map(([name = '', value]) => `${name.padEnd(6)}${value}`),
    `Photo Service ${VERSION} is ready at ${publicUrl}`,
  ].join('\n');
}

async function withHint(ready: string, ports: Ports): Promise<string> {
  const keyless = await keylessCustomer(ports);
  if (keyless === null) return ready;
  const command = `${ownCommand()} key create --customer ${keyless} --name first --scopes all`;
  return `${ready}\nThere is no API key yet. Create one: ${command}`;
}

/** The output of a first start. Secrets are only printed to a terminal: other output is often a log. */
async function introduction(first: FirstRun, { dataDir, publicUrl }: Config): Promise<string> {
  let places: SecretLocations;
  try {
    places = await writeSecrets(first, dataDir, process.stdout.isTTY ?? false);
  } catch (error) {
    return keyNotWritten(first, (error as Error).message);
  }
  return firstSteps(publicUrl, places);
}
