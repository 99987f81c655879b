import type { IdentityProviders } from '../../core/users/identity-provider.js';
import type { Identity } from '../../core/users/provider/identity.js';
import { Form } from '../form.js';
import { Card, Moment, Table } from '../parts.js';

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

export function Unlink({ id, whose }: { id: number; whose: string }) {
  return (
    <Form action={`/settings/account/identities/${id}/unlink`}>
      <button class="quiet" type="submit">
        Unlink provider<span class="unseen">{whose}</span>
      </button>
    </Form>
  );
}
