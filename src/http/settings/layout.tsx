import type { ComponentChildren } from 'preact';
import { mayActAs } from '../../core/users/user.js';
import { AccountMenu } from './accounts/account-switch.view.js';
import { assetUrl } from './assets.js';
import type { Flash } from './browser-session.js';
import { FactorNotice } from './factor-notice.js';
import { Form } from './form.js';
import { Icon } from './icon.js';
import { HOME } from './navigation.js';
import type { PageContext } from './page-context.js';

export interface PageOptions {
  /** Of the window, and the page's heading unless the page has its own. */
  readonly title: string;
  /** Of the navigation. */
  readonly section?: string;
  /** Files of `assets/` that run on this page, as modules. */
  readonly scripts?: readonly string[];
  /** Files of `assets/` with styles of this area, in addition to the style of all pages. */
  readonly styles?: readonly string[];
  /** Default: 200. */
  readonly status?: number;
  /** A message at the top; otherwise the one left by the previous request. */
  readonly flash?: Flash | null;
  /** Origins other than ours that scripts and pictures of this page may reach, for example a store that accepts uploads. */
  readonly reach?: readonly string[];
  /** Origins other than ours that pictures of this page may come from. */
  readonly pictures?: readonly string[];
  /** Without navigation, centred: signing in, errors. */
  readonly plain?: boolean;
  /** As wide as the window. */
  readonly isWide?: boolean;
}

interface LayoutProps {
  readonly context: PageContext;
  readonly options: PageOptions;
  readonly flash: Flash | null;
  readonly token: string;
  readonly children: ComponentChildren;
}

export function Layout({ context, options, flash, token, children }: LayoutProps) {
  const plain = options.plain === true || context.person === null;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="csrf-token" content={token} />
        <title>{`${options.title} · Photo Service`}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link
          rel="preload"
          href={assetUrl('inter-latin-wght-normal.woff2')}
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
        {['typeface.css', 'settings.css', ...(options.styles ?? [])].map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(name)} />
        ))}
        {['page.js', ...(options.scripts ?? [])].map((name) => (
          <script key={name} type="module" src={assetUrl(name)} />
        ))}
      </head>
      <body class={plain ? 'plain' : options.isWide ? 'wide' : undefined}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {plain ? (
          <header>
            <Brand />
          </header>
        ) : (
          <Header context={context} section={options.section} />
        )}
        <main id="content" tabIndex={-1}>
          {!plain && context.person && <FactorNotice person={context.person} />}
          {flash && <Message flash={flash} />}
          {children}
        </main>
      </body>
    </html>
  );
}

function Message({ flash: { kind, text, undo } }: { flash: Flash }) {
  return (
    <div class={`flash ${kind}`} role={kind === 'failed' ? 'alert' : 'status'}>
      {text}
      {undo && (
        <Form action={undo.action} class="undo">
          {undo.values.map((value) => (
            <input key={value} type="hidden" name={undo.field} value={value} />
          ))}
          <button class="quiet" type="submit">
            <Icon name="undo-2" /> Undo
          </button>
        </Form>
      )}
    </div>
  );
}

function Brand() {
  return (
    <a class="brand" href={HOME}>
      <span class="mark" aria-hidden="true" />
      Photo Service
    </a>
  );
}

function Header({ context, section }: { context: PageContext; section: string | undefined }) {
  const { person, others, navigation } = context;
  if (person === null) return null;
  const { user, customer } = person;
  return (
    <header class="top">
      <div class="bar">
        <Brand />
        <div class="who">
          <AccountMenu name={customer.name} others={others} />
          <span class="person">{user.email ?? 'First owner'}</span>
          <Form action="/settings/sign-out">
            <button class="quiet" type="submit">
              <Icon name="log-out" /> Sign out
            </button>
          </Form>
        </div>
      </div>
      <nav aria-label="Settings">
        <ul>
          {navigation
            .filter(({ role }) => mayActAs(user.role, role))
            .map((entry) => (
              <li key={entry.section}>
                <a href={entry.path} aria-current={entry.section === section ? 'page' : undefined}>
                  {entry.label}
                </a>
              </li>
            ))}
        </ul>
      </nav>
    </header>
  );
}
