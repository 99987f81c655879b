import type { ComponentChildren } from 'preact';
import { type AssetName, assetUrl } from './documents.js';
import { guideGroups, guideTitle } from './guides.js';

interface LayoutProps {
  readonly title: string;
  /** The address in the side bar that is shown as the current one. */
  readonly here: string;
  /** Whether the content is the reader, which has a style and scripts of its own and no dark colours. */
  readonly isReader?: boolean;
  readonly children: ComponentChildren;
}

const reader: { readonly styles: readonly AssetName[]; readonly scripts: readonly AssetName[] } = {
  styles: ['swagger-ui.css'],
  scripts: ['swagger-ui-bundle.js', 'reader.js'],
};

/** A page of the documentation: a search, a side bar with every page, and the content. Everything but the search works without scripts. */
export function Layout({ title, here, isReader = false, children }: LayoutProps) {
  const styles = [...(isReader ? reader.styles : []), 'docs.css'] as const;
  const scripts = ['search.js', ...(isReader ? reader.scripts : [])] as const;
  return (
    <html lang="en" class={isReader ? 'reader' : undefined}>
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
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <a class="brand" href="/docs">
            Photo Service
          </a>
          <search hidden>
            <label for="search">Search</label>
            <input id="search" type="search" autocomplete="off" placeholder="Search the documentation" />
            <p class="unseen" role="status" id="found" />
            <ol id="results" hidden />
          </search>
          <a class="to-contents" href="#contents">
            Contents
          </a>
        </header>
        <main id="content">{children}</main>
        <nav id="contents" aria-label="Documentation">
          <Group title="Reference">
            <Entry href="/docs" here={here} title="API reference" />
            <Entry href="/docs/errors" here={here} title="Error codes" />
            <Entry href="/docs/guides" here={here} title="All guides" />
          </Group>
          {guideGroups.map(({ title: name, names }) => (
            <Group key={name} title={name}>
              {names.map((guide) => (
                <Entry key={guide} href={`/docs/guides/${guide}`} here={here} title={guideTitle(guide)} />
              ))}
            </Group>
          ))}
        </nav>
      </body>
    </html>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

function Entry({ href, here, title }: { href: string; here: string; title: string }) {
  return (
    <li>
      <a href={href} aria-current={href === here ? 'page' : undefined}>
        {title}
      </a>
    </li>
  );
}
