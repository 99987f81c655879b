import { Controller, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { requireFound } from '../../../core/shared/errors.js';
import { requireAdmitted } from '../../../core/users/admission.js';
import { Public } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { requestContextOf } from '../../server/request-context.js';
import { ACCOUNT_FIELD, SWITCH_PATH } from '../accounts/account-switch.view.js';
import { exchangeAccounts } from '../accounts/accounts-cookie.js';
import { resumeSession } from '../browser-session.js';
import { FieldLength } from '../form-fields.js';
import { HOME } from '../navigation.js';
import { redirectTo } from '../page.js';
import { CurrentPageContext, type PageContext } from '../page-context.js';

/** From one account of a person to another in which the browser is signed in, too. Public: also from where the account in use may not be seen. */
@Controller(SWITCH_PATH.slice(1))
@Public()
export class AccountsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post()
  async switch(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const wanted = context.form.text(ACCOUNT_FIELD, FieldLength.word);
    const chosen = requireFound(
      context.others.find(({ known }) => String(known.customer.id) === wanted),
      'account',
    );
    requireAdmitted(chosen.known.customer, requestContextOf(context.request).namedIp);
    exchangeAccounts(this.ports, context, chosen);
    await resumeSession(context.request, chosen.token);
    return redirectTo(context, HOME);
  }
}
