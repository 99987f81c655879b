import { Controller, Get, Inject, Post } from '@nestjs/common';
import { lockedOut } from '../../../core/access/recent-addresses.js';
import type { Ports } from '../../../core/ports.js';
import { editSettingsAddresses, recentSettingsAddresses } from '../../../core/users/edit-settings-addresses.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { LOCK_OUT_FIELD } from '../ip-list-field.js';
import { entriesOf, entriesText } from '../ip-list-text.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { editsOf } from '../shown-values.js';
import {
  type AddressesForm,
  PEOPLE_PATH,
  SETTINGS_ADDRESSES_PATH,
  SettingsAddresses,
} from './settings-addresses.view.js';

/** From where people may use the settings area: for owners. */
@Controller(SETTINGS_ADDRESSES_PATH.slice(1))
@RequireRole('owner', { confirmed: true })
export class SettingsAddressesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const shown = await this.stored(context);
    return this.page(context, { value: shown, shown, problems: null, locksOut: [] });
  }

  @Post()
  async save(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const shown = await this.stored(context);
    const sent = { ipList: context.form.text('ipList', FieldLength.addresses) };
    const { changed, requireUnchanged } = editsOf(context.form, sent);
    const value = changed.ipList ?? shown;
    try {
      requireUnchanged({ ipList: shown });
      const entries = entriesOf(value);
      const locksOut = lockedOut(entries, await recentSettingsAddresses(this.ports, customerOf(context)));
      if (locksOut.length > 0 && !context.form.has(LOCK_OUT_FIELD)) {
        return await this.page(context, { value, shown, problems: null, locksOut });
      }
      const { settingsIpList } = await editSettingsAddresses(this.ports, callerOfPage(context), entries);
      const done =
        settingsIpList.length === 0
          ? 'The settings area can be used from anywhere.'
          : 'The settings area can only be used from the allowed addresses.';
      return redirectTo(context, PEOPLE_PATH, { kind: 'done', text: done });
    } catch (error) {
      return this.page(context, { value, shown, problems: problemsOf(error), locksOut: [] });
    }
  }

  /** The list that counts, as people write it. */
  private async stored(context: PageContext): Promise<string> {
    const { settingsIpList } = await this.ports.store.query(customerOf(context), ({ customer }) => customer.read());
    return entriesText(settingsIpList);
  }

  private async page(context: PageContext, form: AddressesForm): Promise<Reply> {
    const addresses = await recentSettingsAddresses(this.ports, customerOf(context));
    const options = { title: 'Allowed addresses', section: 'account', status: form.problems?.status ?? 200 };
    const view = <SettingsAddresses {...form} addresses={addresses} clientIp={context.clientIp} />;
    return renderPage(this.ports, context, options, view);
  }
}
