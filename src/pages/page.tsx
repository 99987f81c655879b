import { Inject } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Ports } from '../core/ports.js';
import { mayActAs } from '../core/users/user.js';
import { PORTS } from '../http/ports-token.js';
import { applyReply, Reply } from '../http/responses/reply.js';
import { publicPath } from '../http/server/base-path.js';
import { headerOf } from '../http/server/request.js';
import { type ErrorPage, statusOfCode } from '../http/status-of-code.js';
import { AccountMenu } from './account-switch/account-switch.js';
import { assetUrl } from './assets.controller.js';
import type { Flash } from './browser-session.js';
import { Csrf } from './csrf.js';
import { CsrfToken, Form, messageForPeople, type Problems, problemsOf } from './form.js';
import { HOME, type PageContext, RenderedFor, usePageContext } from './page-context.js';
import { Icon, LinkButton, Moment } from './parts.js';

/** A page of the settings area, as the result of a handler. */
export function renderPage(
  ports: Pick<Ports, 'addresses'>,
  context: PageContext,
  options: PageOptions,
  content: ComponentChildren,
) {
  const flash = options.flash ?? takeFlash(context);
  const token = new Csrf(ports).token(context.request);
  const plain = options.plain === true || context.person === null;
  const undo = flash?.undo;
  // When two-step sign-in is required, now or soon, of a person who has not set it up.
  const from = context.person?.hasFactor === false ? context.person.customer.factorsRequiredFrom : null;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="csrf-token" content={token} />
        <title>{`${options.title} · Photo Service`}</title>
        <link rel="icon" href={assetUrl('styles/icon.svg')} type="image/svg+xml" />
        <link
          rel="preload"
          href={assetUrl('styles/inter-latin-wght-normal.woff2')}
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
        {[...STYLES, ...(options.styles ?? [])].map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(`styles/${name}`)} />
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
          {!plain && from !== null && (
            <p class="flash failed">
              Everyone in this account needs two-step sign-in as of <Moment at={from} />. From then on, no other page
              opens without it. <a href={FACTORS_PATH}>Add a passkey or an authenticator app</a>.
            </p>
          )}
          {flash && (
            <div class={`flash ${flash.kind}`} role={flash.kind === 'failed' ? 'alert' : 'status'}>
              {flash.text}
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
          )}
          {content}
        </main>
      </body>
    </html>
  );
  const html = renderToString(
    <CsrfToken.Provider value={token}>
      <RenderedFor.Provider value={context}>{page}</RenderedFor.Provider>
    </CsrfToken.Provider>,
  );
  const reach = [new URL(ports.addresses.publicUrl).origin, ...(options.reach ?? [])];
  return new Reply(
    options.status ?? options.problems?.status ?? 200,
    `<!doctype html>${html}`,
    pageHeaders(reach, options.pictures),
  );
}

/** Controllers of pages for people, and what they render these with. */
export abstract class PageController {
  constructor(@Inject(PORTS) protected readonly ports: Ports) {}

  protected render(context: PageContext, options: PageOptions, content: ComponentChildren): Reply {
    return renderPage(this.ports, context, options, content);
  }
}

/** Members of what scripts get that are paths of ours. */
const paths = ['action', 'older'];

/** Returns the reply that a script asked for, with texts that it shows, and paths that it requests. */
export function replyToScript({ request }: PageContext, body: object): Reply {
  const text = JSON.stringify(body, (name, value) => {
    return paths.includes(name) && typeof value === 'string' ? publicPath(request, value) : value;
  });
  return jsonReply(JSON.parse(text));
}

/** Returns the reply that a script asked for, as it is. */
export function jsonReply(body: object): Reply {
  return new Reply(200, body, { 'Cache-Control': 'no-store' });
}

/** Redirects to another page after a form was sent. A message is shown there once. */
export function redirectTo(context: PageContext, path: string, flash?: Flash): Reply {
  if (flash !== undefined) context.request.session.flash = flash;
  return new Reply(303, undefined, { Location: path, 'Cache-Control': 'no-store' });
}

