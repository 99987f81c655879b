/** Not a key of anybody. */
export const vectorKey = {
  keyId: 'dk_0123456789abcdef',
  secret: 'phs_sign_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
};

/**
 * What whoever signs addresses must get. Made with openssl:
 * `printf %s SIGNED | openssl dgst -sha256 -hmac SECRET -binary | basenc --base64url | tr -d =`
 */
export const deliveryVectors = [
  {
    photoId: 42,
    options: 'w=300,fit=cover',
    exp: null,
    signed: '/img/dk_0123456789abcdef/42/w=300,fit=cover',
    signature: 'acSLMNBt6af5rOKnvd2JPIGkT6ZRb33FnekfceCkBqs',
  },
  {
    photoId: 42,
    options: 'w=300,fit=cover',
    exp: 1_800_000_000,
    signed: '/img/dk_0123456789abcdef/42/w=300,fit=cover?exp=1800000000',
    signature: 'YcHXWXQPG0E3cAGSVAryFDrvhGtWBZT0e-k5NclggQw',
  },
] as const;
