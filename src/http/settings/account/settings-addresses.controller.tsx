import { Controller, Get, Inject, Post } from '@nestjs/common';
import { lockedOut } from '../../../core/access/keys.js';
import type { Ports } from '../../../core/ports.js';
import { editSettingsAddresses, recentSettingsAddresses } from '../../../core/users/people/manage.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { LOCK_OUT_FIELD } from '../ip-list-field.js';
import { entriesOf, entriesText } from '../ip-list-text.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { PEOPLE_PATH, SETTINGS_ADDRESSES_PATH, SettingsAddresses } from './settings-addresses.view.js';

interface Refused {
  readonly problems: Problems | null;
  readonly locksOut: readonly string[];
}

/** From where people may use the settings area: for owners. */
@Controller(SETTINGS_ADDRESSES_PATH.slice(1))
@RequireRole('owner', { confirmed: true })
export class SettingsAddressesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { settingsIpList } = await this.ports.store.query(customerOf(context), ({ customer }) => customer.read());
    return this.page(context, entriesText(settingsIpList), { problems: null, locksOut: [] });
  }

  @Post()
  async save(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const text = context.form.text('ipList', FieldLength.addresses);
    const entries = entriesOf(text);
    const locksOut = lockedOut(entries, await recentSettingsAddresses(this.ports, customerOf(context)));
    if (locksOut.length > 0 && !context.form.has(LOCK_OUT_FIELD)) {
      return this.page(context, text, { problems: null, locksOut });
    }
    try {
      const { settingsIpList } = await editSettingsAddresses(this.ports, callerOfPage(context), entries);
      const done =
        settingsIpList.length === 0
          ? 'The settings area can be used from anywhere.'
          : 'The settings area can only be used from the allowed addresses.';
      return redirectTo(context, PEOPLE_PATH, { kind: 'done', text: done });
    } catch (error) {
      return this.page(context, text, { problems: problemsOf(error), locksOut: [] });
    }
  }

  private async page(context: PageContext, value: string, refused: Refused): Promise<Reply> {
    const addresses = await recentSettingsAddresses(this.ports, customerOf(context));
    const options = { title: 'Allowed addresses', section: 'account', status: refused.problems?.status ?? 200 };
    const view = <SettingsAddresses {...refused} value={value} addresses={addresses} clientIp={context.clientIp} />;
    return renderPage(this.ports, context, options, view);
  }
}
