import { type ApiKey, displayPrefix } from '../../core/access/api-key.js';
import { keyBudget } from '../../core/access/rolling-window.js';
import { DAY, isExpired } from '../../core/shared/clock.js';
import { shortRange } from '../ip-list-field.js';
import { Badge, Card, Confirm, Copied, Copyable, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';

const UNUSED_DAYS = 90;
const SOON_DAYS = 14;
const LEAD =
  'Programs use keys to access your photos. Each key has its own permissions and can be deleted at any time.';

export function KeyList({ keys, now }: { keys: readonly ApiKey[]; now: Date }) {
  const rows = keys.map((key) => ({
    key: key.id,
    cells: [
      <KeyName subject={key} now={now} />,
      <ScopeList scopes={key.scopes} />,
      <>
        <Moment at={key.lastUsedAt} none="Never" />
        {key.lastUsedIp && <span class="small soft">{`from ${key.lastUsedIp}`}</span>}
      </>,
      <Bounds subject={key} />,
      <div class="actions">
        <a href={`/settings/keys/${key.id}`}>
          Edit<span class="unseen">{` ${key.name}`}</span>
        </a>
        <a href={`/settings/keys/new?from=${key.id}`}>
          Rotate<span class="unseen">{` ${key.name}`}</span>
        </a>
        <a class="dangerous" href={`/settings/keys/${key.id}/delete`}>
          Delete<span class="unseen">{` ${key.name}`}</span>
        </a>
      </div>,
    ],
  }));
  return (
    <>
      <Heading title="API keys" lead={LEAD}>
        {keys.length > 0 && <LinkButton href="/settings/keys/new" icon="plus" label="Create key" kind="primary" />}
      </Heading>
      {keys.length === 0 ? (
        <Empty icon="key-round" title="No keys yet">
          <p>Create one for each program, so that you can see its usage and delete it separately.</p>
          <LinkButton href="/settings/keys/new" icon="plus" label="Create key" kind="primary" />
        </Empty>
      ) : (
        <Table caption="API keys" columns={['Key', 'Permissions', 'Last used', 'Limits', '']} rows={rows} />
      )}
    </>
  );
}

function KeyName({ subject, now }: { subject: ApiKey; now: Date }) {
  const { expiresAt, lastUsedAt, createdAt } = subject;
  const isIdle = now.getTime() - (lastUsedAt ?? createdAt).getTime() > UNUSED_DAYS * DAY;
  return (
    <>
      <a class="strong" href={`/settings/keys/${subject.id}`}>
        {subject.name}
      </a>
      <code class="small soft">{displayPrefix(subject)}</code>
      {isExpired(subject, now) ? (
        <Badge tone="bad">Expired</Badge>
      ) : expiresAt !== null && expiresAt.getTime() - now.getTime() < SOON_DAYS * DAY ? (
        <Badge tone="warn">Expires soon</Badge>
      ) : isIdle ? (
        <Badge tone="warn">{`Unused for over ${UNUSED_DAYS} days`}</Badge>
      ) : null}
    </>
  );
}

export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  return (
    <ul class="chips">
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{scope}</code>
        </li>
      ))}
    </ul>
  );
}

function Bounds({ subject }: { subject: ApiKey }) {
  const { ipList, expiresAt } = subject;
  const [read, write] = [keyBudget(subject, 'read').limit, keyBudget(subject, 'write').limit];
  const [first] = ipList;
  const others = ipList.length > 1 ? ` and ${ipList.length - 1} more` : '';
  return (
    <>
      <span>{`${read} reads, ${write} writes per minute`}</span>
      <span class="small soft">{first ? `from ${shortRange(first)}${others}` : 'from any address'}</span>
      {expiresAt && (
        <span class="small soft">
          until <Moment at={expiresAt} />
        </span>
      )}
    </>
  );
}

interface MadeProps {
  readonly made: ApiKey;
  readonly token: string;
  /** The key that this one is to replace. */
  readonly original: ApiKey | null;
  readonly publicUrl: string;
}

/** The only page that ever shows a token. */
export function KeyMade({ made, token, original, publicUrl }: MadeProps) {
  return (
    <>
      <Heading title={`“${made.name}” is ready`} />
      <section class="card" aria-labelledby="your-key">
        <h2 id="your-key">Your key (shown only once)</h2>
        <p class="lead">Copy it to where it is used. We do not store it: if you lose it, create a new one.</p>
        <Copyable id="token" text={token} />
        <Copied />
        <p class="hint">Try it:</p>
        <pre class="code">{`curl -H "Authorization: Bearer ${token}" ${publicUrl}/api/v1/me`}</pre>
        <div class="buttons">
          <LinkButton href="/settings/keys" label="I have stored it" kind="primary" />
          {original && (
            <LinkButton href={`/settings/keys/${original.id}/delete`} label={`Delete the old “${original.name}”`} />
          )}
        </div>
      </section>
      <Card title="Permissions">
        <ScopeList scopes={made.scopes} />
      </Card>
    </>
  );
}

export function DeleteKey({ subject }: { subject: ApiKey }) {
  return (
    <Confirm
      title={`Delete key “${subject.name}”?`}
      action={`/settings/keys/${subject.id}/delete`}
      button="Delete key"
      back={`/settings/keys/${subject.id}`}
    >
      <p>
        <code>{displayPrefix(subject)}</code> stops working immediately, wherever it is used. This cannot be undone.
        Photos and imports are not affected.
      </p>
      <p class="soft">
        Last used: <Moment at={subject.lastUsedAt} />
        {subject.lastUsedIp && ` from ${subject.lastUsedIp}`}
      </p>
    </Confirm>
  );
}
