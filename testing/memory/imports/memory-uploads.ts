import { currentTraceContext } from '../../../src/adapters/trace-context.js';
import { type ImportPhoto, waitsFor } from '../../../src/core/imports/import-photo.js';
import type {
  AppliedResult,
  ApplyResult,
  ImportSteps,
  InspectionResult,
} from '../../../src/core/imports/import-steps.js';
import { applyResults } from '../../../src/core/imports/inspect.js';
import type { ResumableUpload, ResumableUploadRepository } from '../../../src/core/imports/receive/resumable-upload.js';
import { receiveStagedBytes } from '../../../src/core/imports/receive/upload.js';
import {
  admit,
  replaced,
  type Sender,
  type UploadSlot,
  type UploadSlots,
} from '../../../src/core/imports/receive/upload-slots.js';
import type { Uses } from '../../../src/core/ports.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryResumableUploadRepository extends MemoryRepository implements ResumableUploadRepository {
  async get(itemId: Id): Promise<ResumableUpload | null> {
    return this.database.resumableUploads.rowOf(this.customerId, itemId);
  }

  async abandoned(until: Date, limit: number): Promise<readonly ResumableUpload[]> {
    return this.database.resumableUploads
      .rowsOf(this.customerId, (upload) => this.isAbandoned(upload, until))
      .sort((a, b) => a.itemId - b.itemId)
      .slice(0, limit);
  }

  async put(upload: ResumableUpload): Promise<void> {
    this.held.requireLocked('item', upload.itemId);
    if (this.database.importPhotos.rowOf(this.customerId, upload.itemId) === null) {
      throw new Error(`There is no item ${upload.itemId}.`);
    }
    this.database.resumableUploads.set(upload.itemId, { ...upload, customerId: this.customerId });
  }

  async delete(itemId: Id): Promise<void> {
    if ((await this.get(itemId)) !== null) this.database.resumableUploads.delete(itemId);
  }

  private isAbandoned({ itemId, uploadId, updatedAt }: ResumableUpload, until: Date): boolean {
    const item = this.database.importPhotos.get(itemId);
    return !waitsFor(item ?? null, { uploadId }) || updatedAt.getTime() <= until.getTime();
  }
}

/** A promise for each upload, which every read of it races. */
export class PlainUploadSlots implements UploadSlots {
  private open: readonly (Sender & { readonly end: () => void })[] = [];

  take(sender: Sender): UploadSlot {
    const { replaced: older, refusal } = admit(this.open, sender);
    this.close(older);
    if (refusal !== null) throw refusal;
    let end = () => {};
    const ended = new Promise<never>((_, reject) => {
      end = () => reject(replaced());
    });
    ended.catch(() => undefined);
    const slot = { ...sender, end };
    this.open = [...this.open, slot];
    return {
      async *guarded(bytes) {
        const pieces = bytes[Symbol.asyncIterator]();
        try {
          for (;;) {
            const { done, value } = await Promise.race([ended, pieces.next()]);
            if (done) return;
            yield value;
          }
        } finally {
          void pieces.return?.().catch(() => undefined);
        }
      },
      close: () => {
        this.open = this.open.filter((each) => each !== slot);
      },
    };
  }

  interrupt(itemId: number): void {
    this.close(this.open.filter((older) => older.itemId === itemId && older.isResumable));
  }

  get pendingBytes(): number {
    return this.open.reduce((sum, { remaining }) => sum + Math.max(0, remaining()), 0);
  }

  unreservedBytes(customerId: number): number {
    const mine = this.open.filter((slot) => slot.customerId === customerId && slot.itemId === null);
    return mine.reduce((sum, { remaining }) => sum + Math.max(0, remaining()), 0);
  }

  private close(ended: readonly (Sender & { readonly end: () => void })[]): void {
    this.open = this.open.filter((slot) => !ended.includes(slot));
    for (const { end } of ended) end();
  }
}

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
