import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PhotoServiceError } from '../errors.js';
import type { ImportMemory, ImportState } from '../import/import-state.js';
import { makeFolder } from './make-folder.js';
import { writeWhole } from './write-whole.js';

/**
 * Stores the state of an import in a file (mode 0600, in a folder created with 0700), replaced as a whole at each change. It contains no
 * key. A file that cannot be parsed is refused: it may have been named by mistake.
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
    // Reported below.
  }
  throw new PhotoServiceError(`${path} is not the state of an import. Choose another file, or remove this one.`);
}
