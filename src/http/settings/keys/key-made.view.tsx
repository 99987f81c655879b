import { type ApiKey, displayPrefix } from '../../../core/access/api-key.js';
import { Copied, Copyable } from '../copyable.js';
import { Card, Confirm, Heading, Moment } from '../parts.js';
import { ScopeList } from './keys.view.js';

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
          <a class="button primary" href="/settings/keys">
            I have stored it
          </a>
          {original && (
            <a class="button plain" href={`/settings/keys/${original.id}/delete`}>
              {`Delete the old “${original.name}”`}
            </a>
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
