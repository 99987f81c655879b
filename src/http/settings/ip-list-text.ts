/** Entries are separated by lines, commas and spaces; ranges like `10.0.0.1 - 10.0.0.9` stay together so that they can be explained. */
export function entriesOf(text: string): readonly string[] {
  return text
    .replace(/\s+([-–])\s+/g, '$1')
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '');
}

/** A list as people write it. */
export function entriesText(ipList: readonly string[]): string {
  return ipList.map(shortRange).join('\n');
}

/** A range of one address as the address. */
export function shortRange(range: string): string {
  return range.includes(':') ? range.replace(/\/128$/, '') : range.replace(/\/32$/, '');
}
