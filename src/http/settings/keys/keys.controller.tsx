import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { ApiKey } from '../../../core/access/api-key.js';
import { deleteOwnKey } from '../../../core/access/delete-own-key.js';
import { editOwnKey } from '../../../core/access/edit-own-key.js';
import { issueOwnKey } from '../../../core/access/issue-own-key.js';
import type { KeyAddress } from '../../../core/access/key-store.js';
import { ownKey } from '../../../core/access/own-key.js';
import { lockedOut, recentAddresses } from '../../../core/access/recent-addresses.js';
import type { Ports } from '../../../core/ports.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { For } from '../../api/access.js';
import { KeyUses } from '../../api/guards/key-uses.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { type Problems, problemsOf } from '../form.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, personOf, type Visit, Visiting } from '../visit.js';
import { emptyFields, fieldsOf, type KeyFields, scopesOf, sentFields, settingsOf } from './key-form.js';
import { EditKey, NewKey } from './key-form.view.js';
import { DeleteKey, KeyMade } from './key-made.view.js';
import { KeyList } from './keys.view.js';

const LIST = '/settings/keys';
const section = 'keys';

/** API keys: for owners alone. */
@Controller('settings/keys')
@For('owner')
export class KeysController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(KeyUses) private readonly uses: KeyUses,
  ) {}

  @Get()
  async list(@Visiting() visit: Visit): Promise<Reply> {
    await this.uses.flush();
    const keys = await this.ports.keys.list(customerOf(visit));
    const list = <KeyList keys={keys} now={this.ports.clock.now()} />;
    return page(this.ports, visit, { title: 'API keys', section }, list);
  }

  @Get('new')
  async new(@Visiting() visit: Visit, @Query('from') from: unknown): Promise<Reply> {
    const { key, addresses } = await this.original(visit, from);
    const fields = key === null ? emptyFields : fieldsOf(key);
    return this.newForm(visit, { fields, key, addresses, problems: null, locksOut: [] });
  }

  @Post('new')
  async create(@Visiting() visit: Visit): Promise<Reply> {
    const { key: original, addresses } = await this.original(visit, visit.form.text('from'));
    const fields = sentFields(visit.form);
    const form = { fields, key: original, addresses };
    try {
      const settings = settingsOf(fields, null);
      const locksOut = lockedOut(settings.ipList, addresses);
      if (locksOut.length > 0 && !visit.form.has('lockOut')) {
        return this.newForm(visit, { ...form, problems: null, locksOut });
      }
      const request = { ...settings, scopes: scopesOf(fields) };
      const { key, token } = await issueOwnKey(this.ports, callerOfVisit(visit), request, original?.id ?? null);
      const made = <KeyMade made={key} token={token} original={original} publicUrl={this.ports.publicUrl} />;
      return page(this.ports, visit, { title: 'Key made', section, scripts: ['copy.js', 'once.js'] }, made);
    } catch (error) {
      return this.newForm(visit, { ...form, problems: problemsOf(error), locksOut: [] });
    }
  }

  @Get(':id')
  async show(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const key = await ownKey(this.ports, customerOf(visit), id);
    return this.editForm(visit, { key, fields: fieldsOf(key), problems: null, locksOut: [] });
  }

  @Post(':id')
  async edit(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const key = await ownKey(this.ports, customerOf(visit), id);
    const fields = sentFields(visit.form);
    try {
      const settings = settingsOf(fields, key);
      const locksOut = lockedOut(settings.ipList, await recentAddresses(this.ports, key.customerId, id));
      if (locksOut.length > 0 && !visit.form.has('lockOut')) {
        return await this.editForm(visit, { key, fields, problems: null, locksOut });
      }
      const { name } = await editOwnKey(this.ports, callerOfVisit(visit), id, settings);
      return goTo(visit, LIST, { kind: 'done', text: `“${name}” was changed. It holds from now on.` });
    } catch (error) {
      return this.editForm(visit, { key, fields, problems: problemsOf(error), locksOut: [] });
    }
  }

  @Get(':id/delete')
  async confirmDelete(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    await this.uses.flush();
    const key = await ownKey(this.ports, customerOf(visit), id);
    return page(this.ports, visit, { title: 'Delete a key', section }, <DeleteKey subject={key} />);
  }

  @Post(':id/delete')
  async delete(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const { name } = await ownKey(this.ports, customerOf(visit), id);
    await deleteOwnKey(this.ports, callerOfVisit(visit), id);
    return goTo(visit, LIST, { kind: 'done', text: `“${name}” was deleted. It is refused from now on.` });
  }

  private newForm(visit: Visit, form: FormState & { key: ApiKey | null; addresses: readonly KeyAddress[] }): Reply {
    const words = { title: form.key ? 'Replace a key' : 'New key', section, status: statusOf(form) };
    const { key: original, ...rest } = form;
    return page(this.ports, visit, words, <NewKey {...rest} original={original} clientIp={visit.clientIp} />);
  }

  private async editForm(visit: Visit, form: FormState & { key: ApiKey }): Promise<Reply> {
    await this.uses.flush();
    const addresses = await recentAddresses(this.ports, form.key.customerId, form.key.id);
    const words = { title: form.key.name, section, status: statusOf(form) };
    const { key: subject, ...rest } = form;
    const view = <EditKey {...rest} subject={subject} addresses={addresses} clientIp={visit.clientIp} />;
    return page(this.ports, visit, words, view);
  }

  /** The key that a new one is to replace, with where that one is used from. */
  private async original(
    visit: Visit,
    from: unknown,
  ): Promise<{ key: ApiKey | null; addresses: readonly KeyAddress[] }> {
    const id = typeof from === 'string' ? parseId(from) : null;
    if (id === null) return { key: null, addresses: [] };
    const key = await ownKey(this.ports, customerOf(visit), id);
    return { key, addresses: await recentAddresses(this.ports, key.customerId, id) };
  }
}

interface FormState {
  readonly fields: KeyFields;
  readonly problems: Problems | null;
  /** Addresses in use that the list would refuse, to be confirmed. */
  readonly locksOut: readonly string[];
}

function statusOf({ problems, locksOut }: FormState): number {
  return problems?.status ?? (locksOut.length > 0 ? 409 : 200);
}

function customerOf(visit: Visit): Id {
  return personOf(visit).customer.id;
}
