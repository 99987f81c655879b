import type { Import } from '../../../core/imports/import.js';
import {
  generatedKey,
  instant,
  key,
  optionalBigWhole,
  optionalInstant,
  optionalText,
  tableOf,
  text,
  whole,
  yesOrNo,
} from '../database/columns.js';

/** What is not shown of an import: whether its items are gone; and whether it is gone itself, but for the id that photos refer to. */
export interface ImportRow extends Import {
  readonly itemsForgotten: boolean;
  readonly forgotten: boolean;
}

export const importTable = tableOf<ImportRow>('import', 'imports', {
  customerId: key,
  id: generatedKey,
  status: text,
  name: optionalText,
  source: optionalText,
  clientRef: optionalText,
  duplicatePolicy: text,
  restoreTrashed: yesOrNo,
  defaultTimeZone: optionalText,
  tagIds: { type: 'bigint', array: true },
  apiKeyId: optionalBigWhole,
  shareId: optionalBigWhole,
  createdAt: instant,
  updatedAt: instant,
  expiresAt: optionalInstant,
  finalizedAt: optionalInstant,
  completedAt: optionalInstant,
  version: whole,
  itemsForgotten: { ...yesOrNo, select: false },
  forgotten: { ...yesOrNo, select: false },
});

/** The condition of `OldEnough`, with its two times given as SQL. The indexes that it needs have its columns in this order. */
export function oldEnoughImports(itemsOf: string, imports: string): string {
  return `(NOT items_forgotten AND completed_at <= ${itemsOf} OR items_forgotten AND completed_at <= ${imports})`;
}
