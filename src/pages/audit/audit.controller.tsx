import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { AuditAction, AuditEntry } from '../../core/audit/audit-entry.js';
import { type AuditFilter, listAudit } from '../../core/audit/audit-log.js';
import { recordExport } from '../../core/customers/edit-customer.js';
import { DAY } from '../../core/shared/clock.js';
import { invalid } from '../../core/shared/errors.js';
import { everyPage, MAX_PAGE_SIZE } from '../../core/shared/pagination.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { sendText } from '../../http/responses/send-lines.js';
import { address, oneOfQuery } from '../address.js';
import { Button, Field } from '../form.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext, usePageContext } from '../page-context.js';
import { Empty, Heading, LinkButton, Moment, Paging, Table } from '../parts.js';

const FILE = { filename: 'audit.csv', type: 'text/csv' };

@Controller('settings/audit')
@RequireRole('admin')
export class AuditController extends PageController {
  @Get()
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const parameters = context.request.query;
    const [query, cursor] = [readAuditQuery(parameters), oneOfQuery(parameters['cursor'])];
    const request = { limit: 50, cursor: cursor || null };
    const entries = await listAudit(this.ports, customerOf(context), request, filterOf(query));
    const isFiltered = Object.values(query).some((value) => value !== '');
    return this.render(
      context,
      { title: 'Audit log', section: 'usage', styles: ['areas.css'] },
      <>
        <Heading
          title="Audit log"
          lead="Sign-ins, changes to keys, webhooks, people and the account, exports and deleted photos, newest first. Entries are kept for two years and cannot be changed."
        >
          <a class="button plain" download href={address(`${HERE}/audit.csv`, query)}>
            Download as CSV
          </a>
          <LinkButton href="/settings/usage" label="Usage" />
        </Heading>
        <form class="filters card" action={HERE} aria-label="Filter">
          <Field label="What" name="kind" input={{ value: query.kind }} choices={auditKinds} />
          <Field label="Person or key" name="person" input={{ value: query.person, placeholder: 'anna@example.com' }} />
          <Field label="From" name="from" input={{ type: 'date', value: query.from }} />
          <Field label="To" name="to" input={{ type: 'date', value: query.to }} />
          <Button kind="plain">Filter</Button>
        </form>
        {entries.data.length === 0 ? (
          <Empty title={isFiltered ? 'No matching entries' : 'No entries yet'} />
        ) : (
          <div class="trail">
            <Table
              caption="Entries"
              columns={['When', 'What', 'Of', 'Who', 'From']}
              rows={entries.data.map((entry) => ({ key: entry.id, cells: cellsOf(entry) }))}
            />
          </div>
        )}
        <Paging page={entries} path={HERE} query={query} cursor={cursor} label="Pages of the audit log" />
      </>,
    );
  }

  /** Everything that the page's filter matches. */
  @Get('audit.csv')
  async csv(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const [caller, filter] = [callerOfPage(context), filterOf(readAuditQuery(context.request.query))];
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, FILE.filename);
    const entries = everyPage((cursor) =>
      listAudit(this.ports, caller.customerId, { limit: MAX_PAGE_SIZE, cursor }, filter),
    );
    await sendText(context.request, response, FILE, csvOf(entries));
  }
}

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
async function* csvOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
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

const HERE = '/settings/audit';

function cellsOf(entry: AuditEntry) {
  const { at, action, changes, address: from } = entry;
  return [
    <Moment key="at" at={at} />,
    <>
      {actionLabels[action]}
      {changes.length > 0 && <span class="small soft">{changes.map(fieldLabel).join(', ')}</span>}
    </>,
    <Subject key="of" entry={entry} />,
    actorLabel(entry),
    from === null ? <span class="soft">–</span> : <span class="code">{from}</span>,
  ];
}

function Subject({ entry: { action, subjectId, subjectName, count } }: { entry: AuditEntry }) {
  const { formats } = usePageContext();
  if (subjectId === null) {
    return (
      <>
        {formats.pluralize(count, 'photo')}
        {subjectName !== null && <span class="small soft">no. {subjectName}</span>}
      </>
    );
  }
  const sessions = action === 'user.sessions_ended' ? `, ${formats.pluralize(count, 'session')}` : '';
  const photos = action.startsWith('photo.bulk') ? `, ${formats.pluralize(count, 'photo')}` : '';
  return (
    <>
      {subjectName ?? 'without a name'}
      <span class="small soft">{`no. ${subjectId}${sessions}${photos}`}</span>
    </>
  );
}

/** The choices of the filter: actions by their subject. */
const auditKinds = [
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
type AuditQuery = Readonly<Record<'kind' | 'person' | 'from' | 'to', string>>;

function readAuditQuery(query: Readonly<Record<string, unknown>>): AuditQuery {
  const text = (name: string) => oneOfQuery(query[name]).trim();
  return { kind: text('kind'), person: text('person'), from: text('from'), to: text('to') };
}

/** Days are in UTC, as the page and the file show times without scripts. Errors: `invalid_request` for an invalid day. */
function filterOf({ kind, person, from, to }: AuditQuery): AuditFilter {
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

const actionLabels: Readonly<Record<AuditAction, string>> = {
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

function actorLabel({ actorKind, actorId, actorName, action, subjectName }: AuditEntry): string {
  if (actorKind === 'command_line') return 'Command line';
  if (actorKind === 'operator') return `Operator (${actorName})`;
  if (actorKind === 'service') return 'The service';
  // No one is signed in yet when a link is used: the actor is the person whom it signs in.
  if (action === 'user.joined') return subjectName ?? 'First owner';
  return actorName ?? (actorId === null ? 'Someone' : `Person ${actorId}`);
}

/** `defaultTimeZone` as `default time zone` */
function fieldLabel(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
