// Keeps what moves by itself up to date: the page is asked for again, and its parts that changed take the place of the old ones.

const EVERY_MS = 1500;

follow();

async function follow() {
  while (document.querySelector('[data-live]')) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    if (document.hidden) continue;
    const page = await freshPage().catch(() => null);
    if (page === null) continue;
    // When it has ended there are other things to do and to see.
    if (!page.querySelector('[data-live]')) return location.reload();
    for (const part of page.querySelectorAll('[data-live-part]')) {
      const old = document.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
      if (old && old.innerHTML !== part.innerHTML) old.replaceChildren(...part.childNodes);
    }
  }
}

async function freshPage() {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}
