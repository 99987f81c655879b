import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ComponentChildren } from 'preact';
import { guideGroups, guideTitle } from './guides.js';
import type { Reference } from './reference.js';

interface LayoutProps {
  readonly title: string;
  /** The address in the side bar that is shown as the current one. */
  readonly here: string;
  /** Whose pages the side bar lists. */
  readonly references: readonly Reference[];
  /** Whether the content has a column of code beside it. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

const styles = ['docs.css', 'reference.css'];
const scripts = ['search.js', 'tabs.js', 'try-it.js'];
export const assetNames = [...styles, ...scripts];

export function assetText(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

/** Returns the address of an asset. Different bytes get a different one, so browsers may cache it indefinitely. */
export function assetUrl(name: string): string {
  return `/docs/assets/${hash('sha256', assetText(name)).slice(0, 12)}/${name}`;
}

/** A page of the documentation: a search, a side bar with every page, and the content. Search and "Try it" need scripts, nothing else does. */
export function Layout({ title, here, references, isWide = false, children }: LayoutProps) {
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
        <main id="content" class={isWide ? 'wide' : undefined}>
          {children}
        </main>
        <nav id="contents" aria-label="Documentation">
          {references.map(({ title: name, url, resources }) => (
            <Group key={url} title={name}>
              <Entry href={url} here={here} title="Overview" />
              {resources.map((resource) => (
                <Entry key={resource.url} href={resource.url} here={here} title={resource.name}>
                  {resource.url === here && (
                    <ul>
                      {resource.operations.map(({ url: place, operation }) => (
                        <Entry key={place} href={place} here={here} title={operation.summary} />
                      ))}
                    </ul>
                  )}
                </Entry>
              ))}
            </Group>
          ))}
          <Group title="All">
            <Entry href="/docs/errors" here={here} title="Error codes" />
            <Entry href="/docs/guides" here={here} title="Guides" />
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

function Entry(props: { href: string; here: string; title: string; children?: ComponentChildren }) {
  const { href, here, title, children } = props;
  return (
    <li>
      <a href={href} aria-current={href === here ? 'page' : undefined}>
        {title}
      </a>
      {children}
    </li>
  );
}
