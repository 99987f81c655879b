import { type FieldValues, searchedValues } from '../../../core/media/photo-fields.js';
import type { Photo } from '../../../core/photos/photo.js';
import { placeNames } from '../../../core/photos/places.js';
import type { Id } from '../../../core/shared/ids.js';
import { isSpaceless, searchWords, truncate, wordUnits } from '../../../core/shared/text.js';

/** A lexeme may have 2,046 bytes; a character has at most 4, and the customer's number comes first. */
const MAX_WORD = 500;

/**
 * The search column of a photo, without its tags: a tsvector as text. Its lexemes begin with the customer's number, so that a search only
 * reads the customer's part of the index that all photos share: `7:paris` is a word, `7#12` a tag, `7@FR` a country, `7~paris` a word of the
 * place's names and `7^nikkor` one of the lens's. Tags are stored by id, so renaming one touches no photo. A word of a script without
 * spaces is stored as its pairs of characters, which overlap, with their positions: `7:東京`, `7:京都` and `7:都`.
 */
export function searchVector(photo: Pick<Photo, 'customerId' | 'filename' | 'place' | 'camera'> & FieldValues): string {
  const { customerId, place, camera } = photo;
  const own = [photo.filename, ...searchedValues(photo)];
  const names = place === null ? [] : placeNames(place);
  const texts = { any: [...own, ...names], place: names, lens: [camera?.lens ?? ''] };
  const words = wordKinds.flatMap((kind) =>
    texts[kind].flatMap(searchWords).map((word) => ({ kind, units: wordUnits(word) })),
  );
  // Of all words or of none: Postgres finds nothing by distances where some of the lexemes that begin with a part have no positions.
  const hasPositions = words.some(({ units }) => units.length > 1);
  const lexemes = new Map<string, number[]>();
  let position = 1;
  for (const { kind, units } of words) {
    for (const at of units.keys()) {
      const lexeme = wordLexeme(customerId, kind, partAt(units, at));
      const positions = lexemes.get(lexeme) ?? [];
      if (hasPositions)
        positions.push(position + at < LAST_POSITION - MAX_PART_DISTANCE ? position + at : LAST_POSITION);
      lexemes.set(lexeme, positions);
    }
    // One more, so that no two words are side by side.
    position += units.length + 1;
  }
  if (place !== null) lexemes.set(countryLexeme(customerId, place.country), []);
  return [...lexemes]
    .map(([lexeme, positions]) => `${quoted(lexeme)}${positions.length > 0 ? `:${positions.join()}` : ''}`)
    .join(' ');
}

/** The last position of a tsvector, for all that a longer text has: that is found by its parts, but not by several of them. */
const LAST_POSITION = 16_383;
/** Between two parts of a word: no query asks for a greater one. */
const MAX_PART_DISTANCE = 2;

/** A unit of a word, or two, if both are characters of scripts without spaces. */
function partAt(units: readonly string[], at: number): string {
  return isPairAt(units, at) ? units.slice(at, at + 2).join('') : (units[at] ?? '');
}

function isPairAt(units: readonly string[], at: number): boolean {
  return at >= 0 && at + 1 < units.length && units.slice(at, at + 2).every(isSpaceless);
}

/** SQL: whether a text has a character of a script without spaces, an emoji or one of some others. */
export function isFoundAnywhere(column: string): string {
  return `${column} ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]'`;
}

/** Which words: all that are searched, those of the place's names, or those of the lens's. */
export type WordKind = keyof typeof marks;

const marks = { any: ':', place: '~', lens: '^' } as const;
const wordKinds = ['any', 'place', 'lens'] as const satisfies readonly WordKind[];

export function tagLexeme(customerId: Id, tagId: Id): string {
  return `${customerId}#${tagId}`;
}

/** SQL: an array of the lexemes of tags of the customer `$1`. @param rows What follows FROM; they have a `tag_id`. */
export function tagLexemesFrom(rows: string): string {
  return `ARRAY(SELECT concat($1::bigint, '#', tag_id) FROM ${rows})`;
}

function countryLexeme(customerId: Id, country: string): string {
  return `${customerId}@${country}`;
}

/** A query for photos whose words of this kind have each of these (`hasWord`). */
export function wordsQuery(customerId: Id, kind: WordKind, words: readonly string[]): string {
  return words.map((word) => wordQuery(word, (part) => quoted(wordLexeme(customerId, kind, part)))).join(' & ');
}

/** The parts of the word at their distances. */
function wordQuery(word: string, lexeme: (part: string) => string): string {
  const units = wordUnits(word);
  const starts: number[] = [];
  for (let at = 0; at < units.length; at += isPairAt(units, at) ? MAX_PART_DISTANCE : 1) {
    // A character that remains at the end is found by the pair that it ends.
    starts.push(at === units.length - 1 && isPairAt(units, at - 1) ? at - 1 : at);
  }
  const parts = starts.map((at) => {
    const isBeginning = starts.length === 1 || at === units.length - 1;
    return `${lexeme(partAt(units, at))}${isBeginning ? ':*' : ''}`;
  });
  const [first = '', ...others] = parts;
  if (others.length === 0) return first;
  const phrase = others.map((part, i) => ` <${(starts[i + 1] ?? 0) - (starts[i] ?? 0)}> ${part}`);
  return `(${first}${phrase.join('')})`;
}

/** A query for photos of a country. */
export function countryQuery(customerId: Id, country: string): string {
  return quoted(countryLexeme(customerId, country));
}

/** A query for photos whose own words have each of the words, or that have one of the tags found for it. */
export function searchQuery(customerId: Id, words: readonly { word: string; tagIds: readonly Id[] }[]): string {
  return words
    .map(({ word, tagIds }) => {
      const inText = wordsQuery(customerId, 'any', [word]);
      return `(${[inText, ...tagIds.map((id) => quoted(tagLexeme(customerId, id)))].join(' | ')})`;
    })
    .join(' & ');
}

function wordLexeme(customerId: Id, kind: WordKind, word: string): string {
  return `${customerId}${marks[kind]}${truncate(word, MAX_WORD)}`;
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
