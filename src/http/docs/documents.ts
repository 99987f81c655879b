import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { root } from './guides.js';
import { type ApiDocument, type Reference, referenceOf } from './reference/reference.js';

/** A file that is the same for everyone, with its strong tag. */
export interface PublicFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly entityTag: string;
}

const own = new URL('./assets/', import.meta.url);

export const assetNames = ['search.js', 'tabs.js', 'try-it.js', 'docs.css', 'reference.css'] as const;
export type AssetName = (typeof assetNames)[number];

/** Everything is read on first request: a service that only serves the API keeps none of it in memory. */
const read = new Map<string, PublicFile>();

/** What makes the document is loaded when somebody asks for it: no start of the service waits for it. */
export async function openApiFile(basePath = ''): Promise<PublicFile> {
  const { openApiText } = await import('../openapi/document.js');
  return documentFile(`${basePath}/openapi.json`, (version) => openApiText(version, basePath));
}

/** The same for the operator API. */
export async function operatorOpenApiFile(basePath = ''): Promise<PublicFile> {
  const { operatorOpenApiText } = await import('../openapi/document.js');
  return documentFile(`${basePath}/operator/openapi.json`, (version) => operatorOpenApiText(version, basePath));
}

function documentFile(name: string, text: (version: string) => string): PublicFile {
  return once(name, 'application/json; charset=utf-8', () => {
    const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
    return Buffer.from(text(version));
  });
}

export function assetFile(name: string): PublicFile | undefined {
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  if (!assetNames.some((one) => one === name)) return undefined;
  return once(name, type, () => readFileSync(new URL(name, own)));
}

/** What pages search in: made from the same content as they are. */
export async function searchFile(): Promise<PublicFile> {
  const [all, { searchEntries }] = await Promise.all([references(), import('./search-entries.js')]);
  return once('search.json', 'application/json; charset=utf-8', () => Buffer.from(JSON.stringify(searchEntries(all))));
}

let made: readonly Reference[] | undefined;

/** Both APIs as pages show them. Kept from the first request for any page on: making them takes longer than all the rest of a page. */
export async function references(): Promise<readonly Reference[]> {
  made ??= await makeReferences();
  return made;
}

async function makeReferences(): Promise<readonly Reference[]> {
  const [api, operator] = await Promise.all([openApiFile(), operatorOpenApiFile()]);
  const read = ({ bytes }: PublicFile) => JSON.parse(bytes.toString()) as ApiDocument;
  const places = { title: 'API reference', url: '/docs', folder: '/docs/reference', file: '/openapi.json' };
  const ofOperator = {
    title: 'Operator API',
    url: '/docs/operator',
    folder: '/docs/operator',
    file: null,
  };
  return [referenceOf(read(api), places), referenceOf(read(operator), ofOperator)];
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

function once(name: string, type: string, make: () => Buffer): PublicFile {
  const known = read.get(name);
  if (known) return known;
  const bytes = make();
  const entityTag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  const file = { type, bytes, entityTag };
  read.set(name, file);
  return file;
}
