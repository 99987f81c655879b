import { errorMeanings } from '../../api/openapi/errors.js';
import { errorCodes } from '../../core/shared/errors.js';
import { guideNames, guideText, guideTitle } from './guides.js';
import { anchorOf, blocksOf } from './markdown.js';
import type { Reference } from './reference/reference.js';

/** One place that a search can lead to. */
export interface SearchEntry {
  readonly title: string;
  /** Where it is: the guide, or what kind of thing it is. */
  readonly place: string;
  readonly url: string;
  readonly text: string;
}

/** The operations of both APIs, the error codes, and each section of the guides. */
export function searchEntries(references: readonly Reference[]): readonly SearchEntry[] {
  const all = references.flatMap(({ resources }) => resources.flatMap((resource) => resource.operations));
  const operations = all.map(({ method, path, isEvent, operation: { summary, description }, url }) => ({
    title: summary,
    place: isEvent ? path : `${method} ${path}`,
    url,
    text: description,
  }));
  const errors = errorCodes.map((code) => {
    return { title: code, place: 'Error code', url: `/docs/errors/${code}`, text: errorMeanings[code] };
  });
  return [...operations, ...errors, ...guideNames.flatMap(sectionsOf)];
}

function sectionsOf(name: (typeof guideNames)[number]): SearchEntry[] {
  const place = guideTitle(name);
  const sections: SearchEntry[] = [];
  for (const block of blocksOf(guideText(name))) {
    if (block.kind === 'heading') {
      const anchor = block.level === 1 ? '' : `#${anchorOf(block.text)}`;
      sections.push({ title: plain(block.text), place, url: `/docs/guides/${name}${anchor}`, text: '' });
      continue;
    }
    const section = sections.pop();
    if (section) sections.push({ ...section, text: `${section.text} ${textOf(block)}`.trim() });
  }
  return sections;
}

function textOf(block: Exclude<ReturnType<typeof blocksOf>[number], { kind: 'heading' }>): string {
  if (block.kind === 'code') return block.text;
  if (block.kind === 'paragraph') return plain(block.text);
  return plain((block.kind === 'list' ? block.items : block.rows.flat()).join(' '));
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replace(/\[([^[\]]+)\]\([^()]*\)/g, '$1').replace(/[`*]/g, '');
}
