import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { type ApiKey, displayPrefix, type KeyAddress, type KeySettings } from '../../core/access/api-key.js';
import {
  deleteKey,
  editOwnKey,
  issueOwnKey,
  listKeys,
  lockedOut,
  ownKey,
  recentAddresses,
} from '../../core/access/keys.js';
import { keyBudget } from '../../core/access/rolling-window.js';
import { DAY, isExpired } from '../../core/shared/clock.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { KeyUseRecorder } from '../../http/server/recorders.js';
import { FieldLength } from '../form-fields.js';
import { LOCK_OUT_FIELD, shortRange } from '../ip-list-field.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, InNavigation, type PageContext } from '../page-context.js';
import { Badge, Card, Confirm, Copied, Copyable, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';
import { saveEdits, saveNew } from '../resource-form.js';
import { EditKey, type KeyFields, type KeyFormProps, keyForm, NewKey, ScopeList, scopesOf } from './key-form.view.js';

const LIST = '/settings/keys';
const section = 'keys';

@Controller('settings/keys')
@RequireRole('admin', { confirmed: true })
export class KeysController extends PageController {
  @Inject(KeyUseRecorder) private readonly uses: KeyUseRecorder;

  @Get()
  @InNavigation('API keys', 40)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    await this.uses.flush();
    const keys = await listKeys(this.ports, customerOf(context));
    const now = this.ports.clock.now();
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
    const list = (
      <>
        <Heading
          title="API keys"
          lead="Programs use keys to access your photos. Each key has its own permissions and can be deleted at any time."
        >
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
    return this.render(context, { title: 'API keys', section }, list);
  }

  @Get('new')
  async new(@CurrentPageContext() context: PageContext, @Query('from') from: unknown): Promise<Reply> {
    const { key, addresses } = await this.original(context, from);
    const fields = key === null ? keyForm.blank : keyForm.fieldsOf(key);
    return this.newForm(context, { fields, key, addresses, problems: null, locksOut: [] });
  }

  @Post('new')
  async create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { key: original, addresses } = await this.original(context, context.form.text('from', FieldLength.word));
    const form = { key: original, addresses };
    const save = async (settings: KeySettings, fields: KeyFields) => {
      const locksOut = lockedOut(settings.ipList, addresses);
      if (locksOut.length > 0 && !context.form.has(LOCK_OUT_FIELD)) {
        return this.newForm(context, { ...form, fields, problems: null, locksOut });
      }
      const request = { ...settings, scopes: scopesOf(fields) };
      const { key, token } = await issueOwnKey(this.ports, callerOfPage(context), request, original?.id ?? null);
      const made = (
        <>
          <Heading title={`“${key.name}” is ready`} />
          <section class="card" aria-labelledby="your-key">
            <h2 id="your-key">Your key (shown only once)</h2>
            <p class="lead">Copy it to where it is used. We do not store it: if you lose it, create a new one.</p>
            <Copyable id="token" text={token} />
            <Copied />
            <p class="hint">Try it:</p>
            <pre class="code">{`curl -H "Authorization: Bearer ${token}" ${this.ports.addresses.publicUrl}/api/v1/me`}</pre>
            <div class="buttons">
              <LinkButton href="/settings/keys" label="I have stored it" kind="primary" />
              {original && (
                <LinkButton href={`/settings/keys/${original.id}/delete`} label={`Delete the old “${original.name}”`} />
              )}
            </div>
          </section>
          <Card title="Permissions">
            <ScopeList scopes={key.scopes} />
          </Card>
        </>
      );
      return this.render(context, { title: 'Key created', section, scripts: ['copy.js', 'no-resend.js'] }, made);
    };
    return saveNew(context, keyForm, save, (state) => this.newForm(context, { ...form, ...state, locksOut: [] }));
  }

  @Get(':id')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await ownKey(this.ports, customerOf(context), id);
    return this.editForm(context, key, { fields: keyForm.fieldsOf(key), problems: null, locksOut: [] });
  }

  @Post(':id')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await ownKey(this.ports, customerOf(context), id);
    const save = async (changes: Partial<KeySettings>, check: Precondition<ApiKey>, fields: KeyFields) => {
      const locksOut = lockedOut(changes.ipList ?? key.ipList, await recentAddresses(this.ports, key.customerId, id));
      if (locksOut.length > 0 && !context.form.has(LOCK_OUT_FIELD)) {
        return this.editForm(context, key, { fields, problems: null, locksOut });
      }
      const { name } = await editOwnKey(this.ports, callerOfPage(context), id, changes, check);
      return redirectTo(context, LIST, { kind: 'done', text: `“${name}” was changed.` });
    };
    return saveEdits(context, keyForm, key, save, ({ fields, problems }) =>
      this.editForm(context, key, { fields, problems, locksOut: [] }),
    );
  }

  @Get(':id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await this.uses.flush();
    const key = await ownKey(this.ports, customerOf(context), id);
    return this.render(
      context,
      { title: 'Delete a key', section },
      <Confirm
        title={`Delete key “${key.name}”?`}
        action={`/settings/keys/${key.id}/delete`}
        button="Delete key"
        back={`/settings/keys/${key.id}`}
      >
        <p>
          <code>{displayPrefix(key)}</code> stops working immediately, wherever it is used. This cannot be undone.
          Photos and imports are not affected.
        </p>
        <p class="soft">
          Last used: <Moment at={key.lastUsedAt} />
          {key.lastUsedIp && ` from ${key.lastUsedIp}`}
        </p>
      </Confirm>,
    );
  }

  @Post(':id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name } = await ownKey(this.ports, customerOf(context), id);
    await deleteKey(this.ports, callerOfPage(context), id);
    return redirectTo(context, LIST, { kind: 'done', text: `“${name}” was deleted and no longer works.` });
  }

  private newForm(
    context: PageContext,
    { key: original, ...form }: FormState & { key: ApiKey | null; addresses: readonly KeyAddress[] },
  ): Reply {
    const options = { title: original ? 'Replace a key' : 'Create key', section, status: statusOf(form) };
    const view = <NewKey {...form} original={original} clientIp={context.clientIp} />;
    return this.render(context, options, view);
  }

  private async editForm(context: PageContext, key: ApiKey, form: FormState): Promise<Reply> {
    await this.uses.flush();
    const addresses = await recentAddresses(this.ports, key.customerId, key.id);
    const view = <EditKey {...form} subject={key} addresses={addresses} clientIp={context.clientIp} />;
    return this.render(context, { title: key.name, section, status: statusOf(form) }, view);
  }

  /** The key that a new one is to replace, with the addresses from which it is used. */
  private async original(
    context: PageContext,
    from: unknown,
  ): Promise<{ key: ApiKey | null; addresses: readonly KeyAddress[] }> {
    const id = typeof from === 'string' ? parseId(from) : null;
    if (id === null) return { key: null, addresses: [] };
    const key = await ownKey(this.ports, customerOf(context), id);
    return { key, addresses: await recentAddresses(this.ports, key.customerId, id) };
  }
}

type FormState = Omit<KeyFormProps, 'addresses' | 'clientIp'>;

function statusOf({ problems, locksOut }: FormState): number {
  return problems?.status ?? (locksOut.length > 0 ? 409 : 200);
}

const UNUSED_DAYS = 90;
const SOON_DAYS = 14;

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
