import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { importUrls, type PhotoService, type UrlToImport } from 'photo-service-sdk';
import { stateFile } from 'photo-service-sdk/node';
import { UsageError } from '../exit-codes.js';
import type { SourceImportOptions, SourceImportResult } from '../sources/import-source.js';

/**
 * The URLs of a list, one on each line; empty lines and those that begin with # are left out. `-` is standard input.
 * @throws UsageError for a line that is not a URL. The message contains nothing of it: it may be a secret.
 */
export async function readUrls(path: string): Promise<readonly UrlToImport[]> {
  const content = path === '-' ? text(process.stdin) : readFile(path, 'utf8');
  const list = await content.catch((error: NodeJS.ErrnoException) => {
    if (path === '-') throw error;
    throw new UsageError(`The list ${path} cannot be read: ${error.code}.`);
  });
  const lines = list.split('\n').map((line) => line.trim());
  return lines.flatMap((url, at) => {
    if (url === '' || url.startsWith('#')) return [];
    if (!URL.canParse(url)) throw new UsageError(`Line ${at + 1} of the list is not a URL.`);
    return { url };
  });
}

/** Has the service fetch files; nothing passes through this machine. */
export async function importUrlList(
  client: PhotoService,
  urls: readonly UrlToImport[],
  { stateFile: statePath, uploads: _, dryRun, ...options }: SourceImportOptions,
): Promise<SourceImportResult> {
  if (dryRun) throw new UsageError('--dry-run cannot compare files that are on another server.');
  const { failed, ...result } = await importUrls(client, urls, { ...options, memory: stateFile(statePath) });
  return {
    ...result,
    failed: failed.map(({ ref, code, message }) => ({ path: ref, code, message })),
    skipped: 0,
    skippedFiles: [],
    losses: [],
  };
}
