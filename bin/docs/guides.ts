import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The guides under /docs/guides, in groups and in the order of reading. */
const groups = {
  Begin: ['quick-start', 'importing', 'delivery', 'sync', 'webhooks', 'agents', 'testing'],
  'The API in depth': [
    'errors',
    'rate-limits',
    'cursors',
    'time-zones',
    'caching',
    'events',
    'operator-api',
    'sdk',
    'versioning',
    'api-changelog',
  ],
  Operate: [
    'self-hosting',
    'operations',
    'upgrading',
    'settings',
    'single-sign-on',
    'capacity',
    'reliability',
    'threat-model',
  ],
  'The program': ['architecture', 'core', 'adapters', 'recipes', 'glossary', 'compared'],
} as const;

export type GuideName = (typeof groups)[keyof typeof groups][number];

/** Each with its heading in the side bar. */
export const guideGroups = Object.entries(groups).map(([title, names]: [string, readonly GuideName[]]) => ({
  title,
  names,
}));
export const guideNames = guideGroups.flatMap(({ names }) => names);
const texts = new Map(guideNames.map((name) => [name, readFileSync(new URL(guideFile(name), root), 'utf8')]));

/** The file of a guide: in the folder of guides, or in `docs` if it is read in the repository as much. */
export function guideFile(name: GuideName): string {
  return [`docs/guides/${name}.md`, `docs/${name}.md`].find((file) => existsSync(new URL(file, root))) ?? '';
}

export function guideText(name: GuideName): string {
  return texts.get(name) ?? '';
}

export function guideTitle(name: GuideName): string {
  return /^# (.+)$/m.exec(guideText(name))?.[1] ?? name;
}

/** Where a link of a guide leads on the pages: to another guide by its file's name; null for files that are only in the repository. */
export function linkTarget(href: string): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const name = file.replace(/^.*\//, '').replace(/\.md$/, '');
  const isGuide = file.endsWith('.md') && guideNames.some((each) => each === name);
  return isGuide ? `/docs/guides/${name}${anchor ? `#${anchor}` : ''}` : null;
}