/** Does what a form asks for, and redirects with a message about it; with that of the problem if it was refused. */
export async function redirectAfter(
  context: PageContext,
  path: string,
  act: () => Promise<Omit<Flash, 'kind'>>,
): Promise<Reply> {
  try {
    return redirectTo(context, path, { kind: 'done', ...(await act()) });
  } catch (error) {
    return redirectTo(context, path, { kind: 'failed', text: problemsOf(error).message });
  }
}

/** `none` for everything, except our own files. Forms are sent nowhere else, and no other page may frame ours. */
export function pageHeaders(
  reach: readonly string[],
  pictures: readonly string[] = [],
): Readonly<Record<string, string>> {
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'font-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:', ...reach, ...pictures],
    'connect-src': ["'self'", ...reach],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, sources]) => [name, ...sources].join(' '))
      .join('; '),
    'Cache-Control': 'no-store',
    // Nothing is sent to other sites. With `no-referrer` browsers would send forms with `Origin: null`, and their sender could not be
    // determined.
    'Referrer-Policy': 'same-origin',
  };
}

/** Left for the page that people will see, if a script only reads parts of this one (assets/public-path.ts). */
function takeFlash({ request }: PageContext): Flash | null {
  if (headerOf(request, 'x-background') !== undefined) return null;
  const flash = request.session.flash ?? null;
  if (flash !== null) request.session.flash = undefined;
  return flash;
}

interface PageOptions {
  /** Title of the window, and the page's heading unless the page has its own. */
  readonly title: string;
  readonly section?: string;
  /** Files of `assets/` that run on this page, as modules. */
  readonly scripts?: readonly string[];
  /** Files of `assets/styles` for this area, in addition to the style of all pages. */
  readonly styles?: readonly string[];
  /** Default: that of the problems, or 200. */
  readonly status?: number;
  /** The problems of a form that is shown again. */
  readonly problems?: Problems | null | undefined;
  /** A message at the top; otherwise the one left by the previous request. */
  readonly flash?: Flash | null;
  /** Origins other than ours that scripts and pictures of this page may reach, for example a store that accepts uploads. */
  readonly reach?: readonly string[];
  /** Origins other than ours that pictures of this page may come from. */
  readonly pictures?: readonly string[];
  /** Without navigation, centred: signing in, errors. */
  readonly plain?: boolean;
  readonly isWide?: boolean;
}

/** The style of every page, in an order in which later files refine earlier ones. */
const STYLES = ['base.css', 'page.css', 'parts.css', 'tables.css', 'forms.css'] as const;

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

/** A link to a path below `/docs`; where that is not served, its text alone. */
export function DocsLink(props: { path?: string; class?: string; children: ComponentChildren }) {
  const { path = '', class: style, children } = props;
  if (!usePageContext().hasDocs) return <span class={style}>{children}</span>;
  return (
    <a class={style} href={`/docs${path}`}>
      {children}
    </a>
  );
}

export const FACTORS_PATH = '/settings/account/factors';

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not possible',
  404: 'Not found',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};

/** Errors of every path, unless other pages show them. Uses nothing that could fail again. */
export const errorPage: ErrorPage = {
  isFor: () => true,
  send: (error, { requestId }, response) => {
    const status = statusOfCode[error.code];
    const title = titles[status] ?? 'That did not work';
    const html = renderToString(
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · Photo Service`}</title>
          <link rel="icon" href={assetUrl('styles/icon.svg')} type="image/svg+xml" />
          {STYLES.map((name) => (
            <link key={name} rel="stylesheet" href={assetUrl(`styles/${name}`)} />
          ))}
        </head>
        <body class="plain">
          <main id="content">
            <section class="card">
              <h1>{title}</h1>
              <p>{messageForPeople(error)}</p>
              <p>
                <LinkButton href={HOME} label="Back to the start page" />
              </p>
              <p class="hint">Request {requestId}</p>
            </section>
          </main>
        </body>
      </html>,
    );
    response.send(applyReply(new Reply(status, `<!doctype html>${html}`, pageHeaders([])), response));
  },
  message: (error, { underSettings }) => (underSettings ? messageForPeople(error) : error.message),
};
