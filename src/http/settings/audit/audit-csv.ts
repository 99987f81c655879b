import type { AuditEntry } from '../../../core/audit/audit-entry.js';

const columns = [
  'at',
  'action',
  'subjectId',
  'subjectName',
  'count',
  'changes',
  'actorKind',
  'actorId',
  'actorName',
  'address',
] as const satisfies readonly (keyof AuditEntry)[];

/** The log as RFC 4180 CSV, with a header and a line for each entry. */
export async function* csvOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  yield lineOf(columns);
  for await (const entry of entries) {
    const { at, changes } = entry;
    const values = { ...entry, at: at.toISOString(), changes: changes.join(' ') };
    yield lineOf(columns.map((column) => values[column] ?? ''));
  }
}

function lineOf(values: readonly (string | number)[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Names are untrusted: what a spreadsheet would run as a formula gets an apostrophe (OWASP, CSV injection). */
function cellOf(value: string | number): string {
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
