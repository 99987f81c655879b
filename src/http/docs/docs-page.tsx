import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type AssetName, assetUrl, type GuideName, guideNames, guideText, guideTitle } from './documents.js';
import { Markdown } from './markdown.js';

/** The reader of openapi.json. */
export function readerPage(): string {
  return renderToString(
    <Layout
      title="API"
      here={null}
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

interface LayoutProps {
  readonly title: string;
  /** The guide that is shown. */
  readonly here: GuideName | null;
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
            <a class="brand" href="/docs" aria-current={here === null ? 'page' : undefined}>
              Photo Service
            </a>
            <ul>
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
