import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licences } from './licences.js';

/**
 * Puts what `phs mcp` uses of the Model Context Protocol's SDK into the one module that names it, so that neither package has to install the
 * SDK and all that it needs for other uses.
 */
export async function packProtocol(dist) {
  const file = join(dist, 'mcp', 'protocol.js');
  const draft = await rolldown({ input: file, platform: 'node', logLevel: 'warn' });
  const { output } = await draft.generate({ format: 'esm' });
  await draft.close();
  const [{ code, moduleIds }, ...others] = output;
  if (others.length > 0) throw new Error('The protocol is more than one file.');
  writeFileSync(file, code);
  writeFileSync(join(dist, 'mcp', 'licences.txt'), licences(moduleIds));
}

/** The licences of what was packed into a build of the client, where the bundle has it. */
export function licencesOfProtocol(modules) {
  const file = modules.find((module) => module.endsWith(join('mcp', 'protocol.js')));
  return file === undefined ? '' : readFileSync(join(file, '..', 'licences.txt'), 'utf8');
}
