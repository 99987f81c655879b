import type { AuditEntry } from '../../core/audit/audit-entry.js';
import type { Page } from '../../core/shared/pagination.js';
import { address } from '../address.js';
import { Button, Field } from '../form.js';
import { useFormats } from '../formats.js';
import { Empty, Heading, LinkButton, Moment, Paging, Table } from '../parts.js';
import { type AuditQuery, actionLabels, actorLabel, auditKinds, fieldLabel } from './audit-query.js';

const HERE = '/settings/audit';

export function AuditPage({ page, query, cursor }: { page: Page<AuditEntry>; query: AuditQuery; cursor: string }) {
  const isFiltered = Object.values(query).some((value) => value !== '');
  return (
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
      <Filters query={query} />
      {page.data.length === 0 ? (
        <Empty title={isFiltered ? 'No matching entries' : 'No entries yet'} />
      ) : (
        <div class="trail">
          <Table
            caption="Entries"
            columns={['When', 'What', 'Of', 'Who', 'From']}
            rows={page.data.map((entry) => ({ key: entry.id, cells: cellsOf(entry) }))}
          />
        </div>
      )}
      <Paging page={page} path={HERE} query={query} cursor={cursor} label="Pages of the audit log" />
    </>
  );
}

function Filters({ query }: { query: AuditQuery }) {
  return (
    <form class="filters card" action={HERE} aria-label="Filter">
      <Field label="What" name="kind" input={{ value: query.kind }} choices={auditKinds} />
      <Field label="Person or key" name="person" input={{ value: query.person, placeholder: 'anna@example.com' }} />
      <Field label="From" name="from" input={{ type: 'date', value: query.from }} />
      <Field label="To" name="to" input={{ type: 'date', value: query.to }} />
      <Button kind="plain">Filter</Button>
    </form>
  );
}

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
  const formats = useFormats();
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
