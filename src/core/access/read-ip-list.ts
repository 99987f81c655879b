import type { FieldError } from '../shared/errors.js';
import { explainRange } from './explain-range.js';
import { MAX_IP_ENTRIES, normalizeRange } from './ip-list.js';

/** The entries of an IP list as they are stored, each once, or all problems with them. */
export function readIpList(entries: readonly string[]): {
  readonly ipList: readonly string[];
  readonly errors: readonly FieldError[];
} {
  const ranges = entries.map(normalizeRange);
  return { ipList: [...new Set(ranges.filter((range) => range !== null))], errors: errorsOf(entries, ranges) };
}

function errorsOf(entries: readonly string[], ranges: readonly (string | null)[]): FieldError[] {
  if (entries.length > MAX_IP_ENTRIES) {
    return [{ field: 'ipList', code: 'too_many', message: `An IP list has at most ${MAX_IP_ENTRIES} entries.` }];
  }
  return entries
    .filter((_, at) => ranges[at] === null)
    .map((entry) => ({ field: 'ipList', code: 'invalid_format', message: explainRange(entry) }));
}
