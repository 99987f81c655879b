// Pages and fragments of the settings area, for scripts.

/** Messages for people remain for the page that they open next. Errors: when the answer is another page, as after signing out. */
export async function fetchPage(url: string): Promise<Document> {
  const answer = await fetch(url, { headers: { Accept: 'text/html', 'X-Background': '1' } });
  if (!answer.ok || answer.redirected) throw new Error(`${url} answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}
