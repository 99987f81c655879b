import { Controller, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { requireFactors } from '../../../core/users/factors/policy.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo } from '../page.js';
import { CurrentPageContext, type PageContext, personOf } from '../page-context.js';

const PEOPLE = '/settings/account/people';

/** Whether everyone needs a second factor: for owners. The form is on the page of people. */
@Controller('settings/account/people/two-step')
@RequireRole('owner', { confirmed: true })
export class FactorPolicyController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post()
  async require(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const day = context.form.text('from', FieldLength.word).trim();
    try {
      const changed = await requireFactors(this.ports, personOf(context), day, context.clientIp);
      const text =
        changed.factorsRequiredFrom === null
          ? 'Two-step sign-in is optional.'
          : `Everyone needs two-step sign-in from ${day} on.`;
      return redirectTo(context, PEOPLE, { kind: 'done', text });
    } catch (error) {
      return redirectTo(context, PEOPLE, { kind: 'failed', text: problemsOf(error).message });
    }
  }
}
