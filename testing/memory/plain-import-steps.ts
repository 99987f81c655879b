import { currentTraceContext } from '../../src/adapters/trace-context.js';
import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import type { AppliedResult, ApplyResult, ImportSteps, InspectionResult } from '../../src/core/imports/import-steps.js';
import { applyResults } from '../../src/core/imports/inspect.js';
import { receiveStagedBytes } from '../../src/core/imports/receive/upload.js';
import type { Uses } from '../../src/core/ports.js';

/** Each step is taken for one file alone. */
export class PlainImportSteps implements ImportSteps {
  constructor(private readonly uses: Uses<'store' | 'keys' | 'clock'>) {}

  findKey(id: number) {
    return this.uses.keys.find(id);
  }

  readItem(customerId: number, importId: number, id: number) {
    return this.uses.store.query(customerId, (reader) => reader.importPhotos.get(importId, id));
  }

  async receive(...[grant, stage]: Parameters<ImportSteps['receive']>) {
    const staged = await stage(() => undefined);
    const uploads = [{ ...staged, grant, traceContext: currentTraceContext() }] as const;
    return firstOf(await receiveStagedBytes(this.uses, uploads));
  }

  inspecting<T>(_: ImportPhoto, inspection: (apply: ApplyResult) => Promise<T>): Promise<T> {
    return inspection((result) => this.apply(result));
  }

  async apply(result: InspectionResult): Promise<AppliedResult> {
    return firstOf(await applyResults(this.uses, [result]));
  }
}

function firstOf<T>(results: readonly T[]): T {
  return results[0] as T;
}
