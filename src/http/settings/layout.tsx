import type { ComponentChildren } from 'preact';
import { mayActAs } from '../../core/users/role.js';
import { AccountMenu } from './accounts/account-switch.view.js';
import { assetUrl } from './assets.js';
import type { Flash } from './browser-session.js';
import { FactorNotice } from './factor-notice.js';
import { Form } from './form.js';
import { Icon } from './icon.js';
import { HOME } from './navigation.js';
import type { PageOptions } from './page.js';
import type { PageContext } from './page-context.js';

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
