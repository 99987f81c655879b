import { Controller, Get, Post } from '@nestjs/common';
import { lockedOut } from '../../core/access/keys.js';
import { readCustomer } from '../../core/customers/edit-customer.js';
import { editSettingsAddresses, recentSettingsAddresses } from '../../core/users/admission.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { Form, ProblemSummary, type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { entriesOf, entriesText, IpListField, LOCK_OUT_FIELD } from '../ip-list-field.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { Buttons, Heading } from '../parts.js';
import { editsOf, ShownValues } from '../resource-form.js';
import { PEOPLE_PATH, SETTINGS_ADDRESSES_PATH } from './people.controller.js';

/** From where people may use the settings area: for owners. */
@Controller(SETTINGS_ADDRESSES_PATH.slice(1))
@RequireRole('owner', { confirmed: true })
export class SettingsAddressesController extends PageController {
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
    if (changed.ipList === undefined) return this.saved(context, shown);
    const value = changed.ipList;
    try {
      requireUnchanged({ ipList: shown });
      const entries = entriesOf(value);
      const locksOut = lockedOut(entries, await recentSettingsAddresses(this.ports, customerOf(context)));
      if (locksOut.length > 0 && !context.form.has(LOCK_OUT_FIELD)) {
        return await this.page(context, { value, shown, problems: null, locksOut });
      }
      const caller = callerOfPage(context);
      const { settingsIpList } = await editSettingsAddresses(this.ports, caller, entries, (current) =>
        requireUnchanged({ ipList: entriesText(current.settingsIpList) }),
      );
      return this.saved(context, entriesText(settingsIpList));
    } catch (error) {
      return this.page(context, { value, shown, problems: problemsOf(error), locksOut: [] });
    }
  }

  private saved(context: PageContext, addresses: string): Reply {
    const text =
      addresses === ''
        ? 'The settings area can be used from anywhere.'
        : 'The settings area can only be used from the allowed addresses.';
    return redirectTo(context, PEOPLE_PATH, { kind: 'done', text });
  }

  /** The list that counts, as people write it. */
  private async stored(context: PageContext): Promise<string> {
    const { customer } = await readCustomer(this.ports, callerOfPage(context));
    return entriesText(customer.settingsIpList);
  }

  private async page(
    context: PageContext,
    form: { value: string; shown: string; problems: Problems | null; locksOut: readonly string[] },
  ): Promise<Reply> {
    const addresses = await recentSettingsAddresses(this.ports, customerOf(context));
    const { clientIp } = context;
    const isOwn = form.locksOut.includes(clientIp);
    return this.render(
      context,
      { title: 'Allowed addresses', section: 'account', problems: form.problems },
      <>
        <Heading
          title="Allowed addresses"
          lead="People sign in and use the settings area from these addresses alone. API keys have lists of their own; shares and signed links work from anywhere."
        />
        <Form action={SETTINGS_ADDRESSES_PATH} class="card">
          <ShownValues fields={{ ipList: form.shown }} />
          <ProblemSummary problems={form.problems} />
          <IpListField
            anywhere="If empty, the settings area can be used from anywhere."
            used="the settings area was used"
            warning={
              isOwn ? 'Yours is among them. From there, only the operator of this service can let you in again.' : null
            }
            {...{ ...form, addresses, clientIp }}
          />
          <Buttons label="Save" cancel={PEOPLE_PATH} />
        </Form>
      </>,
    );
  }
}
