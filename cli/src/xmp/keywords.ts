import { ns, type Xmp } from './xmp.js';

/** Where programs write keywords with their place in a hierarchy, and what separates its levels. */
const HIERARCHIES = [
  { uri: ns.lr, local: 'hierarchicalSubject', separator: '|' },
  { uri: ns.digiKam, local: 'TagsList', separator: '/' },
  { uri: ns.MicrosoftPhoto, local: 'LastKeywordXMP', separator: '/' },
  { uri: ns.mediapro, local: 'CatalogSets', separator: '|' },
] as const;

/**
 * Takes the keywords out of a document, as tags. One in a hierarchy becomes a tag that is its path, `Places/France/Paris`. Programs list the
 * levels of a path as keywords of their own as well; those are no further tags.
 */
export function takeKeywords(xmp: Xmp): string[] {
  const paths = HIERARCHIES.flatMap(({ uri, local, separator }) =>
    xmp.list(uri, local).map((text) =>
      text
        .split(separator)
        .map((level) => level.trim())
        .filter((level) => level !== ''),
    ),
  );
  const flat = xmp.list(ns.dc, 'subject');
  for (const { uri, local } of [...HIERARCHIES, { uri: ns.dc, local: 'subject' }]) xmp.remove(uri, local);
  const levels = new Set(paths.flat());
  const tags = [...paths.map((path) => path.join('/')), ...flat.filter((keyword) => !levels.has(keyword))];
  return [...new Set(tags)];
}

/** Writes tags as keywords: flat, and where at least one is a path, as hierarchies too. */
export function setKeywords(xmp: Xmp, tags: readonly string[]): void {
  xmp.setList(ns.dc, 'subject', tags);
  const hierarchy = tags.some(isPath) ? tags.filter((tag) => isPath(tag) || !tag.includes('/')) : [];
  // All of them: a keyword beside a path would be taken for a level of it.
  xmp.setList(ns.digiKam, 'TagsList', hierarchy);
  const unambiguous = hierarchy.filter((tag) => !tag.includes('|'));
  xmp.setList(
    ns.lr,
    'hierarchicalSubject',
    unambiguous.map((tag) => tag.replaceAll('/', '|')),
  );
}

function isPath(tag: string): boolean {
  const levels = tag.split('/');
  return levels.length > 1 && levels.every((level) => level !== '' && level === level.trim());
}
