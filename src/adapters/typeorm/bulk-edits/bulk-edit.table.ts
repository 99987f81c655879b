import type { BulkChange, BulkEdit } from '../../../core/bulk-edits/bulk-edit.js';
import type { Id } from '../../../core/shared/ids.js';
import {
  document,
  generatedKey,
  instant,
  key,
  optionalBigWhole,
  optionalDocument,
  optionalInstant,
  tableOf,
  text,
  whole,
} from '../database/columns.js';

export interface BulkEditRow extends BulkEdit {
  /** Those that were chosen one by one, ascending. Never read as a whole. */
  readonly photoIds: readonly Id[];
}

export const bulkEditTable = tableOf<BulkEditRow>('bulkEdit', 'bulk_edits', {
  customerId: key,
  id: generatedKey,
  action: document,
  filters: optionalDocument,
  photoIds: { type: 'bigint', array: true, select: false },
  total: whole,
  state: text,
  lastPhotoId: optionalBigWhole,
  changed: whole,
  unchanged: whole,
  failures: document,
  undone: whole,
  kept: whole,
  actor: document,
  undoneBy: optionalDocument,
  createdAt: instant,
  endedAt: optionalInstant,
});

export interface BulkChangeRow extends BulkChange {
  readonly customerId: Id;
  readonly bulkEditId: Id;
}

export const bulkChangeTable = tableOf<BulkChangeRow>('bulkChange', 'bulk_edit_changes', {
  customerId: key,
  bulkEditId: key,
  photoId: key,
  before: document,
  after: document,
});
