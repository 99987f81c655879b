import { Controller, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { editNewPeople } from '../../../core/users/people/manage.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { NEW_PEOPLE_PATH } from './new-people.view.js';
import { PEOPLE_PATH } from './settings-addresses.view.js';

/** Whether a provider may bring new people: for owners. The form is on the page of people. */
@Controller(NEW_PEOPLE_PATH)
@RequireRole('owner', { confirmed: true })
export class NewPeopleController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post()
  async edit(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const isAllowed = context.form.text('allowed', FieldLength.word) === 'yes';
    await editNewPeople(this.ports, callerOfPage(context), isAllowed);
    const text = isAllowed
      ? 'New people can now join through single sign-on.'
      : 'New people can no longer join through single sign-on. Everyone who has access keeps it.';
    return redirectTo(context, PEOPLE_PATH, { kind: 'done', text });
  }
}
