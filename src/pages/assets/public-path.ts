// Addresses of the settings area, for scripts.

/** The path of PUBLIC_URL: this file is in `settings/assets/VERSION` below it. */
const basePath = new URL('../../..', import.meta.url).pathname.slice(0, -1);

/** @param path Begins with `/settings`. */
export function publicPath(path: string): string {
  return `${basePath}${path}`;
}

// Pages and fragments of the settings area, for scripts.

/** Messages for people remain for the page that they open next. Errors: when the answer is another page, as after signing out. */
export async function fetchPage(url: string): Promise<Document> {
  const answer = await fetch(url, { headers: { Accept: 'text/html', 'X-Background': '1' } });
  if (!answer.ok || answer.redirected) throw new Error(`${url} answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}
