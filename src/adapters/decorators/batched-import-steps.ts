import type { KnownKey } from '../../core/access/api-key.js';
import type { ImportPhoto } from '../../core/imports/import-photo.js';
import type {
  AppliedResult,
  ApplyResult,
  ImportSteps,
  InspectionResult,
  ReceivedUpload,
  StageBytes,
  StagedUpload,
} from '../../core/imports/import-steps.js';
import { applyResults } from '../../core/imports/inspect.js';
import { receiveStagedBytes, type TracedUpload } from '../../core/imports/receive/upload.js';
import type { Uses } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { Batcher } from '../shared-work.js';
import { currentTraceContext } from '../trace-context.js';

/** Maximum number of inspection results of one import that are applied in one transaction. */
const MAX_RESULTS = 50;
/** Milliseconds that a finished inspection waits for others that are in progress. */
const MAX_WAIT_MS = 100;
/** The same for stored bytes, of others that have arrived and are being synced. */
const MAX_UPLOAD_WAIT_MS = 10;

interface ItemName {
  readonly customerId: Id;
  readonly importId: Id;
  readonly id: Id;
}

/** One statement or transaction for all files of an import that need the same step at that moment. A process has one of these. */
export class BatchedImportSteps implements ImportSteps {
  private readonly keys: Batcher<Id, null, KnownKey | null>;
  private readonly items: Batcher<string, ItemName, ImportPhoto | null>;
  private readonly uploads: Batcher<string, TracedUpload, ReceivedUpload>;
  private readonly results: Batcher<string, InspectionResult, AppliedResult>;

  constructor(uses: Uses<'store' | 'keys' | 'clock'>) {
    const { store, keys, clock } = uses;
    const sameTurn = { collect: () => clock.nextTurn() };
    this.keys = new Batcher(async (id, uploads) => {
      const known = await keys.find(id);
      return uploads.map(() => known);
    }, sameTurn);
    this.items = new Batcher(async (_, names) => {
      const [{ customerId, importId }] = names as readonly [ItemName];
      const ids = names.map(({ id }) => id);
      const items = await store.query(customerId, (reader) => reader.importPhotos.getMany(importId, ids));
      const byId = new Map(items.map((item) => [item.id, item]));
      return ids.map((id) => byId.get(id) ?? null);
    }, sameTurn);
    this.uploads = new Batcher((_, uploads) => receiveStagedBytes(uses, uploads), {
      maxWait: () => clock.pause(MAX_UPLOAD_WAIT_MS),
    });
    this.results = new Batcher((_, results) => applyResults(uses, results), {
      maxBatchSize: MAX_RESULTS,
      maxWait: () => clock.pause(MAX_WAIT_MS),
    });
  }

  findKey(id: Id): Promise<KnownKey | null> {
    return this.keys.enqueue(id, null);
  }

  readItem(customerId: Id, importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.items.enqueue(nameOf({ customerId, importId }), { customerId, importId, id });
  }

  async receive(grant: StagedUpload['grant'], stage: StageBytes): Promise<ReceivedUpload> {
    const slots: ReturnType<typeof this.uploads.slot>[] = [];
    const hasArrived = () => slots.push(this.uploads.slot(nameOf(grant)));
    try {
      const staged = { ...(await stage(hasArrived)), grant, traceContext: currentTraceContext() };
      return await (slots[0]?.enqueue(staged) ?? this.uploads.enqueue(nameOf(grant), staged));
    } finally {
      for (const slot of slots) slot.close();
    }
  }

  async inspecting<T>(item: ImportPhoto, inspection: (apply: ApplyResult) => Promise<T>): Promise<T> {
    const slot = this.results.slot(nameOf(item));
    try {
      return await inspection(slot.enqueue);
    } finally {
      slot.close();
    }
  }

  apply(result: InspectionResult): Promise<AppliedResult> {
    return this.results.enqueue(nameOf(result.item), result);
  }
}

function nameOf({ customerId, importId }: Omit<ItemName, 'id'>): string {
  return `${customerId}/${importId}`;
}
