import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeContents } from './licences.js';

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
  writeContents(dirname(file), moduleIds);
}

/** The folders of a bundle's modules that were packed so, beside which it stands what is in them. */
export function foldersOfProtocol(modules) {
  return modules.filter((module) => module.endsWith(join('mcp', 'protocol.js'))).map(dirname);
}
