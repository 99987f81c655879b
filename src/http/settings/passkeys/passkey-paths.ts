export const PASSKEYS_PATH = '/settings/account/factors/passkeys';
export const PASSKEY_SIGN_IN_PATH = '/settings/sign-in/passkey';

/** Where scripts ask what to ask the browser for. */
export const ASK_TO_SIGN_IN = `${PASSKEY_SIGN_IN_PATH}/options`;
export const ASK_SECOND_STEP = '/settings/sign-in/code/passkey-options';
export const ASK_AGAIN = '/settings/account/passkey-options';
export const ASK_FOR_NEW = `${PASSKEYS_PATH}/options`;
