import { normalized } from './text.js';

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
