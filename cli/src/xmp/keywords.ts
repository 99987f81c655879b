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
 * levels of a path as keywords of their own as well; those are no further tags. Notes of darktable to itself stay in the document.
 */
export function takeKeywords(xmp: Xmp): string[] {
  const all: string[][] = [];
  const internal: string[][] = [];
  for (const { uri, local, separator } of HIERARCHIES) {
    const written = xmp.list(uri, local).map((text) => ({ text, levels: levelsOf(text, separator) }));
    const kept = written.filter(({ levels }) => isInternal(levels));
    xmp.setList(
      uri,
      local,
      kept.map(({ text }) => text),
    );
    all.push(...written.map(({ levels }) => levels));
    internal.push(...kept.map(({ levels }) => levels));
  }
  const paths = all.filter((levels) => !isInternal(levels));
  const flat = xmp.list(ns.dc, 'subject');
  const ours = new Set(paths.flat());
  const theirs = new Set(internal.flat());
  xmp.setList(
    ns.dc,
    'subject',
    flat.filter((keyword) => theirs.has(keyword) && !ours.has(keyword)),
  );
  const alone = flat.filter((keyword) => !ours.has(keyword) && !theirs.has(keyword));
  return [...new Set([...paths.map((path) => path.join('/')), ...alone])];
}

function levelsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((level) => level.trim())
    .filter((level) => level !== '');
}

/** Whether it is one of darktable's tags for itself, such as `darktable|changed` and `darktable|format|orf`. */
function isInternal([first, ...rest]: readonly string[]): boolean {
  return first === 'darktable' && rest.length > 0;
}

/** Writes tags as keywords: flat, and where at least one is a path, as hierarchies too, beside those that `takeKeywords` left. */
export function setKeywords(xmp: Xmp, tags: readonly string[]): void {
  const isHierarchical = tags.some(isPath) || HIERARCHIES.some(({ uri, local }) => xmp.get(uri, local) !== undefined);
  const hierarchy = isHierarchical ? tags.filter((tag) => isPath(tag) || !tag.includes('/')) : [];
  const add = (uri: string, local: string, values: readonly string[]) =>
    xmp.setList(uri, local, [...new Set([...values, ...xmp.list(uri, local)])]);
  add(ns.dc, 'subject', tags);
  // All of them: a keyword beside a path would be taken for a level of it.
  add(ns.digiKam, 'TagsList', hierarchy);
  const unambiguous = hierarchy.filter((tag) => !tag.includes('|'));
  add(
    ns.lr,
    'hierarchicalSubject',
    unambiguous.map((tag) => tag.replaceAll('/', '|')),
  );
}

function isPath(tag: string): boolean {
  const levels = tag.split('/');
  return levels.length > 1 && levels.every((level) => level !== '' && level === level.trim());
}
