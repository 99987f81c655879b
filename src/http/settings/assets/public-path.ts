// Addresses of the settings area, for scripts.

/** The path of PUBLIC_URL: this file is in `settings/assets/VERSION` below it. */
const basePath = new URL('../../..', import.meta.url).pathname.slice(0, -1);

/** @param path Begins with `/settings`. */
export function publicPath(path: string): string {
  return `${basePath}${path}`;
}
