import type { NextFunction, Request, Response } from 'express';

/** First segments of the paths of the service. */
const ownRoots: readonly string[] = [
  ...['.well-known', 'api', 'docs', 'healthz', 'img', 'openapi.json', 'operator'],
  ...['readyz', 'renditions', 's', 'settings', 'uploads'],
];

/** The origin in a request target in absolute form (RFC 9112 §3.2.2). */
const ORIGIN = /^https?:[/][/][^/?]*/i;

/**
 * Removes the path of PUBLIC_URL from the paths of requests, unless a proxy has done it already: everything after this step sees one form.
 * As in a router that Express has mounted, `baseUrl` is what was removed, and `originalUrl` the path as clients know it.
 */
export function removeBasePath(basePath: string) {
  return (request: Request, _: Response, next: NextFunction): void => {
    const target = request.url.replace(ORIGIN, '');
    request.url = withoutBasePath(target === '' || target.startsWith('?') ? `/${target}` : target, basePath);
    request.baseUrl = basePath;
    request.originalUrl = `${basePath}${request.url}`;
    next();
  };
}

/**
 * The path without the base path, if that is followed by a path of ours. So `/api/v1/me` remains what it is if the base path is `/api` and a
 * proxy has removed it.
 * @param path May have a query.
 */
export function withoutBasePath(path: string, basePath: string): string {
  if (basePath === '' || !path.startsWith(basePath)) return path;
  const rest = path.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  const [, root = ''] = /^\/([^/?]*)/.exec(rest) ?? [];
  return rest === '/' || rest.startsWith('/?') || ownRoots.includes(root) ? rest : path;
}

/** A path of ours as clients know it; an address of another site as it is. */
export function publicPath({ baseUrl }: Pick<Request, 'baseUrl'>, path: string): string {
  return path.startsWith('/') ? `${baseUrl}${path}` : path;
}

/** Attributes whose values are addresses. The renderer of pages writes them like this, and no quotation mark into any text. */
const ADDRESS = / (?:href|src|action|formaction|data-original|data-passkey|data-path)="(?=\/)/g;
const SOURCES = ' srcset="';

/** A page, or a part of one, whose links, forms and files are under the base path. */
export function publicHtml({ baseUrl }: Pick<Request, 'baseUrl'>, html: string): string {
  if (baseUrl === '') return html;
  const [before = '', ...parts] = html.replace(ADDRESS, (start) => `${start}${baseUrl}`).split(SOURCES);
  const sources = parts.map((part) => {
    const end = part.indexOf('"');
    return part.slice(0, end).replace(/(^|, )(?=\/)/g, `$1${baseUrl}`) + part.slice(end);
  });
  return [before, ...sources].join(SOURCES);
}
