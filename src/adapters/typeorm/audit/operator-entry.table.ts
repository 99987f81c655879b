import type { NewOperatorEntry } from '../../../core/audit/audit-entry.js';
import type { Id } from '../../../core/shared/ids.js';
import { bigWhole, generatedKey, instant, optionalBigWhole, optionalText, tableOf, text } from '../database/columns.js';

export const operatorEntryTable = tableOf<NewOperatorEntry & { id: Id }>('operatorEntry', 'operator_entries', {
  id: generatedKey,
  at: instant,
  action: text,
  subjectId: bigWhole,
  subjectName: optionalText,
  changes: { type: 'text', array: true },
  actorKind: text,
  actorId: optionalBigWhole,
  actorName: optionalText,
  address: optionalText,
});
