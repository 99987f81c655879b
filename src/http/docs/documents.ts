import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file that is the same for everyone, with its strong tag. */
export interface PublicFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly entityTag: string;
}

const root = new URL('../../../', import.meta.url);
const own = new URL('./assets/', import.meta.url);

/** The reader is Swagger UI, from its package. */
const reader = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const;
const ours = ['reader.js', 'docs.css'] as const;
export type AssetName = (typeof reader)[number] | (typeof ours)[number];

/** The guides under /docs/guides, in the order of reading; each with its file. */
const guideFiles = {
  'quick-start': 'docs/guides/quick-start.md',
  importing: 'docs/guides/importing.md',
  delivery: 'docs/guides/delivery.md',
  'operator-api': 'docs/guides/operator-api.md',
  agents: 'docs/guides/agents.md',
  versioning: 'docs/guides/versioning.md',
  sync: 'docs/guides/sync.md',
  errors: 'docs/guides/errors.md',
  'rate-limits': 'docs/guides/rate-limits.md',
  cursors: 'docs/guides/cursors.md',
  'time-zones': 'docs/guides/time-zones.md',
  webhooks: 'docs/webhooks.md',
  caching: 'docs/guides/caching.md',
  'single-sign-on': 'docs/guides/single-sign-on.md',
  'self-hosting': 'docs/guides/self-hosting.md',
  operations: 'docs/operations.md',
} as const;
export type GuideName = keyof typeof guideFiles;
export const guideNames = Object.keys(guideFiles) as readonly GuideName[];

/** Everything is read on first request: a service that only serves the API keeps none of it in memory. */
const read = new Map<string, PublicFile>();

/** What makes the document is loaded when somebody asks for it: no start of the service waits for it. */
export async function openApiFile(): Promise<PublicFile> {
  const { openApiText } = await import('../openapi/document.js');
  return documentFile('openapi.json', openApiText);
}

/** The same for the operator API. */
export async function operatorOpenApiFile(): Promise<PublicFile> {
  const { operatorOpenApiText } = await import('../openapi/document.js');
  return documentFile('openapi-operator.json', operatorOpenApiText);
}

function documentFile(name: string, text: (version: string) => string): PublicFile {
  return once(name, 'application/json; charset=utf-8', () => {
    const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
    return Buffer.from(text(version));
  });
}

export function assetFile(name: string): PublicFile | undefined {
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  if (ours.some((one) => one === name)) return once(name, type, () => readFileSync(new URL(name, own)));
  if (!reader.some((one) => one === name)) return undefined;
  const require = createRequire(import.meta.url);
  return once(name, type, () => readFileSync(require.resolve(`swagger-ui-dist/${name}`)));
}

/** Different bytes get a different address, so browsers may cache it indefinitely. */
export function assetUrl(name: AssetName): string {
  const tag = assetFile(name)?.entityTag.slice(1, 13) ?? '';
  return `/docs/assets/${tag}/${name}`;
}

/** A page made from content that never changes while the process runs. */
export function pageFile(name: string, make: () => string): PublicFile {
  return once(name, 'text/html; charset=utf-8', () => Buffer.from(`<!doctype html>${make()}`));
}

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(guideFiles, name);
}

/** Its Markdown. */
export function guideText(name: GuideName): string {
  return readFileSync(new URL(guideFiles[name], root), 'utf8');
}

/** Its first heading. */
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
  return file.endsWith('.md') && isGuide(name) ? `/docs/guides/${name}${anchor ? `#${anchor}` : ''}` : null;
}

function once(name: string, type: string, make: () => Buffer): PublicFile {
  const known = read.get(name);
  if (known) return known;
  const bytes = make();
  const entityTag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  const file = { type, bytes, entityTag };
  read.set(name, file);
  return file;
}
