import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Ports } from '../../core/ports.js';
import { Reply } from '../responses/reply.js';
import { publicPath } from '../server/base-path.js';
import { headerOf } from '../server/headers.js';
import { ActingRole } from './allowed.js';
import type { Flash } from './browser-session.js';
import { Csrf } from './csrf.js';
import { HasDocs } from './docs-link.js';
import { CsrfToken } from './form.js';
import { Layout, type PageOptions } from './layout.js';
import { localize } from './localized.js';
import type { PageContext } from './page-context.js';

/** A page of the settings area, as the result of a handler. */
export function renderPage(
  ports: Pick<Ports, 'addresses'>,
  context: PageContext,
  options: PageOptions,
  content: ComponentChildren,
) {
  const flash = options.flash ?? takeFlash(context);
  const token = new Csrf(ports).token(context.request);
  const html = renderToString(
    <CsrfToken.Provider value={token}>
      <ActingRole.Provider value={context.person?.user.role ?? null}>
        <HasDocs.Provider value={context.hasDocs}>
          <Layout context={context} options={options} flash={flash} token={token}>
            {content}
          </Layout>
        </HasDocs.Provider>
      </ActingRole.Provider>
    </CsrfToken.Provider>,
  );
  const reach = [new URL(ports.addresses.publicUrl).origin, ...(options.reach ?? [])];
  return new Reply(
    options.status ?? 200,
    `<!doctype html>${localize(html, context.request)}`,
    pageHeaders(reach, options.pictures),
  );
}

/** Members of what scripts get that are paths of ours. */
const paths = ['action', 'older'];

/** What a script asked for, with texts that it shows, and paths that it requests. */
export function replyToScript({ request }: PageContext, body: object): Reply {
  const text = JSON.stringify(body, (name, value) => {
    return paths.includes(name) && typeof value === 'string' ? publicPath(request, value) : value;
  });
  return new Reply(200, JSON.parse(localize(text, request)), { 'Cache-Control': 'no-store' });
}

/** Redirects to another page after a form was sent. A message is shown there once. */
export function redirectTo(context: PageContext, path: string, flash?: Flash): Reply {
  if (flash !== undefined) context.request.session.flash = flash;
  return new Reply(303, undefined, { Location: path, 'Cache-Control': 'no-store' });
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

/** Left for the page that people will see, if a script only reads parts of this one (assets/page-fetch.ts). */
function takeFlash({ request }: PageContext): Flash | null {
  if (headerOf(request, 'x-background') !== undefined) return null;
  const flash = request.session.flash ?? null;
  if (flash !== null) request.session.flash = undefined;
  return flash;
}
