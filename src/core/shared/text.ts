/** NFC, trimmed, without NUL: how every text from outside is stored. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed().normalize('NFC').trim();
}

/** Length as clients count it: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Truncates to at most `max` code points. */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('');
}

const MAX_FOLDED = 255;

/**
 * The key by which names are compared and sorted: NFKC, case folded, at most so many characters. Upper before lower case folds `ß` with `ss`
 * and final sigma with sigma, like Unicode's full case folding; the dotless ı, which would become i that way, is a letter of its own there.
 */
export function foldKey(text: string): string {
  const folded = text.normalize('NFKC').replace(/[^ı]+/gu, (part) => part.toUpperCase().toLowerCase());
  return truncate(folded.normalize('NFKC').replaceAll('ς', 'σ'), MAX_FOLDED);
}

/** What `q` is matched against: `foldKey` without accents, as words separated by one space. */
export function searchText(...texts: readonly (string | null)[]): string {
  return searchWords(texts.filter((text) => text !== null).join(' ')).join(' ');
}

/** The words of a query or text: runs of letters and digits, folded, without accents. */
export function searchWords(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose.
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;

/**
 * Order of code points, which is the order of UTF-8 bytes and of `COLLATE "C"`. `<` on strings compares UTF-16 units and differs above
 * U+FFFF.
 */
export function compareText(a: string, b: string): number {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()];
  for (;;) {
    const [x, y] = [left.next(), right.next()];
    if (x.done || y.done) return Number(y.done ?? false) - Number(x.done ?? false);
    const difference = (x.value.codePointAt(0) ?? 0) - (y.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
}
