import { renderToString } from 'preact-render-to-string';
import { type GuideName, guideGroups, guideSummary, guideText, guideTitle } from './guides.js';
import { Layout } from './layout.js';
import { Markdown } from './markdown.js';

/** The reader of openapi.json. */
export function readerPage(): string {
  return renderToString(
    <Layout title="API" here="/docs" isReader>
      <div id="reader">
        <p>
          The whole contract is in <a href="/openapi.json">openapi.json</a>; this page reads it out with JavaScript.
        </p>
      </div>
    </Layout>,
  );
}

export function guidePage(name: GuideName): string {
  return renderToString(
    <Layout title={guideTitle(name)} here={`/docs/guides/${name}`}>
      <Markdown text={guideText(name)} />
    </Layout>,
  );
}

/** All guides, in the order of reading. */
export function guidesPage(): string {
  return renderToString(
    <Layout title="Guides" here="/docs/guides">
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
