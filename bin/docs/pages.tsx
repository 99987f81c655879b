import { renderToString } from 'preact-render-to-string';
import { type ErrorCode, errorCodes } from '../../src/core/shared/errors.js';
import { retryAfter, statusOfCode } from '../../src/http/status-of-code.js';
import { type GuideName, guideGroups, guideNames, guideSummary, guideText, guideTitle } from './guides.js';
import { Layout } from './layout.js';
import { Inline, Markdown } from './markdown.js';
import { errorMeanings } from './openapi/errors.js';
import type { Reference } from './reference.js';
import { overviewPage, resourcePage } from './reference-pages.js';

/** Every page by its address. */
export function allPages(all: readonly Reference[]): ReadonlyMap<string, string> {
  return new Map([
    ...all.flatMap((reference) => [
      [reference.url, overviewPage(reference, all)] as const,
      ...reference.resources.map((each) => [each.url, resourcePage(each, reference, all)] as const),
    ]),
    ['/docs/guides', guidesPage(all)],
    ...guideNames.map((name) => [`/docs/guides/${name}`, guidePage(name, all)] as const),
    ['/docs/errors', errorsPage(all)],
    ...errorCodes.map((code) => [`/docs/errors/${code}`, errorPage(code, all)] as const),
  ]);
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

/** All error codes. */
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
