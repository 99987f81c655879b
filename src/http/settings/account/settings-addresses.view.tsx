import type { KeyAddress } from '../../../core/access/key-store.js';
import type { Customer } from '../../../core/customers/customer.js';
import { Button, Form, ProblemSummary, type Problems } from '../form.js';
import { IpListField } from '../ip-list-field.js';
import { Card, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';

export const PEOPLE_PATH = '/settings/account/people';
export const SETTINGS_ADDRESSES_PATH = `${PEOPLE_PATH}/addresses`;

const LEAD =
  'People sign in and use the settings area from these addresses alone. API keys have lists of their own; shares and signed links work from anywhere.';

/** On the page of people. */
export function SettingsAddressesCard({ customer: { settingsIpList } }: { customer: Customer }) {
  const count = settingsIpList.length;
  return (
    <Card
      title="Allowed addresses"
      lead={
        count === 0
          ? 'The settings area can be used from anywhere.'
          : `The settings area can be used from ${count === 1 ? 'one address or range' : `${count} addresses and ranges`} alone.`
      }
    >
      <div class="buttons">
        <a class="button plain" href={SETTINGS_ADDRESSES_PATH}>
          Change…
        </a>
      </div>
    </Card>
  );
}

export interface AddressesForm {
  readonly value: string;
  /** The list as it is now. */
  readonly shown: string;
  readonly problems: Problems | null;
  readonly locksOut: readonly string[];
}

interface AddressesProps extends AddressesForm {
  readonly addresses: readonly Pick<KeyAddress, 'address'>[];
  readonly clientIp: string;
}

export function SettingsAddresses({ problems, shown, ...props }: AddressesProps) {
  const isOwn = props.locksOut.includes(props.clientIp);
  return (
    <>
      <Heading title="Allowed addresses" lead={LEAD} />
      <Form action={SETTINGS_ADDRESSES_PATH} class="card">
        <ShownValues fields={{ ipList: shown }} />
        <ProblemSummary problems={problems} />
        <IpListField
          anywhere="If empty, the settings area can be used from anywhere."
          used="the settings area was used"
          problems={problems}
          warning={
            isOwn ? 'Yours is among them. From there, only the operator of this service can let you in again.' : null
          }
          {...props}
        />
        <div class="buttons">
          <Button>Save</Button>
          <a class="button plain" href={PEOPLE_PATH}>
            Cancel
          </a>
        </div>
      </Form>
    </>
  );
}
