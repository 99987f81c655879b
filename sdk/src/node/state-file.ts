import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PhotoServiceError } from '../errors.js';
import type { ImportMemory, ImportState } from '../import/import-state.js';
import { makeFolder } from './make-folder.js';
import { writeWhole } from './write-whole.js';

/**
 * Keeps what an import remembers in a file (mode 0600, in a folder made with 0700), replaced as a whole at each change. No key is in it.
 * A file that cannot be understood is refused: it may be somebody's by mistake.
 */
export function stateFile(path: string): ImportMemory {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      return text === null ? null : parse(path, text);
    },
    async save(state) {
      await makeFolder(dirname(path), 0o700);
      await writeWhole(path, `${JSON.stringify(state)}\n`);
    },
  };
}

function parse(path: string, text: string): ImportState {
  try {
    const state = JSON.parse(text) as ImportState;
    if (state.version === 1 && Array.isArray(state.imports) && typeof state.files === 'object') return state;
  } catch {
    // Said below.
  }
  throw new PhotoServiceError(`${path} is no state of an import. Name another file, or remove this one.`);
}
