import { type ImportOptions, type ImportResult, type PhotoService, runImport } from 'photo-service-sdk';
import { SourceFactory, stateFile } from 'photo-service-sdk/node';
import type { Loss } from '../details-builder.js';
import type { PhotoItem, PhotoSource, SkippedItem } from './photo-source.js';

export interface SourceImportOptions extends Omit<ImportOptions, 'memory' | 'signal'> {
  /** Where the state of the run is stored; the same run continues with it. */
  readonly stateFile: string;
  readonly signal: AbortSignal;
}

export interface SourceImportResult extends Omit<ImportResult, 'failed'> {
  readonly failed: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Files that are not photos. */
  readonly skipped: number;
  readonly skippedFiles: readonly { readonly path: string; readonly reason: string }[];
  /** The details of photos that are not imported, or in a dry run would not be. */
  readonly losses: readonly (Loss & { readonly path: string })[];
}

/** Imports everything that a source has. What does not come along is part of the result, photo by photo and field by field. */
export async function importSource(
  client: PhotoService,
  source: PhotoSource,
  { stateFile: statePath, ...options }: SourceImportOptions,
): Promise<SourceImportResult> {
  const photos: PhotoItem[] = [];
  const skipped: SkippedItem[] = [];
  for await (const item of source.items(options.signal)) {
    options.signal.throwIfAborted();
    if (item.kind === 'photo') photos.push(item);
    else skipped.push(item);
  }
  const factory = new SourceFactory();
  try {
    const sources = photos.map(({ key: ref, file, details }) =>
      'path' in file ? factory.file({ ref, ...file, details }) : factory.stream({ ref, ...file, details }),
    );
    const { failed, total, ...result } = await runImport(client, sources, { ...options, memory: stateFile(statePath) });
    const labels = new Map(photos.map(({ key, label }) => [key, label]));
    // Photos, for all that is known, that are not in the library now.
    const isLost = ({ reason }: SkippedItem) => reason === 'unreadable' || reason === 'unsupported_format';
    const lost = skipped.filter(isLost);
    const others = skipped.filter((item) => !isLost(item));
    return {
      ...result,
      total: total + lost.length,
      failed: [
        ...lost.map(({ label, reason, problem = '' }) => ({ path: label, code: reason, message: problem })),
        ...failed.map(({ ref, code, message }) => ({ path: labels.get(ref) ?? ref, code, message })),
      ],
      skipped: others.length,
      skippedFiles: others.map(({ label, reason }) => ({ path: label, reason })),
      losses: photos.flatMap(({ label, losses }) => losses.map((loss) => ({ path: label, ...loss }))),
    };
  } finally {
    await factory.close();
  }
}
