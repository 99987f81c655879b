// Searches the documentation in the browser: the list of its sections is loaded when somebody begins to type.
const LIMIT = 12;
/** The path of PUBLIC_URL: this file is in `docs/assets/VERSION` below it. */
const basePath = new URL('../../..', document.currentScript.src).pathname.slice(0, -1);

window.addEventListener('DOMContentLoaded', () => {
  const input = document.getElementById('search');
  const results = document.getElementById('results');
  const found = document.getElementById('found');
  if (!input || !results || !found) return;
  input.closest('search').hidden = false;
  let loading = null;
  /** Null: it could not be loaded, and is asked for again the next time. */
  const load = () => {
    loading ??= fetch(`${basePath}/docs/search.json`)
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null)
      .then((entries) => {
        if (entries === null) loading = null;
        return entries;
      });
    return loading;
  };

  input.addEventListener('focus', load);
  input.addEventListener('input', async () => {
    const entries = await load();
    if (entries === null) {
      found.textContent = 'The search could not be loaded. Type again to retry.';
      results.replaceChildren(Object.assign(document.createElement('li'), { textContent: found.textContent }));
      results.hidden = false;
      return;
    }
    const hits = bestOf(entries, input.value);
    const isAsked = input.value.trim() !== '';
    results.replaceChildren(...hits.map(itemOf));
    results.hidden = hits.length === 0;
    found.textContent = isAsked ? `${hits.length === LIMIT ? `${LIMIT} or more` : hits.length} found` : '';
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') results.querySelector('a')?.click();
    if (event.key === 'ArrowDown') results.querySelector('a')?.focus();
    if (event.key === 'Escape') results.hidden = true;
  });
  // To the search from anywhere, as on many pages of this kind.
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    input.focus();
  });
});

/** Entries that have a word beginning with each of the words asked for; words of titles come first. */
function bestOf(entries, asked) {
  const words = wordsOf(asked);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, LIMIT)
    .map(({ entry }) => entry);
}

function scoreOf(entry, words) {
  const [title, text] = [wordsOf(entry.title), wordsOf(`${entry.place} ${entry.text}`)];
  let score = 0;
  for (const word of words) {
    if (title.includes(word)) score += 20;
    else if (title.some((each) => each.startsWith(word))) score += 10;
    else if (text.some((each) => each.startsWith(word))) score += 1;
    else return 0;
  }
  return score;
}

function wordsOf(text) {
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function itemOf({ title, place, url }) {
  const link = document.createElement('a');
  link.href = basePath + url;
  link.append(title);
  const where = document.createElement('span');
  where.append(place);
  const item = document.createElement('li');
  item.append(link, where);
  return item;
}
