import { readFileSync } from 'node:fs';
import { type PublicFile, publicFile } from '../responses/send-public.js';
import { type ApiDocument, type Reference, referenceOf } from './reference/reference.js';

const own = new URL('./assets/', import.meta.url);

export const assetNames = ['search.js', 'tabs.js', 'try-it.js', 'docs.css', 'reference.css'] as const;
export type AssetName = (typeof assetNames)[number];

/** What makes a document is loaded when somebody asks for it: no start of the service waits for it. */
export async function openApiFile(basePath = ''): Promise<PublicFile> {
  return (await import('./api-document.js')).apiDocumentFile(basePath);
}

export async function operatorOpenApiFile(): Promise<PublicFile> {
  return (await import('../operator/operator-document.js')).operatorDocumentFile('');
}

export function assetFile(name: string): PublicFile | undefined {
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  if (!assetNames.some((one) => one === name)) return undefined;
  return publicFile(name, type, () => readFileSync(new URL(name, own)));
}

/** What pages search in: made from the same content as they are. */
export async function searchFile(): Promise<PublicFile> {
  const [all, { searchEntries }] = await Promise.all([references(), import('./search-entries.js')]);
  return publicFile('search.json', 'application/json; charset=utf-8', () =>
    Buffer.from(JSON.stringify(searchEntries(all))),
  );
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
  return publicFile(name, 'text/html; charset=utf-8', () => Buffer.from(`<!doctype html>${make()}`));
}
