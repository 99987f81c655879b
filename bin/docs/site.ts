import 'reflect-metadata';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodes } from '../../src/core/shared/errors.js';
import { guideNames, guideText, guideTitle } from './guides.js';
import { assetNames, assetText, assetUrl } from './layout.js';
import { sectionsOf } from './markdown.js';
import { openApiText, operatorOpenApiText } from './openapi/apis.js';
import { errorMeanings } from './openapi/errors.js';
import { allPages } from './pages.js';
import { type Reference, referenceOf } from './reference.js';

// Writes the documentation as files, for any web server: what is asked for by a folder's name is its index.html.
// The build starts it (bin/build/docs.js): node site.js FOLDER
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const [api, operatorApi] = [openApiText(version), operatorOpenApiText(version)];
const references = [
  referenceOf(JSON.parse(api), {
    title: 'API reference',
    url: '/docs',
    folder: '/docs/reference',
    file: '/openapi.json',
  }),
  referenceOf(JSON.parse(operatorApi), {
    title: 'Operator API',
    url: '/docs/operator',
    folder: '/docs/operator',
    file: null,
  }),
];
for (const [url, html] of allPages(references)) write(`${url}/index.html`, `<!doctype html>${html}`);
for (const name of assetNames) write(assetUrl(name), assetText(name));
write('docs/search.json', JSON.stringify(searchEntries(references)));
write('openapi.json', api);
write('openapi-operator.json', operatorApi);

function write(path: string, text: string): void {
  const file = join(String(process.argv[2]), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** One place that a search can lead to. */
interface SearchEntry {
  readonly title: string;
  /** Where it is: the guide, or what kind of thing it is. */
  readonly place: string;
  readonly url: string;
  readonly text: string;
}

/** The operations of both APIs, the error codes, and each section of the guides. */
function searchEntries(all: readonly Reference[]): readonly SearchEntry[] {
  const operations = all.flatMap(({ resources }) => resources.flatMap((resource) => resource.operations));
  return [
    ...operations.map(({ method, path, isEvent, operation: { summary, description }, url }) => ({
      title: summary,
      place: isEvent ? path : `${method} ${path}`,
      url,
      text: description,
    })),
    ...errorCodes.map((code) => {
      return { title: code, place: 'Error code', url: `/docs/errors/${code}`, text: errorMeanings[code] };
    }),
    ...guideNames.flatMap((name) =>
      sectionsOf(guideText(name)).map(({ title, anchor, text }) => {
        return { title, place: guideTitle(name), url: `/docs/guides/${name}${anchor && `#${anchor}`}`, text };
      }),
    ),
  ];
}
