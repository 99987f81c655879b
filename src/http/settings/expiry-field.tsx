import { Field, type Problems } from './form.js';

interface ExpiryProps {
  /** What ends then, as in “The key stops working”. */
  readonly end: string;
  /** The last day. */
  readonly value: string;
  readonly problems: Problems | null;
}

/** The day at whose end something stops working. */
export function ExpiryField({ end, value, problems }: ExpiryProps) {
  return (
    <Field
      label="Expiry date"
      name="expiresOn"
      hint={`${end} at the end of this day (UTC). Optional.`}
      errors={problems?.renamed('expiresAt', 'expiresOn')}
      input={{ type: 'date', value }}
    />
  );
}
