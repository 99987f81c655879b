import { MAX_PASSWORD, MIN_PASSWORD } from '../../core/users/passwords.js';

export const PASSWORD_HINT = `At least ${MIN_PASSWORD} characters that are hard to guess. Four or more words that do not belong together make a good password.`;

/** The field of a password, as in `Field`. */
export const PASSWORD_INPUT = {
  type: 'password',
  required: true,
  autocomplete: 'current-password',
  maxLength: MAX_PASSWORD,
};
/** One that is too long is refused, instead of being cut off unseen. */
export const NEW_PASSWORD_INPUT = { ...PASSWORD_INPUT, autocomplete: 'new-password', maxLength: 5 * MAX_PASSWORD };

export const USER_NAME_FIELD = 'username';

/** So that browsers keep a password under the right name where the form does not ask for it. */
export function UserName({ email }: { email: string | null }) {
  return <input type="text" name={USER_NAME_FIELD} value={email ?? ''} autocomplete="username" hidden readOnly />;
}
