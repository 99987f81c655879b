import type { KeyStore, KnownKey } from '../access/key-store.js';
import { Batcher, type BatchSlot } from '../shared/batcher.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type AppliedResult, type ApplyUses, applyResults, type InspectionResult } from './apply.js';
import type { ImportPhoto } from './import-photo.js';
import { requestPublishing } from './publish/complete.js';
import {
  bytesRemoved,
  type ReceivedUpload,
  type ReceiveUses,
  receiveStagedBytes,
  type StagedUpload,
  type TracedUpload,
} from './staged.js';

type BatchUses = ApplyUses &
  ReceiveUses & { store: Transactional<'imports' | 'importPhotos' | 'jobs'>; keys: KeyStore };

/** Maximum number of inspection results of one import that are applied in one transaction. */
const MAX_RESULTS = 50;
/** Milliseconds that a finished inspection waits for others that are in progress. */
const MAX_WAIT_MS = 100;

interface ItemName {
  readonly customerId: Id;
  readonly importId: Id;
  readonly id: Id;
}

/** An item whose change is committed, and the trace context of its job. */
interface FinishedItem {
  readonly customerId: Id;
  readonly importId: Id;
  readonly traceContext: string | null;
}

/**
 * The steps that thousands of files need at the same time, taken together: one statement or transaction for all files of an import that need it
 * at that moment. A process has one of these.
 */
export class ImportBatchers {
  private readonly keys: Batcher<Id, null, KnownKey | null>;
  private readonly items: Batcher<string, ItemName, ImportPhoto | null>;
  private readonly uploads: Batcher<string, TracedUpload, ReceivedUpload>;
  private readonly results: Batcher<string, InspectionResult, AppliedResult>;
  private readonly finished: Batcher<string, FinishedItem, undefined>;

  /** @param traceContext Returns the trace context of the current request or job. */
  constructor(
    uses: BatchUses,
    private readonly traceContext: () => string | null = () => null,
  ) {
    const { store, keys, clock } = uses;
    this.keys = new Batcher(async (id, uploads) => {
      const known = await keys.find(id);
      return uploads.map(() => known);
    });
    this.items = new Batcher(async (_, names) => {
      const [{ customerId, importId }] = names as readonly [ItemName];
      const ids = names.map(({ id }) => id);
      const items = await store.query(customerId, (reader) => reader.importPhotos.getMany(importId, ids));
      const byId = new Map(items.map((item) => [item.id, item]));
      return ids.map((id) => byId.get(id) ?? null);
    });
    this.uploads = new Batcher((_, uploads) => receiveStagedBytes(uses, uploads));
    this.results = new Batcher((_, results) => applyResults(uses, results), {
      maxBatchSize: MAX_RESULTS,
      maxWait: () => clock.pause(MAX_WAIT_MS),
    });
    // One query is enough for all items of an import whose changes are committed when it begins.
    this.finished = new Batcher(async (_, items) => {
      const [{ customerId, importId, traceContext }] = items as readonly [FinishedItem];
      await requestPublishing(uses, customerId, importId, traceContext);
      return items.map(() => undefined);
    });
  }

  /** A key as it is now, or null. */
  findKey(id: Id): Promise<KnownKey | null> {
    return this.keys.enqueue(id, null);
  }

  /** An item as it is now, or null. */
  readItem(customerId: Id, importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.items.enqueue(`${customerId}/${importId}`, { customerId, importId, id });
  }

  /**
   * Records that the item's bytes have arrived, and requests their inspection. Null when the item relies on these bytes from then on;
   * otherwise nothing was changed, and the result is the item as it is, or `missing`. Errors: `service_unavailable`.
   */
  async receive(upload: StagedUpload): Promise<ImportPhoto | 'missing' | null> {
    const { customerId, importId } = upload.grant;
    const traced = { ...upload, traceContext: this.traceContext() };
    const { became, item } = await this.uploads.enqueue(`${customerId}/${importId}`, traced);
    if (became === 'removed') throw bytesRemoved();
    return became === 'taken' ? null : (item ?? 'missing');
  }

  /** Announces an inspection of this item; finished inspections wait a moment for it, so that results are applied together. */
  openResultSlot({ customerId, importId }: ImportPhoto): BatchSlot<InspectionResult, AppliedResult> {
    return this.results.openSlot(`${customerId}/${importId}`);
  }

  /** Stores what was found, if the item has not changed since it was inspected. */
  applyResult(result: InspectionResult): Promise<AppliedResult> {
    return this.openResultSlot(result.item).enqueue(result);
  }

  /** Requests that the import is published if it has been finalized. For an item whose own change is committed. */
  publishIfCommitted(customerId: Id, importId: Id): Promise<void> {
    const item = { customerId, importId, traceContext: this.traceContext() };
    return this.finished.enqueue(`${customerId}/${importId}`, item);
  }
}
