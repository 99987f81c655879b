import { ApiError } from '../errors.js';
import type { PhotoService } from '../photo-service.js';
import type { ImportFailure, ImportLimits, ImportOptions, ImportRun } from './import-run.js';
import { RunState } from './import-state.js';
import { Tally } from './progress.js';

/** Returns what the steps of a run share. */
export async function beginRun(
  client: PhotoService,
  total: { readonly files: number; readonly bytes: number },
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportRun> {
  const tally = new Tally(total, options.onProgress ?? (() => undefined));
  const failures = new Map<string, ImportFailure>();
  return {
    client,
    options,
    limits: await limitsOf(client, signal),
    state: await RunState.load(client.baseUrl, options.memory ?? null),
    tally,
    signal,
    failures,
    fail({ ref }, code, message) {
      if (!failures.has(ref)) tally.count('failed');
      failures.set(ref, { ref, code, message });
    },
  };
}

/** A key that may only import cannot read the customer: then the service itself enforces the limits. */
async function limitsOf(client: PhotoService, signal: AbortSignal): Promise<ImportLimits> {
  try {
    const { limits, formats } = await client.customer({ signal });
    const { importBatchSize, importMaxPhotos, maxFileBytes } = limits;
    return { batchSize: importBatchSize, maxPhotos: importMaxPhotos, maxFileBytes, formats };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'scope_required') throw error;
    return { batchSize: 500, maxPhotos: 10_000, maxFileBytes: null, formats: null };
  }
}
