import type { Photo } from '../../../core/photos/photo.js';
import { placeNames } from '../../../core/photos/place.js';
import type { Id } from '../../../core/shared/ids.js';
import { searchWords, truncate } from '../../../core/shared/text.js';

/** A lexeme may have 2,046 bytes; a character has at most 4, and the customer's number comes first. */
const MAX_WORD = 500;

/**
 * The lexemes of one photo begin with its customer's number, so that a search only reads the customer's part of the index that all photos
 * share: `7:paris` is a word, `7#12` a tag, `7@FR` a country, `7~paris` a word of the place's names and `7^nikkor` one of the lens's. Tags
 * are stored by id, so renaming one touches no photo.
 */
export function wordLexemes(
  photo: Pick<Photo, 'customerId' | 'filename' | 'title' | 'description' | 'place' | 'camera'>,
): string[] {
  const { customerId, place, camera } = photo;
  const names = place === null ? [] : placeNames(place);
  const lexemes = (kind: WordKind, texts: readonly (string | null)[]) =>
    texts.flatMap((part) => searchWords(part ?? '')).map((word) => wordLexeme(customerId, kind, word));
  return [
    ...new Set([
      ...lexemes('any', [photo.filename, photo.title, photo.description, ...names]),
      ...lexemes('place', names),
      ...lexemes('lens', [camera?.lens ?? null]),
      ...(place === null ? [] : [countryLexeme(customerId, place.country)]),
    ]),
  ];
}

/** Which words: all that are searched, those of the place's names, or those of the lens's. */
export type WordKind = keyof typeof marks;

const marks = { any: ':', place: '~', lens: '^' } as const;

export function tagLexeme(customerId: Id, tagId: Id): string {
  return `${customerId}#${tagId}`;
}

function countryLexeme(customerId: Id, country: string): string {
  return `${customerId}@${country}`;
}

/** A query for photos in which every word is a prefix of a word of this kind. */
export function wordsQuery(customerId: Id, kind: WordKind, words: readonly string[]): string {
  return words.map((word) => `${quoted(wordLexeme(customerId, kind, word))}:*`).join(' & ');
}

/** A query for photos of a country. */
export function countryQuery(customerId: Id, country: string): string {
  return quoted(countryLexeme(customerId, country));
}

/** A query for photos in which every word is a prefix of one of the photo's own words, or of the name of one of the tags found for it. */
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
