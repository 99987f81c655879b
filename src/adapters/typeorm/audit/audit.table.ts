import type { AuditEntry } from '../../../core/audit/audit-entry.js';
import {
  generatedKey,
  instant,
  key,
  optionalBigWhole,
  optionalText,
  tableOf,
  text,
  whole,
} from '../database/columns.js';

export const auditTable = tableOf<AuditEntry>('auditEntry', 'audit_entries', {
  customerId: key,
  id: generatedKey,
  at: instant,
  action: text,
  subjectId: optionalBigWhole,
  subjectName: optionalText,
  count: whole,
  changes: { type: 'text', array: true },
  actorKind: text,
  actorId: optionalBigWhole,
  actorName: optionalText,
  address: optionalText,
});
