/** Entries are separated by lines, commas and spaces; ranges like `10.0.0.1 - 10.0.0.9` stay together so that they can be explained. */
export function entriesOf(text: string): readonly string[] {
  const entries: string[] = [];
  let isOpen = false;
  for (const word of text.split(/[\s,;]/)) {
    if (word === '') continue;
    const isDash = word === '-' || word === '–';
    if ((isDash || isOpen) && entries.length > 0) entries.push(`${entries.pop()}${word}`);
    else entries.push(word);
    isOpen = isDash;
  }
  return entries;
}

/** A list as people write it. */
export function entriesText(ipList: readonly string[]): string {
  return ipList.map(shortRange).join('\n');
}

/** A range of one address as the address. */
export function shortRange(range: string): string {
  return range.includes(':') ? range.replace(/\/128$/, '') : range.replace(/\/32$/, '');
}
