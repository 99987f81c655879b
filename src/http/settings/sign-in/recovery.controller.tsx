import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { notFound } from '../../../core/shared/errors.js';
import { requestRecovery } from '../../../core/users/people/new-password.js';
import { Public } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, type PageContext } from '../page-context.js';
import { RecoveryForm, RecoveryRequested } from './recovery.view.js';
import { RECOVERY_PATH } from './sign-in.view.js';

/** A link for a new password, by mail. There is no such page where no server for mail is configured. */
@Controller(RECOVERY_PATH.slice(1))
@Public()
export class RecoveryController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  show(@CurrentPageContext() context: PageContext): Reply {
    this.requireMailer();
    return this.form(context, null);
  }

  @Post()
  async request(@CurrentPageContext() context: PageContext): Promise<Reply> {
    this.requireMailer();
    try {
      await requestRecovery(this.ports, context.form.text('email', FieldLength.line), context.clientIp);
      return renderPage(this.ports, context, { title: 'Check your mail', plain: true }, <RecoveryRequested />);
    } catch (error) {
      return this.form(context, problemsOf(error));
    }
  }

  private form(context: PageContext, problems: Problems | null): Reply {
    const options = { title: 'Forgot your password?', plain: true, ...(problems && { status: problems.status }) };
    const props = { action: RECOVERY_PATH, email: context.form.text('email', FieldLength.line), problems };
    return renderPage(this.ports, context, options, <RecoveryForm {...props} />);
  }

  private requireMailer(): void {
    if (this.ports.mailer === null) throw notFound('page');
  }
}
