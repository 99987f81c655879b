import { assetFile, assetNames, assetUrl, openApiFile, operatorOpenApiFile, searchFile } from './documents.js';
import { docsPage, pagePaths } from './pages.js';

/** The documentation as files, for any web server: what is asked for by a folder's name is its index.html. */
export async function* siteFiles(): AsyncGenerator<{ readonly path: string; readonly bytes: Uint8Array }> {
  for (const path of await pagePaths()) {
    const page = await docsPage(path);
    if (page !== null) yield { path: ['docs', path, 'index.html'].filter(Boolean).join('/'), bytes: page.bytes };
  }
  for (const name of assetNames) {
    const asset = assetFile(name);
    if (asset !== undefined) yield { path: assetUrl(name).slice(1), bytes: asset.bytes };
  }
  yield { path: 'docs/search.json', bytes: (await searchFile()).bytes };
  yield { path: 'openapi.json', bytes: (await openApiFile()).bytes };
  yield { path: 'openapi-operator.json', bytes: (await operatorOpenApiFile()).bytes };
}
