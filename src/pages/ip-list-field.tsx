import type { KeyAddress } from '../core/access/api-key.js';
import { Choice, Field, type Problems } from './form.js';

/** The box that confirms blocking addresses that were used a moment ago. */
export const LOCK_OUT_FIELD = 'lockOut';

interface IpListProps {
  readonly value: string;
  /** The meaning of an empty list. */
  readonly anywhere: string;
  /** The words for what was used from the addresses, as in “the key was used”. */
  readonly used: string;
  readonly problems: Problems | null;
  /** Addresses that the list as typed would block; empty before it was sent. */
  readonly locksOut: readonly string[];
  readonly addresses: readonly Pick<KeyAddress, 'address'>[];
  readonly clientIp: string;
  /** A note on what else is lost with the addresses. */
  readonly warning?: string | null;
}

/** Addresses and ranges that are allowed, and a warning before some are blocked that are in use. */
export function IpListField(props: IpListProps) {
  const { value, anywhere, used, problems, locksOut, addresses, clientIp, warning } = props;
  const hint = (
    <>
      One address or range per line, such as 203.0.113.9 or 2001:db8::/32. {anywhere} Your current address:{' '}
      <code>{clientIp}</code>
    </>
  );
  return (
    <>
      <Field
        label="Allowed addresses"
        name="ipList"
        hint={hint}
        errors={problems}
        lines={Math.max(3, value.split('\n').length)}
        input={{ value, spellcheck: false, autocomplete: 'off', autocapitalize: 'off', class: 'code' }}
      />
      {locksOut.length > 0 && (
        <div class="flash warn below" role="alert">
          <p>
            {`In the last day, ${used} from ${locksOut.length === 1 ? 'an address' : 'addresses'} that this list would block:`}
          </p>
          <AddressList addresses={locksOut} />
          {warning && <p>{warning}</p>}
          <Choice type="checkbox" name={LOCK_OUT_FIELD} value="yes" isChosen={false} label="Block them from now on" />
        </div>
      )}
      {locksOut.length === 0 && addresses.length > 0 && (
        <div class="hint below">
          <p>Used in the last day from:</p>
          <AddressList addresses={addresses.map(({ address }) => address)} />
        </div>
      )}
    </>
  );
}

const MOST_SHOWN = 12;

function AddressList({ addresses }: { addresses: readonly string[] }) {
  return (
    <ul class="chips">
      {addresses.slice(0, MOST_SHOWN).map((address) => (
        <li key={address}>
          <code>{address}</code>
        </li>
      ))}
      {addresses.length > MOST_SHOWN && <li>{`and ${addresses.length - MOST_SHOWN} more`}</li>}
    </ul>
  );
}

/** Entries are separated by lines, commas and spaces; ranges like `10.0.0.1 - 10.0.0.9` stay together so that they can be explained. */
export function entriesOf(text: string): readonly string[] {
  const entries: string[] = [];
  let isOpen = false;
  for (const word of text.split(/[\s,;]/)) {
    if (word === '') continue;
    const isDash = word === '-' || word === '–';
    if ((isDash || isOpen) && entries.length > 0) entries.push(`${entries.pop()}${word}`);
    else entries.push(word);
    isOpen = isDash;
  }
  return entries;
}

export function entriesText(ipList: readonly string[]): string {
  return ipList.map(shortRange).join('\n');
}

/** A range of one address as the address. */
export function shortRange(range: string): string {
  return range.includes(':') ? range.replace(/\/128$/, '') : range.replace(/\/32$/, '');
}
