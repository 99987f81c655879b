import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Ports } from '../../core/ports.js';
import { Reply } from '../reply.js';
import type { Flash } from './browser-session.js';
import { Csrf } from './csrf.js';
import { CsrfToken } from './form.js';
import { Layout } from './layout.js';
import type { PageContext } from './page-context.js';

export interface PageOptions {
  /** Of the window, and the page's heading unless the page makes its own. */
  readonly title: string;
  /** Of the navigation. */
  readonly section?: string;
  /** Files of `assets/` that run on this page, as modules. */
  readonly scripts?: readonly string[];
  /** Files of `assets/` that this area is styled by, beside the style of all pages. */
  readonly styles?: readonly string[];
  /** 200 when absent. */
  readonly status?: number;
  /** Said above everything else; else what the request before has left to say. */
  readonly flash?: Flash | null;
  /** Origins beside our own that scripts and pictures of this page may reach, such as a store that takes uploads. */
  readonly reach?: readonly string[];
  /** Without navigation, in the middle: signing in, errors. */
  readonly plain?: boolean;
}

/** A page of the settings area, as the answer of a handler. */
export function renderPage(
  ports: Pick<Ports, 'publicUrl'>,
  context: PageContext,
  options: PageOptions,
  content: ComponentChildren,
) {
  const flash = options.flash ?? takeFlash(context);
  const token = new Csrf(ports).token(context.request);
  const html = renderToString(
    <CsrfToken.Provider value={token}>
      <Layout context={context} options={options} flash={flash} token={token}>
        {content}
      </Layout>
    </CsrfToken.Provider>,
  );
  const reach = [new URL(ports.publicUrl).origin, ...(options.reach ?? [])];
  return new Reply(options.status ?? 200, `<!doctype html>${html}`, pageHeaders(reach));
}

/** To another page after a form was sent. What is to be said there is said once. */
export function redirectTo(context: PageContext, path: string, flash?: Flash): Reply {
  if (flash !== undefined) context.request.session.flash = flash;
  return new Reply(303, undefined, { Location: path, 'Cache-Control': 'no-store' });
}

/** `none` of everything, but for our own files. Forms go nowhere else, and no other page may frame ours. */
export function pageHeaders(reach: readonly string[]): Readonly<Record<string, string>> {
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:', ...reach],
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
    // Nothing to other sites. With `no-referrer` browsers would send forms with `Origin: null`, and who sent them could not be told.
    'Referrer-Policy': 'same-origin',
  };
}

function takeFlash({ request }: PageContext): Flash | null {
  const flash = request.session.flash ?? null;
  if (flash !== null) request.session.flash = undefined;
  return flash;
}
