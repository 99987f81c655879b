import type { IdentityProviders } from '../../../core/users/identity-provider.js';
import { address } from '../address.js';
import { HOME } from '../navigation.js';

export const PROVIDER_PATH = '/settings/sign-in/with';

/** A link to each provider at which people can sign in. */
export function ProviderLinks({ providers, next }: { providers: IdentityProviders; next: string }) {
  if (providers.length === 0) return null;
  return (
    <div class="buttons below">
      {providers.map(({ settings: { id, name } }) => (
        <a
          key={id}
          class="button plain"
          href={address(`${PROVIDER_PATH}/${id}`, { next: next === '' || next === HOME ? undefined : next })}
        >
          Continue with {name}
        </a>
      ))}
    </div>
  );
}

/** In a window beside the page that asked for it. */
export function IdentityConfirmed() {
  return (
    <section class="card narrow">
      <h1>Confirmed</h1>
      <p>You are confirmed. Close this window, and continue in the previous one.</p>
      <div class="buttons">
        <a class="button plain" href={HOME}>
          Back to the start page
        </a>
      </div>
    </section>
  );
}

export function SignedOutHere({ name, path }: { name: string; path: string }) {
  return (
    <section class="card narrow">
      <h1>Signed out</h1>
      <p>
        You are signed out here. {name} may still know this browser, and sign you in again without asking: on a computer
        that others use, sign out there, too.
      </p>
      <div class="buttons">
        <a class="button primary" href={path}>
          Sign out of {name}
        </a>
        <a class="button plain" href="/settings/sign-in">
          Back to sign-in
        </a>
      </div>
    </section>
  );
}
