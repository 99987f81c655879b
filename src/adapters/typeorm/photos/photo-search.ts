import type { Photo } from '../../../core/photos/photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { searchWords, truncate } from '../../../core/shared/text.js';

/** A lexeme may have 2,046 bytes; a character has at most 4, and the customer's number comes first. */
const MAX_WORD = 500;

/**
 * The lexemes of one photo begin with its customer's number, so that a search only reads the customer's part of the index that all photos
 * share: `7:paris` is a word, `7#12` a tag. Tags are stored by id, so renaming one touches no photo.
 */
export function wordLexemes(photo: Pick<Photo, 'customerId' | 'filename' | 'title' | 'description'>): string[] {
  const words = [photo.filename, photo.title, photo.description].flatMap((part) => searchWords(part ?? ''));
  return [...new Set(words.map((word) => wordLexeme(photo.customerId, word)))];
}

export function tagLexeme(customerId: Id, tagId: Id): string {
  return `${customerId}#${tagId}`;
}

/** A query for photos in which every word is a prefix of one of the photo's own words, or of the name of one of the tags found for it. */
export function searchQuery(customerId: Id, words: readonly { word: string; tagIds: readonly Id[] }[]): string {
  return words
    .map(({ word, tagIds }) => {
      const inText = `${quoted(wordLexeme(customerId, word))}:*`;
      return `(${[inText, ...tagIds.map((id) => quoted(tagLexeme(customerId, id)))].join(' | ')})`;
    })
    .join(' & ');
}

function wordLexeme(customerId: Id, word: string): string {
  return `${customerId}:${truncate(word, MAX_WORD)}`;
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
