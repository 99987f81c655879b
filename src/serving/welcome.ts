import { VERSION } from '../cli/version.js';
import type { Config } from '../config.js';
import type { Ports } from '../core/ports.js';
import { type FirstRun, firstRun, firstSteps, keylessCustomer, keyNotWritten, writeSecrets } from '../first-run.js';

/** Says where the service is; at a first start creates the first customer and says where its key is. */
export async function printWelcome(ports: Ports, config: Config): Promise<void> {
  // A worker creates none: its data folder may be temporary, and the key would be lost with it.
  const first = config.role === 'worker' ? null : await firstRun(ports);
  const where =
    config.databaseUrl === null ? `everything is stored in ${config.dataDir}` : 'using the database in DATABASE_URL';
  const ready = `Photo Service ${VERSION} is ready at ${config.publicUrl} (${where}). Stop it with Ctrl-C.`;
  if (first !== null) return console.log(`${ready}\n${await introduction(first, config)}`);
  const keyless = await keylessCustomer(ports);
  const hint = `There is no API key yet. Create one: npx phs key create --customer ${keyless} --name first --scopes all`;
  console.log(keyless === null ? ready : `${ready}\n${hint}`);
}

/** The output of a first start. Secrets are only printed to a terminal: other output is often a log. */
async function introduction(first: FirstRun, { dataDir, publicUrl }: Config): Promise<string> {
  try {
    return firstSteps(publicUrl, await writeSecrets(first, dataDir, process.stdout.isTTY ?? false));
  } catch (error) {
    return keyNotWritten(first, (error as Error).message);
  }
}
