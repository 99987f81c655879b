import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { preProcessFile } from 'typescript';

const root = join(__dirname, '../..');

export interface Source {
  /** Under the project's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments. */
  readonly code: string;
  /** What it imports: paths under the project's folder for its own files, else names of packages as written. */
  readonly imports: readonly string[];
}

/** Every TypeScript file under a folder, but declarations. */
export function sources(folder = 'src'): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => read(join(entry.parentPath, entry.name)));
}

function read(file: string): Source {
  const path = relative(root, file);
  const text = readFileSync(file, 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
  return { path, text, code, imports: importsIn(text, dirname(path)) };
}

function importsIn(text: string, folder: string): string[] {
  return preProcessFile(text, true, true).importedFiles.map(({ fileName: target }) =>
    target.startsWith('.') ? sourceOf(normalize(join(folder, target)).replace(/\.js$/, '.ts')) : target,
  );
}

/** What `./page.js` stands for: `page.ts`, or `page.tsx`. */
function sourceOf(path: string): string {
  return !existsSync(join(root, path)) && existsSync(join(root, `${path}x`)) ? `${path}x` : path;
}
