import { Controller, Post } from '@nestjs/common';
import type { Id } from '../../core/shared/ids.js';
import type { IdentityProviders } from '../../core/users/identity-provider.js';
import { type Identity, readIdentity, unlinkIdentity } from '../../core/users/provider/identity.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { Form } from '../form.js';
import { PageController, redirectAfter } from '../page.js';
import { CurrentPageContext, type PageContext, peopleManager, personOf } from '../page-context.js';
import { Card, Moment, Table } from '../parts.js';

/** Identities of people at providers: one's own, and for admins those of others. */
@Controller('settings/account/identities')
export class IdentitiesController extends PageController {
  @Post(':id/unlink')
  @RequireRole('viewer', { confirmed: true })
  async unlink(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const person = personOf(context);
    const { userId } = await readIdentity(this.ports, person.customer.id, id);
    const [back, text] =
      userId === person.user.id
        ? ['/settings/account', 'The provider was unlinked. Your other browsers are signed out.']
        : ['/settings/account/people', 'The provider was unlinked, and the person is signed out everywhere.'];
    return redirectAfter(context, back, async () => {
      await unlinkIdentity(this.ports, peopleManager(context), person, { userId, identityId: id });
      return { text };
    });
  }
}

export function Unlink({ id, whose }: { id: number; whose: string }) {
  return (
    <Form action={`/settings/account/identities/${id}/unlink`}>
      <button class="quiet" type="submit">
        Unlink provider<span class="unseen">{whose}</span>
      </button>
    </Form>
  );
}

interface IdentitiesProps {
  readonly identities: readonly Identity[];
  readonly providers: IdentityProviders;
  readonly hasPassword: boolean;
}

export function IdentitiesCard({ identities, providers, hasPassword }: IdentitiesProps) {
  if (identities.length === 0) return null;
  const rows = identities.map(({ id, issuer, linkedAt, lastUsedAt }) => ({
    key: id,
    cells: [
      <span class="strong">{nameOf(providers, issuer)}</span>,
      <Moment at={linkedAt} />,
      <Moment at={lastUsedAt} />,
      hasPassword ? <Unlink id={id} whose="" /> : null,
    ],
  }));
  return (
    <Card
      title="Sign-in by a provider"
      lead={hasPassword ? undefined : 'You have no password. Set one before you unlink the provider.'}
    >
      <Table caption="Providers at which you sign in" columns={['Provider', 'Linked', 'Last used', '']} rows={rows} />
    </Card>
  );
}

/** One that is no longer configured has no name here. */
function nameOf(providers: IdentityProviders, issuer: string): string {
  return providers.find(({ settings }) => settings.issuer === issuer)?.settings.name ?? new URL(issuer).host;
}
