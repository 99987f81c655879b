import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Where this program keeps logins (`config`), and what it has to remember between two runs (`state`). The XDG Base Directory Specification 0.8
 * has a path ignored that is not absolute.
 */
export function ownFolder(kind: 'config' | 'state'): string {
  const folder = process.env[`XDG_${kind.toUpperCase()}_HOME`];
  const usual = join(homedir(), kind === 'config' ? '.config' : '.local/state');
  return join(folder !== undefined && isAbsolute(folder) ? folder : usual, 'photo-service');
}
