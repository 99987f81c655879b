import { realpath } from 'node:fs/promises';
import { isAbsolute, type PlatformPath, relative, sep } from 'node:path';
import { type ImportOptions, type ImportProgress, importUrls } from 'photo-service-sdk';
import { stateFile } from 'photo-service-sdk/node';
import { UsageError } from '../exit-codes.js';
import { importStateFile } from '../import/import-state-file.js';
import { folderSource } from '../sources/folder-source.js';
import { importSource } from '../sources/import-source.js';
import { defineTool, schemaOf } from './tool.js';

/** Imports what a person could import by `phs import`, but for files outside of the folders that they have opened to the agent. */
export const importTool = defineTool<{ paths?: string[]; urls?: string[]; tagNames?: string[]; name?: string }>({
  name: 'import_photos',
  title: 'Import photos',
  description:
    'Imports files and folders of this machine, or files of other servers by URL, and returns when all have arrived or failed. Repeating an import is safe: photos that are in the library are not imported twice. To list the new photos, search by `importId`.',
  scopes: ['photos:write'],
  effect: 'adds',
  input: schemaOf({
    paths: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      maxItems: 500,
      description: 'Absolute paths of files and folders, inside of the folders that this server was started with.',
    },
    urls: { type: 'array', items: { type: 'string', format: 'uri', maxLength: 2000 }, maxItems: 500 },
    tagNames: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 20 },
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'The name of the import.' },
  }),
  async run(context, { paths = [], urls = [], tagNames, name }) {
    if (paths.length + urls.length === 0) throw new UsageError('Name at least one path or URL to import.');
    const options: ImportOptions = {
      source: 'phs mcp',
      ...(tagNames && { tagNames }),
      ...(name !== undefined && { name }),
    };
    const onProgress = ({ files }: ImportProgress) =>
      context.progress(files.processed + files.duplicates + files.failed, files.total);
    const settings = { ...options, signal: context.signal, onProgress };
    let files = {};
    if (paths.length > 0) {
      const requireReadable = (path: string) => requireInside(context.folders, path);
      const real = await Promise.all(paths.map(requireReadable));
      const source = folderSource(real, { sidecars: true, requireReadable });
      const statePath = importStateFile(context.login, 'folder', real, options);
      files = { files: await importSource(context.patientClient, source, { ...settings, stateFile: statePath }) };
    }
    if (urls.length === 0) return { data: files };
    const memory = stateFile(importStateFile(context.login, 'urls', urls, options));
    const wanted = urls.map((url) => ({ url }));
    return { data: { ...files, urls: await importUrls(context.patientClient, wanted, { ...settings, memory }) } };
  },
});

/**
 * The path without links. What an agent was told may be a trap: it could name any file of the person who runs it.
 * @throws UsageError for a path outside of all folders, whether it exists or not.
 */
async function requireInside(folders: readonly string[], path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  for (const folder of folders) {
    const open = await realpath(folder).catch(() => null);
    if (real !== null && open !== null && isInside(open, real)) return real;
  }
  throw new UsageError(
    `There is no ${path} in the folders that may be imported from (${folders.join(', ')}). Others: phs mcp --write --folder PATH`,
  );
}

/** Whether a path is a folder or lies in it. Both are absolute and contain no links. */
export function isInside(
  folder: string,
  path: string,
  system: Pick<PlatformPath, 'isAbsolute' | 'relative' | 'sep'> = { isAbsolute, relative, sep },
): boolean {
  const fromFolder = system.relative(folder, path);
  // On Windows, no relative path leads to another drive or server.
  return !system.isAbsolute(fromFolder) && fromFolder.split(system.sep)[0] !== '..';
}
