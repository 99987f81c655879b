import { renderToString } from 'preact-render-to-string';
import { type GuideName, guideGroups, guideSummary, guideText, guideTitle } from './guides.js';
import { Layout } from './layout.js';
import { Markdown } from './markdown.js';
import type { Reference } from './reference/reference.js';

export function guidePage(name: GuideName, references: readonly Reference[]): string {
  return renderToString(
    <Layout title={guideTitle(name)} here={`/docs/guides/${name}`} references={references}>
      <Markdown text={guideText(name)} />
    </Layout>,
  );
}

/** All guides, in the order of reading. */
export function guidesPage(references: readonly Reference[]): string {
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
