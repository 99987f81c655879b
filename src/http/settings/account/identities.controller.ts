import { Controller, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { unlinkIdentity } from '../../../core/users/provider/identity.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { problemsOf } from '../form.js';
import { redirectTo } from '../page.js';
import { CurrentPageContext, type PageContext, peopleManager, personOf } from '../page-context.js';

/** Identities of people at providers: one's own, and for admins those of others. */
@Controller('settings/account/identities')
export class IdentitiesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(':id/unlink')
  @RequireRole('viewer', { confirmed: true })
  async unlink(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const person = personOf(context);
    const all = await this.ports.store.query(person.customer.id, ({ identities }) => identities.list());
    const { userId } = requireFound(
      all.find((identity) => identity.id === id),
      'identity',
    );
    const [back, text] =
      userId === person.user.id
        ? ['/settings/account', 'The provider was unlinked. Your other browsers are signed out.']
        : ['/settings/account/people', 'The provider was unlinked, and the person is signed out everywhere.'];
    try {
      await unlinkIdentity(this.ports, peopleManager(context), person, { userId, identityId: id });
      return redirectTo(context, back, { kind: 'done', text });
    } catch (error) {
      return redirectTo(context, back, { kind: 'failed', text: problemsOf(error).message });
    }
  }
}
