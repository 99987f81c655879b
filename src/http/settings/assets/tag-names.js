// Suggests the tags that there are, wherever one is named.

suggestTagNames(document);

export function suggestTagNames(root) {
  for (const list of root.querySelectorAll('datalist[data-tag-names]')) suggestFor(list);
}

function suggestFor(list) {
  const field = document.querySelector(`input[list="${list.id}"]`);
  let asked = null;

  const suggest = async () => {
    asked?.abort();
    asked = new AbortController();
    const query = new URLSearchParams({ q: field.value.trim() });
    try {
      const answer = await fetch(`/settings/library/tag-names?${query}`, {
        headers: { Accept: 'application/json' },
        signal: asked.signal,
      });
      if (!answer.ok) return;
      const { names } = await answer.json();
      list.replaceChildren(...names.map((name) => new Option('', name)));
    } catch {
      // Overtaken by the next letter, or not reachable: names can be typed in full.
    }
  };
  field.addEventListener('focus', suggest);
  field.addEventListener('input', suggest);
}
