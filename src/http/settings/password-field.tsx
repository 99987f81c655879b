import { MIN_PASSWORD } from '../../core/users/user.js';

export const PASSWORD_HINT = `At least ${MIN_PASSWORD} characters. Several words make a good password.`;

export const USER_NAME_FIELD = 'username';

/** So that browsers keep a password under the right name where the form does not ask for it. */
export function UserName({ email }: { email: string | null }) {
  return <input type="text" name={USER_NAME_FIELD} value={email ?? ''} autocomplete="username" hidden readOnly />;
}
