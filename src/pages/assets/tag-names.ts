// Suggests the tags that there are, wherever one is named.

import { publicPath } from './public-path.js';

suggestTagNames(document);

export function suggestTagNames(root: ParentNode): void {
  for (const list of root.querySelectorAll<HTMLDataListElement>('datalist[data-tag-names]')) {
    const field = document.querySelector<HTMLInputElement>(`input[list="${list.id}"]`);
    if (field === null) continue;
    let asked: AbortController | null = null;

    const suggest = async () => {
      asked?.abort();
      asked = new AbortController();
      const query = new URLSearchParams({ q: field.value.trim() });
      try {
        const answer = await fetch(publicPath(`/settings/library/tag-names?${query}`), {
          headers: { Accept: 'application/json' },
          signal: asked.signal,
        });
        if (!answer.ok) return;
        const { names } = (await answer.json()) as { names: readonly string[] };
        list.replaceChildren(...names.map((name) => new Option('', name)));
      } catch {
        // Overtaken by the next letter, or not reachable: names can be typed in full.
      }
    };
    field.addEventListener('focus', suggest);
    field.addEventListener('input', suggest);
  }
}
