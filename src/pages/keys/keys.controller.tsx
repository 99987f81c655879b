import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { ApiKey, KeyAddress, KeySettings } from '../../core/access/api-key.js';
import {
  deleteKey,
  editOwnKey,
  issueOwnKey,
  listKeys,
  lockedOut,
  ownKey,
  recentAddresses,
} from '../../core/access/keys.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { KeyUseRecorder } from '../../http/server/recorders.js';
import { FieldLength } from '../form-fields.js';
import { LOCK_OUT_FIELD } from '../ip-list-field.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, InNavigation, type PageContext } from '../page-context.js';
import { saveEdits, saveNew } from '../resource-form.js';
import { EditKey, type KeyFields, type KeyFormProps, keyForm, NewKey, scopesOf } from './key-form.view.js';
import { DeleteKey, KeyList, KeyMade } from './keys.view.js';

const LIST = '/settings/keys';
const section = 'keys';

/** API keys: for admins and owners. */
@Controller('settings/keys')
@RequireRole('admin', { confirmed: true })
export class KeysController extends PageController {
  @Inject(KeyUseRecorder) private readonly uses: KeyUseRecorder;

  @Get()
  @InNavigation('API keys', 40)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    await this.uses.flush();
    const keys = await listKeys(this.ports, customerOf(context));
    const list = <KeyList keys={keys} now={this.ports.clock.now()} />;
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
      const made = <KeyMade made={key} token={token} original={original} publicUrl={this.ports.addresses.publicUrl} />;
      const options = { title: 'Key created', section, scripts: ['copy.js', 'no-resend.js'] };
      return this.render(context, options, made);
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
      const used = await recentAddresses(this.ports, key.customerId, id);
      const locksOut = lockedOut(changes.ipList ?? key.ipList, used);
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

@Controller('settings/keys')
@RequireRole('admin', { confirmed: true })
export class KeyDeletionController extends PageController {
  @Inject(KeyUseRecorder) private readonly uses: KeyUseRecorder;

  @Get(':id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await this.uses.flush();
    const key = await ownKey(this.ports, customerOf(context), id);
    return this.render(context, { title: 'Delete a key', section }, <DeleteKey subject={key} />);
  }

  @Post(':id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name } = await ownKey(this.ports, customerOf(context), id);
    await deleteKey(this.ports, callerOfPage(context), id);
    return redirectTo(context, LIST, { kind: 'done', text: `“${name}” was deleted and no longer works.` });
  }
}
