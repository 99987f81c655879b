import type { ProviderSettings } from '../../core/users/identity-provider.js';
import { Button } from './form.js';
import { PROVIDER_PATH } from './sign-in/provider.view.js';

/** For somebody without a password: the provider asks, in a window of its own, so that the form here keeps what it contains. */
export function ConfirmByProvider({ provider }: { provider: ProviderSettings | null }) {
  if (provider === null) {
    return (
      <p class="flash failed">
        You have no password, and no provider knows you any more. An admin can send you a link.
      </p>
    );
  }
  return (
    <>
      <p>
        <a class="button plain" href={`${PROVIDER_PATH}/${provider.id}/confirm`} target="_blank" rel="noopener">
          Confirm with {provider.name} (opens a new window)
        </a>
      </p>
      <div class="buttons">
        <Button>Continue</Button>
      </div>
    </>
  );
}
