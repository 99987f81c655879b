import 'reflect-metadata';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderToString } from 'preact-render-to-string';
import { type ErrorCode, errorCodes } from '../../src/core/shared/errors.js';
import { retryAfter, statusOfCode } from '../../src/http/status-of-code.js';
import { guideGroups, guideNames, guideText, guideTitle } from './guides.js';
import { assetNames, assetText, assetUrl, Layout } from './layout.js';
import { Inline, Markdown, sectionsOf } from './markdown.js';
import { openApiDocument, operatorOpenApiDocument } from './openapi/apis.js';
import { documentText } from './openapi/document.js';
import { errorMeanings } from './openapi/errors.js';
import { type Reference, referenceOf } from './reference.js';
import { overviewPage, resourcePage } from './reference-pages.js';

// Writes the documentation as files, for any web server: what is asked for by a folder's name is its index.html.
// The build starts it (bin/build.js): node site.js FOLDER
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const [api, operatorApi] = [documentText(openApiDocument(version)), documentText(operatorOpenApiDocument(version))];
const references = [
  referenceOf(JSON.parse(api), 'API reference', { url: '/docs', folder: '/docs/reference', file: '/openapi.json' }),
  referenceOf(JSON.parse(operatorApi), 'Operator API', { url: '/docs/operator', folder: '/docs/operator', file: null }),
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

/** The places that a search can lead to: the operations of both APIs, the error codes, and each section of the guides. */
function searchEntries(all: readonly Reference[]) {
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

function allPages(all: readonly Reference[]): ReadonlyMap<string, string> {
  return new Map([
    ...all.flatMap((reference) => [
      [reference.url, overviewPage(reference, all)] as const,
      ...reference.resources.map((each) => [each.url, resourcePage(each, reference, all)] as const),
    ]),
    ['/docs/guides', guidesPage(all)],
    ...guideNames.map((name) => {
      const page = (
        <Layout title={guideTitle(name)} here={`/docs/guides/${name}`} references={all}>
          <Markdown text={guideText(name)} />
        </Layout>
      );
      return [`/docs/guides/${name}`, renderToString(page)] as const;
    }),
    ['/docs/errors', errorsPage(all)],
    ...errorCodes.map((code) => [`/docs/errors/${code}`, errorPage(code, all)] as const),
  ]);
}

function guidesPage(references: readonly Reference[]): string {
  return renderToString(
    <Layout title="Guides" here="/docs/guides" references={references}>
      <h1>Guides</h1>
      <p>
        What to read beside <a href="/docs">the reference of the API</a>.
      </p>
      {guideGroups.map(({ title, names }) => (
        <section key={title}>
          <h2>{title}</h2>
          <dl>
            {names.map((name) => (
              <div key={name}>
                <dt>
                  <a href={`/docs/guides/${name}`}>{guideTitle(name)}</a>
                </dt>
                <dd>
                  {/* The first sentence after its first heading; nothing if another heading comes first. */}
                  <Markdown text={/^# .+\n\n(?!#)([\s\S]+?\.)(?=\s)/.exec(guideText(name))?.[1] ?? ''} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Layout>,
  );
}

function errorsPage(references: readonly Reference[]): string {
  return renderToString(
    <Layout title="Error codes" here="/docs/errors" references={references}>
      <h1>Error codes</h1>
      <p>
        Every value of <code>error.code</code>, with the HTTP status that it always has.{' '}
        <a href="/docs/guides/errors">Errors and retries</a> shows the shape of an error, and code that handles it.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {errorCodes.map((code) => (
            <tr key={code}>
              <td>
                <a href={`/docs/errors/${code}`}>
                  <code>{code}</code>
                </a>
              </td>
              <td>{statusOfCode[code]}</td>
              <td>
                <Inline text={sentence(errorMeanings[code])} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Layout>,
  );
}

/** One code: what it means, what to do, and where it occurs. */
function errorPage(code: ErrorCode, references: readonly Reference[]): string {
  const operations = references.flatMap(({ resources }) => resources.flatMap((resource) => resource.operations));
  const where = operations.filter(({ codes, isEvent }) => !isEvent && codes.includes(code));
  const error = { code, message: '…', requestId: 'req_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C' };
  return renderToString(
    <Layout title={code} here="/docs/errors" references={references}>
      <h1>
        <code>{code}</code>
      </h1>
      <Markdown text={`HTTP status ${statusOfCode[code]}. ${sentence(errorMeanings[code])}`} />
      <h2 id="what-to-do">What to do</h2>
      <Markdown text={adviceOn(code)} />
      <h2 id="shape">Shape</h2>
      <pre>
        <code>{JSON.stringify({ error }, null, 2)}</code>
      </pre>
      <h2 id="where">Where it occurs</h2>
      {where.length === 0 ? (
        <p>At any address of the API, so no operation lists it.</p>
      ) : (
        <ul>
          {where.map(({ method, path, operation, url }) => (
            <li key={url}>
              <a href={url}>{operation.summary}</a>: <code>{`${method} ${path}`}</code>
            </li>
          ))}
        </ul>
      )}
    </Layout>,
  );
}

function adviceOn(code: ErrorCode): string {
  const status = statusOfCode[code];
  if (code in retryAfter) return 'Send the same request again after `Retry-After`.';
  if (status >= 500) return 'Send the same request again, with growing pauses.';
  if (code === 'size_mismatch' || code === 'checksum_mismatch')
    return 'Read the file again, and send its bytes to the same URL.';
  if (status === 412) return 'Read the resource again, then decide whether the change is still wanted.';
  if (status === 409) return 'The current state does not allow the request: read the resource, then decide.';
  return 'Do not repeat the request as it is: change it, the key or its scopes.';
}

function sentence(meaning: string): string {
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`.replace(/\.\.$/, '.');
}
