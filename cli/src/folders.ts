import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where this program keeps logins. */
export function configFolder(): string {
  return ownFolder('XDG_CONFIG_HOME', '.config');
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
