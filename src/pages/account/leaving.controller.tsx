import { Controller, Get, Post } from '@nestjs/common';
import { listKeys } from '../../core/access/keys.js';
import { MAX_CUSTOMER_NAME } from '../../core/customers/customer.js';
import { closeOwnAccount, readCustomer } from '../../core/customers/edit-customer.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { signOutOfOthers } from '../account-switch/account-switch.js';
import { endSession } from '../browser-session.js';
import { Field, Form, ProblemSummary, type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext, personOf } from '../page-context.js';
import { Buttons } from '../parts.js';

@Controller('settings/account/erase')
@RequireRole('owner', { confirmed: true })
export class LeavingController extends PageController {
  @Get()
  ask(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.form(context, null);
  }

  @Post()
  async erase(@CurrentPageContext() context: PageContext): Promise<Reply> {
    try {
      const typed = context.form.text('name', FieldLength.line);
      const { name } = await closeOwnAccount(this.ports, callerOfPage(context), typed);
      // The last page that people of the account see.
      const closed = this.render(
        context,
        { title: 'Account closed', plain: true },
        <section class="card">
          <h1>{name} is closed</h1>
          <p>All keys are refused from now on, and everyone is signed out, including this browser.</p>
          <p>
            Within about two hours the service begins to remove all photos and all data about them permanently. Backups
            kept by the operator of this service expire according to the operator’s own rules.
          </p>
        </section>,
      );
      // A page rendered after this would have no session to store its token in.
      await signOutOfOthers(this.ports, context);
      await endSession(context.request);
      return closed;
    } catch (error) {
      return await this.form(context, problemsOf(error));
    }
  }

  private async form(context: PageContext, problems: Problems | null): Promise<Reply> {
    const { id } = personOf(context).customer;
    const { customer, usage } = await readCustomer(this.ports, { customerId: id });
    const keys = (await listKeys(this.ports, id)).length;
    const { formats } = context;
    const photos = formats.pluralize(usage.photos + usage.trashedPhotos, 'photo');
    const size = formats.bytes(usage.storageBytes + usage.trashedBytes);
    const content = (
      <section class="card confirm">
        <h1>Erase {customer.name}?</h1>
        <ProblemSummary problems={problems} />
        <p>
          {photos} ({size}, including the trash), {formats.pluralize(usage.tags, 'tag')} and{' '}
          {formats.pluralize(keys, 'API key')} are permanently deleted, with all imports, webhooks and logs of this
          account.
        </p>
        <ul class="plain-list">
          <li>
            <strong>Immediately:</strong> all keys are refused, signed URLs stop working, and everyone is signed out.
          </li>
          <li>
            <strong>Within about two hours:</strong> the service begins to remove everything, and then the account
            itself.
          </li>
          <li>
            <strong>This cannot be undone.</strong> <a href="/settings/account#export">Export your data</a> first.
          </li>
        </ul>
        <Form action="/settings/account/erase" label="Erase the account">
          <Field
            label="Name of the account"
            name="name"
            hint={
              <>
                Type <strong>{customer.name}</strong> to confirm.
              </>
            }
            errors={problems}
            input={{ required: true, maxLength: MAX_CUSTOMER_NAME, autocomplete: 'off', spellcheck: false }}
          />
          <Buttons label="Erase everything" kind="danger" cancel="/settings/account" />
        </Form>
      </section>
    );
    return this.render(context, { title: 'Erase the account', section: 'account', problems }, content);
  }
}
