const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, section 6, without padding. */
export const base32 = {
  encode(bytes: Uint8Array): string {
    const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const groups = bits.match(/.{1,5}/g) ?? [];
    return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
  },

  /** Characters of no meaning count as `A`: only for texts that `encode` made. */
  decode(text: string): Uint8Array {
    const bits = [...text].map((char) => Math.max(0, ALPHABET.indexOf(char)).toString(2).padStart(5, '0')).join('');
    return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  },
};
