import type { AuditAction, AuditEntry } from '../../../core/audit/audit-entry.js';
import type { Page } from '../../../core/shared/page.js';
import { Paging } from '../paging.js';
import { Empty, Heading, Moment, Table } from '../parts.js';

const words: Readonly<Record<AuditAction, string>> = {
  'api_key.created': 'API key created',
  'api_key.edited': 'API key edited',
  'api_key.deleted': 'API key deleted',
  'webhook.created': 'Webhook endpoint created',
  'webhook.edited': 'Webhook endpoint edited',
  'webhook.enabled': 'Webhook endpoint enabled',
  'webhook.disabled': 'Webhook endpoint disabled',
  'webhook.secret_rotated': 'Webhook secret rotated',
  'webhook.deleted': 'Webhook endpoint deleted',
  'user.invited': 'Person invited',
  'user.linked': 'New link made for a person',
  'user.joined': 'Person joined',
  'user.edited': 'Person edited',
  'user.password_changed': 'Password changed',
  'user.removed': 'Person removed',
  'customer.created': 'Account created',
  'customer.edited': 'Account edited',
};

export function AuditPage({ page, cursor }: { page: Page<AuditEntry>; cursor: string }) {
  return (
    <>
      <Heading
        title="Audit log"
        lead="Who changed keys, webhooks, people and the account, newest first. Kept for two years; nobody can change it."
      >
        <a class="button plain" href="/settings/usage">
          Usage
        </a>
      </Heading>
      {page.data.length === 0 ? (
        <Empty title="Nothing was changed yet" />
      ) : (
        <div class="trail">
          <Table
            caption="Changes"
            columns={['When', 'What', 'Of', 'Who', 'From']}
            rows={page.data.map((entry) => ({ key: entry.id, cells: cellsOf(entry) }))}
          />
        </div>
      )}
      <Paging page={page} path="/settings/audit" cursor={cursor} label="Pages of the audit log" />
    </>
  );
}

function cellsOf(entry: AuditEntry) {
  const { at, action, subjectId, subjectName, changes, address } = entry;
  return [
    <Moment key="at" at={at} />,
    <>
      {words[action]}
      {changes.length > 0 && <span class="small soft">{changes.map(fieldWords).join(', ')}</span>}
    </>,
    <>
      {subjectName ?? 'without a name'}
      <span class="small soft">no. {subjectId}</span>
    </>,
    who(entry),
    address === null ? <span class="soft">–</span> : <span class="code">{address}</span>,
  ];
}

function who({ actorKind, actorId, actorName, action, subjectName }: AuditEntry): string {
  if (actorKind === 'command_line') return 'Command line';
  if (actorKind === 'service') return 'The service';
  // Nobody is signed in yet when a link is used: it is the person whom it lets in.
  if (action === 'user.joined') return subjectName ?? 'First owner';
  return actorName ?? (actorId === null ? 'Somebody' : `Person no. ${actorId}`);
}

/** `defaultTimeZone` as `default time zone` */
function fieldWords(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
