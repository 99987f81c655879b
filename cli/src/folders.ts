import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const NAME = 'photo-service';

/** Where settings of this program are kept (XDG Base Directory Specification 0.8). */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(base(env['XDG_CONFIG_HOME'], '.config'), NAME);
}

/** Where this program keeps what it has to remember between two runs. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(base(env['XDG_STATE_HOME'], '.local/state'), NAME);
}

/** The specification: a path that is not absolute is to be ignored. */
function base(folder: string | undefined, otherwise: string): string {
  return folder !== undefined && isAbsolute(folder) ? folder : join(homedir(), otherwise);
}
