import type { AuditAction } from '../../../core/audit/audit-entry.js';
import type { AuditFilter } from '../../../core/audit/audit-log.js';
import { DAY } from '../../../core/shared/clock.js';
import { invalid } from '../../../core/shared/errors.js';
import { oneOfQuery } from '../address.js';
import { actionLabels } from './audit-labels.js';

/** The choices of the filter: actions by their subject. */
export const auditKinds = [
  ['', 'Everything'],
  ['sign-ins', 'Sign-ins and sessions'],
  ['people', 'People and links'],
  ['keys', 'API keys'],
  ['webhooks', 'Webhooks'],
  ['photos', 'Deleted photos'],
  ['account', 'Account'],
  ['exports', 'Exports'],
] as const;
type Kind = Exclude<(typeof auditKinds)[number][0], ''>;

const kindOf: Readonly<Record<string, Kind>> = {
  api_key: 'keys',
  webhook: 'webhooks',
  user: 'people',
  photo: 'photos',
  customer: 'account',
};
const otherKinds: Partial<Record<AuditAction, Kind>> = {
  'user.signed_in': 'sign-ins',
  'user.sign_in_refused': 'sign-ins',
  'user.signed_out': 'sign-ins',
  'user.sessions_ended': 'sign-ins',
  'customer.exported': 'exports',
};

/** The filter of the page, from its address. Empty: not set. */
export type AuditQuery = Readonly<Record<'kind' | 'person' | 'from' | 'to', string>>;

export function readAuditQuery(query: Readonly<Record<string, unknown>>): AuditQuery {
  const text = (name: string) => oneOfQuery(query[name]).trim();
  return { kind: text('kind'), person: text('person'), from: text('from'), to: text('to') };
}

/** Days are in UTC, as the page and the file show times without scripts. Errors: `invalid_request` for an invalid day. */
export function filterOf({ kind, person, from, to }: AuditQuery): AuditFilter {
  const all = Object.keys(actionLabels) as AuditAction[];
  const chosen = all.filter((action) => (otherKinds[action] ?? kindOf[action.split('.')[0] ?? '']) === kind);
  return {
    actions: kind === '' ? null : chosen,
    name: person === '' ? null : person,
    from: dayOf(from, 'from'),
    until: dayOf(to, 'to', DAY),
  };
}

function dayOf(text: string, field: string, later = 0): Date | null {
  if (text === '') return null;
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time)) throw invalid({ field, code: 'invalid_format', message: 'Enter a date such as 2026-11-21.' });
  return new Date(time + later);
}
