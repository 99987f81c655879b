import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../e2e/support/processes.js';

/** Of this run of jest, removed at its end (run.mjs). */
export function runFolder(): string {
  const folder = process.env.SERVICES_RUN;
  if (folder === undefined) throw new Error('This is for the project "services" of jest.config.mjs.');
  return folder;
}

/**
 * What `begin` answers to the first suite of this run that asks by this name, in whatever process; the others wait for it. When it fails,
 * it fails for all. `begin` gets a folder of its own, which stays until the end of the run.
 */
export async function oncePerRun(name: string, begin: (folder: string) => Promise<string>): Promise<string> {
  const folder = join(runFolder(), name);
  const file = join(folder, 'outcome.json');
  if (isFirst(folder)) {
    const outcome = await begin(folder).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: String(error) }),
    );
    writeFileSync(`${file}.new`, JSON.stringify(outcome));
    renameSync(`${file}.new`, file);
  }
  const { answer, error } = JSON.parse(await until(`${name}, which another suite starts`, () => read(file), 170));
  if (error !== undefined) throw new Error(error);
  return answer;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(file: string): string | false {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return false;
  }
}
