import type { AuditAction, AuditEntry } from '../../core/audit/audit-entry.js';
import type { AuditFilter } from '../../core/audit/audit-log.js';
import { DAY } from '../../core/shared/clock.js';
import { invalid } from '../../core/shared/errors.js';
import { oneOfQuery } from '../address.js';

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

export const actionLabels: Readonly<Record<AuditAction, string>> = {
  'api_key.created': 'API key created',
  'api_key.edited': 'API key edited',
  'api_key.deleted': 'API key deleted',
  'webhook.created': 'Webhook endpoint created',
  'webhook.edited': 'Webhook endpoint edited',
  'webhook.enabled': 'Webhook endpoint enabled',
  'webhook.disabled': 'Webhook endpoint disabled',
  'webhook.secret_rotated': 'Webhook secret rotated',
  'webhook.deleted': 'Webhook endpoint deleted',
  'delivery_key.created': 'Delivery key created',
  'delivery_key.edited': 'Delivery key edited',
  'delivery_key.deleted': 'Delivery key deleted',
  'preset.created': 'Preset created',
  'preset.edited': 'Preset changed',
  'preset.deleted': 'Preset deleted',
  'share.created': 'Share created',
  'share.edited': 'Share edited',
  'share.revoked': 'Share revoked',
  'user.invited': 'Person invited',
  'user.linked': 'New link created for a person',
  'user.joined': 'Person joined',
  'user.recovery_requested': 'New password requested by mail',
  'user.link_used': 'Password set with a link',
  'user.signed_in': 'Signed in',
  'user.sign_in_refused': 'Sign-in refused',
  'user.signed_out': 'Signed out',
  'user.sessions_ended': 'Sessions ended',
  'user.edited': 'Person edited',
  'user.email_change_requested': 'New e-mail address requested',
  'user.password_changed': 'Password changed',
  'user.removed': 'Person removed',
  'user.factor_added': 'Second factor added',
  'user.factor_removed': 'Second factor removed',
  'user.recovery_codes_created': 'Recovery codes created',
  'user.recovery_code_used': 'Recovery code used',
  'user.passkey_refused': 'Passkey refused, as it may have been copied',
  'user.identity_linked': 'Sign-in by a provider linked',
  'user.identity_unlinked': 'Sign-in by a provider unlinked',
  'customer.created': 'Account created',
  'customer.edited': 'Account edited',
  'customer.exported': 'Data exported',
  'photo.deleted': 'Permanently deleted',
  'photo.bulk_edited': 'Many photos edited',
  'photo.bulk_edit_undone': 'Edit of many photos undone',
};

export function actorLabel({ actorKind, actorId, actorName, action, subjectName }: AuditEntry): string {
  if (actorKind === 'command_line') return 'Command line';
  if (actorKind === 'operator') return `Operator (${actorName})`;
  if (actorKind === 'service') return 'The service';
  // No one is signed in yet when a link is used: the actor is the person whom it signs in.
  if (action === 'user.joined') return subjectName ?? 'First owner';
  return actorName ?? (actorId === null ? 'Someone' : `Person ${actorId}`);
}

/** `defaultTimeZone` as `default time zone` */
export function fieldLabel(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
