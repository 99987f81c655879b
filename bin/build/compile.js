import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Loads files of the built program and writes what V8 compiled of them, for processes with the flags of this one. A process of its own, because
 * the files are loaded to be thrown away: `node [FLAGS] compile.js FOLDER FILE…`.
 */
const [folder, ...files] = process.argv.slice(2);
const { load, prepare, writeCompiledCode } = createRequire(import.meta.url)(join(folder, 'load.cjs'));
// Loading an entry would start what it is for.
for (const file of files) (file.endsWith('.main.js') ? prepare : load)(file);
writeCompiledCode();
// Not waiting for what the files have begun.
process.exit();
