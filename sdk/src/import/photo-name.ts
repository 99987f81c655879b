/** A name that the service takes (1 to 255 characters, no control characters, no slash of either kind), as near to the file's as can be. */
export function photoName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}/\\]/gu, '_')
    .trim();
  const characters = [...plain];
  if (characters.length <= 255) return ['', '.', '..'].includes(plain) ? '_' : plain;
  const extension = /\.\w{1,8}$/.exec(plain)?.[0] ?? '';
  return characters.slice(0, 255 - extension.length).join('') + extension;
}
