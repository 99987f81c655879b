import type { PhotoService } from 'photo-service-sdk';
import type { RestoreResult } from './export/restore-export.js';
import { onlyOne, openSource, type SourceName, type SourceOptions, sourceNames } from './sources/open-source.js';
import { importSource, type SourceImportOptions, type SourceImportResult } from './sources/photo-source.js';

/** The values of `phs import --from`. */
export const importNames = [...sourceNames, 'urls'] as const;
export type ImportName = SourceName | 'urls';

/** Something that is ready to be imported. */
export interface OpenImport {
  run(client: PhotoService, options: SourceImportOptions): Promise<SourceImportResult & Partial<RestoreResult>>;
  close(): Promise<void>;
}

/**
 * Opens what is to be imported.
 * @throws UsageError for places that are not there.
 */
export async function openImport(
  name: ImportName,
  places: readonly string[],
  options: SourceOptions,
): Promise<OpenImport> {
  if (name === 'urls') {
    const { importUrlList, readUrls } = await import('./sources/url-list.js');
    const urls = await readUrls(onlyOne(places));
    return { run: (client, settings) => importUrlList(client, urls, settings), close: async () => undefined };
  }
  const source = await openSource(name, places, options);
  const close = () => source.close();
  if (name !== 'photo-service') return { run: (client, settings) => importSource(client, source, settings), close };
  const { restoreExport } = await import('./export/restore-export.js');
  return { run: (client, settings) => restoreExport(client, onlyOne(places), settings), close };
}
