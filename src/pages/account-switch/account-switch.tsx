import type { Request } from 'express';
import type { Ports } from '../../core/ports.js';
import { hashRandomToken } from '../../core/shared/secrets.js';
import {
  isAnotherAccountOf,
  type KnownSession,
  LONGEST_MS,
  MAX_OTHER_ACCOUNTS,
  newAccountsCookie,
  type OtherAccount,
  otherAccounts,
  signOut,
} from '../../core/users/session.js';
import { type User, userActor } from '../../core/users/user.js';
import { cookieName, cookieOf, cookieRules } from '../browser-session.js';
import { Form } from '../form.js';
import type { PageContext } from '../page-context.js';

export const SWITCH_PATH = '/settings/switch';
export const ACCOUNT_FIELD = 'account';

/** In the header: the account, and those to which one can switch. */
export function AccountMenu({ name, others }: { name: string; others: readonly OtherAccount[] }) {
  return (
    <details class="accounts">
      <summary>
        <span class="unseen">Account: </span>
        <span class="customer">{name}</span>
      </summary>
      <div class="card">
        <OtherAccounts others={others} />
        <a href="/settings/sign-in?another=yes">Sign in to another account</a>
      </div>
    </details>
  );
}

export function OtherAccounts({ others }: { others: readonly OtherAccount[] }) {
  return (
    <>
      {others.map(({ known: { customer } }) => (
        <Form key={customer.id} action={SWITCH_PATH}>
          <input type="hidden" name={ACCOUNT_FIELD} value={String(customer.id)} />
          <button class="quiet" type="submit">
            {`Switch to ${customer.name}`}
          </button>
        </Form>
      ))}
    </>
  );
}

const COOKIE = 'phs_accounts';

/** Where else the person is signed in with this browser. */
export async function accountsBeside(
  ports: Ports,
  request: Request,
  current: KnownSession,
): Promise<readonly OtherAccount[]> {
  const cookie = cookieOf(request, cookieName(ports, COOKIE));
  return cookie === null ? [] : otherAccounts(ports, cookie, current);
}

/**
 * Before a person signs in: keeps what the same person has open at other customers, the session in use among it, and ends all else.
 * Returns whether the session in use goes on.
 */
export async function keepAccountsOf(ports: Ports, context: PageContext, user: User): Promise<boolean> {
  const all = [...inUse(context), ...context.others];
  const kept = all.filter(({ known }) => isAnotherAccountOf(known, user)).slice(0, MAX_OTHER_ACCOUNTS);
  for (const { token } of all.filter((each) => !kept.includes(each))) await ports.sessions.end(hashRandomToken(token));
  rememberAccounts(ports, context.request, kept);
  return kept.some(({ token }) => token === context.request.sessionID);
}

/** The session in use is put beside, and this one is taken from there. */
export function exchangeAccounts(ports: Ports, context: PageContext, chosen: OtherAccount): void {
  rememberAccounts(ports, context.request, [...inUse(context), ...context.others.filter((each) => each !== chosen)]);
}

/** Signs the person out where the session in use is not. */
export async function signOutOfOthers(ports: Ports, { request, others, clientIp }: PageContext): Promise<void> {
  for (const { known } of others) await signOut(ports, userActor(known.user, clientIp), known);
  rememberAccounts(ports, request, []);
}

function inUse({ request }: PageContext): readonly OtherAccount[] {
  const known = request.session?.known;
  return known === undefined ? [] : [{ token: request.sessionID, known }];
}

function rememberAccounts(ports: Ports, request: Request, accounts: readonly OtherAccount[]): void {
  const name = cookieName(ports, COOKIE);
  if (accounts.length > 0) {
    const tokens = accounts.map(({ token }) => token);
    const rules = { ...cookieRules(ports), maxAge: LONGEST_MS };
    request.res?.cookie(name, newAccountsCookie(ports.secrets, tokens), rules);
  } else if (cookieOf(request, name) !== null) {
    request.res?.clearCookie(name, cookieRules(ports));
  }
}
