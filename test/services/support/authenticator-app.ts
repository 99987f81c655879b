import { type TOTP, URI } from 'otpauth';

/** What an app for one-time codes shows, in so many seconds. */
export function oneTimeCode(secret: string, later = 0): string {
  const totp = URI.parse(`otpauth://totp/Photo%20Service:anna?secret=${secret}`) as TOTP;
  return totp.generate({ timestamp: Date.now() + later * 1000 });
}
