import type { AuditAction, AuditEntry } from '../../../core/audit/audit-entry.js';

/** The action, for people. */
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

/** The actor, for people. */
export function actorLabel({ actorKind, actorId, actorName, action, subjectName }: AuditEntry): string {
  if (actorKind === 'command_line') return 'Command line';
  if (actorKind === 'operator') return `Operator (${actorName})`;
  if (actorKind === 'service') return 'The service';
  // Nobody is signed in yet when a link is used: the actor is the person whom it signs in.
  if (action === 'user.joined') return subjectName ?? 'First owner';
  return actorName ?? (actorId === null ? 'Someone' : `Person ${actorId}`);
}

/** `defaultTimeZone` as `default time zone` */
export function fieldLabel(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
