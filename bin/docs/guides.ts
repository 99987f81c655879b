import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The guides under /docs/guides, in groups and in the order of reading; each with its file. */
const groups = {
  Begin: {
    'quick-start': 'docs/guides/quick-start.md',
    importing: 'docs/guides/importing.md',
    delivery: 'docs/guides/delivery.md',
    sync: 'docs/guides/sync.md',
    webhooks: 'docs/webhooks.md',
    agents: 'docs/guides/agents.md',
    testing: 'docs/guides/testing.md',
  },
  'The API in depth': {
    errors: 'docs/guides/errors.md',
    'rate-limits': 'docs/guides/rate-limits.md',
    cursors: 'docs/guides/cursors.md',
    'time-zones': 'docs/guides/time-zones.md',
    caching: 'docs/guides/caching.md',
    events: 'docs/events.md',
    'operator-api': 'docs/guides/operator-api.md',
    sdk: 'docs/sdk.md',
    versioning: 'docs/guides/versioning.md',
    'api-changelog': 'docs/api-changelog.md',
  },
  Operate: {
    'self-hosting': 'docs/guides/self-hosting.md',
    operations: 'docs/operations.md',
    upgrading: 'docs/upgrading.md',
    settings: 'docs/settings.md',
    'single-sign-on': 'docs/guides/single-sign-on.md',
    capacity: 'docs/capacity.md',
    reliability: 'docs/reliability.md',
    'threat-model': 'docs/threat-model.md',
  },
  'The program': {
    architecture: 'docs/architecture.md',
    core: 'docs/core.md',
    adapters: 'docs/adapters.md',
    recipes: 'docs/recipes.md',
    glossary: 'docs/glossary.md',
    compared: 'docs/compared.md',
  },
} as const;

type NamesOf<Files> = Files extends object ? keyof Files : never;
export type GuideName = NamesOf<(typeof groups)[keyof typeof groups]>;

/** Each with its heading in the side bar. */
export const guideGroups = Object.entries(groups).map(([title, files]) => ({
  title,
  names: Object.keys(files) as readonly GuideName[],
}));
export const guideNames = guideGroups.flatMap(({ names }) => names);
const files = Object.assign({}, ...Object.values(groups)) as Readonly<Record<GuideName, string>>;

export function guideFile(name: GuideName): string {
  return files[name];
}

const texts = new Map(guideNames.map((name) => [name, readFileSync(new URL(files[name], root), 'utf8')]));

export function guideText(name: GuideName): string {
  return texts.get(name) ?? '';
}

export function guideTitle(name: GuideName): string {
  return /^# (.+)$/m.exec(guideText(name))?.[1] ?? name;
}

/** The first sentence after its first heading, in Markdown; empty if another heading comes first. */
export function guideSummary(name: GuideName): string {
  return /^# .+\n\n(?!#)([\s\S]+?\.)(?=\s)/.exec(guideText(name))?.[1] ?? '';
}

/** Where a link of a guide leads on the pages: to another guide by its file's name; null for files that are only in the repository. */
export function linkTarget(href: string): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const name = file.replace(/^.*\//, '').replace(/\.md$/, '');
  const isGuide = file.endsWith('.md') && Object.hasOwn(files, name);
  return isGuide ? `/docs/guides/${name}${anchor ? `#${anchor}` : ''}` : null;
}
