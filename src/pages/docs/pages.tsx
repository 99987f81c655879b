import { renderToString } from 'preact-render-to-string';
import { errorMeanings } from '../../api/openapi/errors.js';
import { type ErrorCode, errorCodes } from '../../core/shared/errors.js';
import type { PublicFile } from '../../http/responses/send-public.js';
import { retryAfter, statusOfCode } from '../../http/status-of-code.js';
import { pageFile, references } from './documents.js';
import { type GuideName, guideGroups, guideNames, guideSummary, guideText, guideTitle, isGuide } from './guides.js';
import { Layout } from './layout.js';
import { inline, Markdown } from './markdown.js';
import type { Reference } from './reference/reference.js';

/** Every page under /docs, by what follows that. */
export async function pagePaths(): Promise<readonly string[]> {
  const all = await references();
  return [
    '',
    ...all
      .flatMap(({ url, resources }) => [url, ...resources.map((each) => each.url)])
      .map(pathOf)
      .filter(Boolean),
    'guides',
    ...guideNames.map((name) => `guides/${name}`),
    'errors',
    ...errorCodes.map((code) => `errors/${code}`),
  ];
}

function pathOf(url: string): string {
  return url.replace(/^\/docs\/?/, '');
}

/** A page by its path; null when there is none. It is made when somebody asks for it. */
export async function docsPage(path: string): Promise<PublicFile | null> {
  const [section = '', name] = path.split('/');
  const all = await references();
  if (section === 'errors') return errorsPageAt(name, all);
  if (section !== 'guides') return referencePageAt(path, all);
  if (name === undefined) return pageFile('guides', () => guidesPage(all));
  return isGuide(name) ? pageFile(`guide ${name}`, () => guidePage(name, all)) : null;
}

async function referencePageAt(path: string, all: readonly Reference[]): Promise<PublicFile | null> {
  const { overviewPage, resourcePage } = await import('./reference-pages.js');
  for (const reference of all) {
    if (pathOf(reference.url) === path) return pageFile(`reference ${path}`, () => overviewPage(reference, all));
    const resource = reference.resources.find(({ url }) => pathOf(url) === path);
    if (resource) return pageFile(`reference ${path}`, () => resourcePage(resource, reference, all));
  }
  return null;
}

async function errorsPageAt(code: string | undefined, all: readonly Reference[]): Promise<PublicFile | null> {
  const { errorPage, errorsPage, isErrorCode } = await import('./pages.js');
  if (code === undefined) return pageFile('errors', () => errorsPage(all));
  return isErrorCode(code) ? pageFile(`error ${code}`, () => errorPage(code, all)) : null;
}

function guidePage(name: GuideName, references: readonly Reference[]): string {
  return renderToString(
    <Layout title={guideTitle(name)} here={`/docs/guides/${name}`} references={references}>
      <Markdown text={guideText(name)} />
    </Layout>,
  );
}

/** All guides, in the order of reading. */
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
                  <Markdown text={guideSummary(name)} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Layout>,
  );
}

export function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code);
}

/** All error codes. */
export function errorsPage(references: readonly Reference[]): string {
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
              <td>{inline(sentence(errorMeanings[code]))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Layout>,
  );
}

/** One code: what it means, what to do, and where it occurs. */
export function errorPage(code: ErrorCode, references: readonly Reference[]): string {
  const operations = references.flatMap(({ resources }) => resources.flatMap((resource) => resource.operations));
  const where = operations.filter(({ codes, isEvent }) => !isEvent && codes.includes(code));
  const error = { code, message: '…', requestId: 'req_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C' };
  return renderToString(
    <Layout title={code} here="/docs/errors" references={references}>
      <h1>
        <code>{code}</code>
      </h1>
      <p>
        HTTP status {statusOfCode[code]}. {inline(sentence(errorMeanings[code]))}
      </p>
      <h2 id="what-to-do">What to do</h2>
      <p>{inline(adviceOn(code))}</p>
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
