import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import {
  type AssetName,
  assetUrl,
  type GuideName,
  guideNames,
  guideSummary,
  guideText,
  guideTitle,
} from './documents.js';
import { Markdown } from './markdown.js';

/** The reader of openapi.json. */
export function readerPage(): string {
  return renderToString(
    <Layout
      title="API"
      here="reader"
      styles={['swagger-ui.css', 'docs.css']}
      scripts={['swagger-ui-bundle.js', 'reader.js']}
    >
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
    <Layout title={guideTitle(name)} here={name} styles={['docs.css']} scripts={[]}>
      <article>
        <Markdown text={guideText(name)} />
      </article>
    </Layout>,
  );
}

/** All guides, in the order of reading. */
export function guidesPage(): string {
  return renderToString(
    <Layout title="Guides" here="guides" styles={['docs.css']} scripts={[]}>
      <article>
        <h1>Guides</h1>
        <p>
          What to read beside <a href="/docs">the reference of the API</a>.
        </p>
        <dl>
          {guideNames.map((name) => (
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
      </article>
    </Layout>,
  );
}

interface LayoutProps {
  readonly title: string;
  /** The page that is shown: the reader, the index of the guides, or a guide. */
  readonly here: 'reader' | 'guides' | GuideName;
  readonly styles: readonly AssetName[];
  readonly scripts: readonly AssetName[];
  readonly children: ComponentChildren;
}

function Layout({ title, here, styles, scripts, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Photo Service`}</title>
        <link rel="icon" href="data:," />
        {styles.map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(name)} />
        ))}
        {scripts.map((name) => (
          <script key={name} defer src={assetUrl(name)} />
        ))}
      </head>
      <body>
        <header>
          <nav aria-label="Documentation">
            <a class="brand" href="/docs" aria-current={here === 'reader' ? 'page' : undefined}>
              Photo Service
            </a>
            <ul>
              <li>
                <a class="guides" href="/docs/guides" aria-current={here === 'guides' ? 'page' : undefined}>
                  Guides
                </a>
              </li>
              {guideNames.map((name) => (
                <li key={name}>
                  <a href={`/docs/guides/${name}`} aria-current={name === here ? 'page' : undefined}>
                    {guideTitle(name)}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <main>{children}</main>
      </body>
    </html>
  );
}
