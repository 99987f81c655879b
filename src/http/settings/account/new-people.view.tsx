import type { Customer } from '../../../core/customers/customer.js';
import type { ProviderSettings } from '../../../core/users/identity-provider.js';
import { withArticle } from '../../fields/role-meanings.js';
import { Button, Form } from '../form.js';
import { Card } from '../parts.js';
import { PEOPLE_PATH } from './settings-addresses.view.js';

export const NEW_PEOPLE_PATH = `${PEOPLE_PATH}/by-provider`;

interface CardProps {
  readonly customer: Customer;
  /** By which new people can come. */
  readonly provider: ProviderSettings;
}

/** On the page of people, where the operator has made it possible. */
export function NewPeopleCard({ customer: { admitsNewPeople }, provider: { name, domains, role } }: CardProps) {
  const who = `Whoever signs in at ${name} with an address of ${domains.join(', ')} becomes one of the people of this account without an invitation, as ${withArticle(role)} unless groups say otherwise.`;
  return (
    <Card
      title="New people by single sign-on"
      lead={`${admitsNewPeople ? 'On' : 'Off'}. ${admitsNewPeople ? who : `If you allow it: ${who}`}`}
    >
      <Form action={NEW_PEOPLE_PATH} label="New people by single sign-on">
        <div class="buttons">
          <Button name="allowed" value={admitsNewPeople ? 'no' : 'yes'}>
            {admitsNewPeople ? 'Disable' : 'Allow'}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
