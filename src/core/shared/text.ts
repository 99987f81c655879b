import type { FieldError } from './errors.js';

/** Combining characters, and the half-width marks that become some. */
const MARKS = /[\p{M}\uff9e\uff9f]+/gu;
const MAX_MARKS = 30;
const JOINER = '\u034f';

/**
 * The text in a form of Unicode, in a time that grows with its length. Runtimes sort a run of combining characters in the square of its length,
 * so a longer one than any language has is divided by U+034F, as Unicode's stream-safe text is (UAX 15 §13).
 */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return (text.length > MAX_MARKS ? text.replace(MARKS, dividedMarks) : text).normalize(form);
}

function dividedMarks(marks: string): string {
  if (marks.length <= MAX_MARKS) return marks;
  let [divided, count] = ['', 0];
  for (const mark of marks) {
    if (mark === JOINER) count = 0;
    else if (count === MAX_MARKS) [divided, count] = [divided + JOINER, 1];
    else count += 1;
    divided += mark;
  }
  return divided;
}

/** NFC, trimmed, without NUL: how every text from outside is stored. */
export function cleanText(text: string): string {
  return normalized(text.replaceAll('\u0000', '').toWellFormed(), 'NFC').trim();
}

const MAX_FOLDED = 255;

/**
 * The key by which names are compared and sorted: NFKC, case folded, at most so many characters. Upper before lower case folds `ß` with `ss`
 * and final sigma with sigma, like Unicode's full case folding; the dotless ı, which would become i that way, is a letter of its own there.
 */
export function foldKey(text: string): string {
  const folded = normalized(text, 'NFKC').replace(/[^ı]+/gu, (part) => part.toUpperCase().toLowerCase());
  return truncate(normalized(folded, 'NFKC').replaceAll('ς', 'σ'), MAX_FOLDED);
}

/** `foldKey` without combining characters, as runs of letters and digits separated by one space: where a part of a name is searched for. */
export function searchText(...texts: readonly (string | null)[]): string {
  const folded = normalized(texts.filter((text) => text !== null).join(' '), 'NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .toLowerCase();
  return (normalized(folded, 'NFKC').match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

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

/** `1 photo`, `2 photos`: a number of things, for a message. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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

/** For text that is stored as `cleanText` returns it: at most `max` code points. */
export function textErrors(field: string, text: string | null | undefined, max: number): FieldError[] {
  return verbatimErrors(field, text && normalized(text, 'NFC').trim(), max);
}

/** For text that is stored unchanged, because it belongs to the client. */
export function verbatimErrors(field: string, text: string | null | undefined, max: number): FieldError[] {
  if (text === null || text === undefined) return [];
  if (text.includes('\u0000') || !text.isWellFormed()) {
    return [{ field, code: 'invalid_format', message: `${field} must be valid Unicode text without NUL.` }];
  }
  if (codePoints(text) <= max) return [];
  return [{ field, code: 'too_long', message: `${field} must have at most ${max} characters.`, max }];
}

/** For a name or title, which must not be empty. */
export function requiredTextErrors(field: string, text: string | undefined, max: number): FieldError[] {
  if (text === undefined || cleanText(text) !== '') return textErrors(field, text, max);
  return [{ field, code: 'too_short', message: `${field} must not be empty.`, min: 1 }];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose.
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;

/** One spelling for equal plain data: the order of keys does not matter, absent and undefined are the same. */
export function canonical(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join()}}`;
}

/**
 * The words of a query or text, folded: case, width and accents do not count. A word is a run of letters and digits, or an emoji, whatever its
 * tone of skin and its variation. Accents are the combining characters that one may leave out; vowels and tones of Thai or dakuten are none.
 */
export function searchWords(text: string): string[] {
  const folded = normalized(text, 'NFKD')
    .replace(/[\p{M}\p{Emoji_Modifier}]/gu, (mark) => (mark === KEYCAP || isSpaceless(mark) ? mark : ''))
    .toUpperCase()
    .toLowerCase();
  return normalized(folded, 'NFKC').replace(INVISIBLE_SPACES, '').match(WORD) ?? [];
}

const KEYCAP = '\u20e3';
/** Where lines may break: within a word of a script that has no other spaces, they are not to be seen. */
const INVISIBLE_SPACES = /\u200b(?=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])/gu;
/** A keycap, a flag, letters and digits, or another emoji: pictures that are joined, or followed by the tags of a region. */
const WORD =
  /[0-9#*]\u20e3|\p{RI}{1,2}|(?:[\p{L}\p{Mn}\p{Mc}]|\p{N}(?!\u20e3))+|(?![©®])\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|[\u{e0020}-\u{e007f}])*/gu;

/**
 * The scripts in which a word may begin and end anywhere: those without spaces, which are Chinese, Japanese and what UAX 14 calls complex
 * context, and Korean, which writes particles and compounds as one word. With the characters that several of them share.
 */
const SPACELESS =
  /[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tale}\p{sc=Talu}\p{sc=Lana}\p{sc=Tavt}\u3006\u3031-\u3035\u303c\u3099\u309a\u30fc]/u;

/** Whether a text contains a character of these scripts. */
export function isSpaceless(text: string): boolean {
  return SPACELESS.test(text);
}

/** Returns the units that a folded word is found by: each character of a script without spaces, and what stands between them as a whole. */
export function wordUnits(word: string): string[] {
  if (!isSpaceless(word)) return [word];
  const units: string[] = [];
  let isOpen = false;
  for (const character of word) {
    const isAlone = isSpaceless(character);
    units.push(isOpen && !isAlone ? `${units.pop()}${character}` : character);
    isOpen = !isAlone;
  }
  return units;
}

/** Whether one of the words of a text has these units of a searched word in their order, of which the last one may only be begun. */
export function hasWord(words: readonly string[], searched: string): boolean {
  const units = wordUnits(searched);
  const last = units.length - 1;
  return words.some((word) => {
    const own = wordUnits(word);
    return own.some((_, at) =>
      units.every((unit, i) => (i < last ? own[at + i] === unit : (own[at + i]?.startsWith(unit) ?? false))),
    );
  });
}
