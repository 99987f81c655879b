export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** RFC 4648, section 5, without padding. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

const NO_DIGIT = 64;
/** The value of each digit of base64url, by its code. */
const digits = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  digits[digit.charCodeAt(0)] = value;
}

/** The bytes that are written like this; null for a text that is not the one spelling of any. Signed addresses are read so often that each step counts. */
export function fromBase64url(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [held, bits] = [0, 0];
  for (let at = 0, filled = 0; at < text.length; at += 1) {
    const value = digits[text.charCodeAt(at)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return null;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[filled] = held >> bits;
    filled += 1;
    held &= (1 << bits) - 1;
  }
  return bits < 6 && held === 0 ? bytes : null;
}

/** Throws for a text that is not base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
