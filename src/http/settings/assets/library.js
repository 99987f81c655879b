// The library: older photos come by themselves, and many can be chosen at once.

import { suggestTagNames } from './tag-names.js';

start();
document.addEventListener('photos-imported', showImported);

function start() {
  const form = document.querySelector('form.library');
  if (form === null) return;
  bringOlderPhotos(form);
  countChosen(form);
}

/** What an import has brought, around the importer, which keeps its report. Whoever has chosen photos keeps those instead. */
async function showImported() {
  const page = await pageAt(location.href).catch(() => null);
  if (page === null || document.querySelector('form.library .grid input:checked')) return;
  for (const part of page.querySelectorAll('[data-library-part]')) {
    const old = document.querySelector(`[data-library-part="${part.dataset.libraryPart}"]`);
    old.replaceChildren(...part.childNodes);
    suggestTagNames(old);
  }
  const [importer, fresh] = [document, page].map((each) => each.querySelector('[data-importer]'));
  if (importer && fresh?.dataset.waits !== undefined) {
    importer.dataset.waits = '';
    importer.querySelector('form').hidden = true;
    importer.querySelector('.drop .title').textContent = fresh.querySelector('.drop .title').textContent;
  }
  start();
}

/** Goes on with the next page shortly before the end of this one is in sight. The link that leads there stays for when that fails. */
function bringOlderPhotos(form) {
  const grid = form.querySelector('.grid');
  const more = form.querySelector('.more');
  const status = form.querySelector('[role="status"]');
  if (more === null) return;

  const watcher = new IntersectionObserver(
    async ([place]) => {
      if (!place.isIntersecting) return;
      watcher.disconnect();
      try {
        const next = await pageAt(more.querySelector('a').href);
        const photos = [...next.querySelectorAll('.library .grid > li')];
        grid.append(...photos);
        more.replaceChildren(...(next.querySelector('.library .more')?.childNodes ?? []));
        status.textContent = `${photos.length} more photos`;
        if (more.firstElementChild) watcher.observe(more);
      } catch {
        status.textContent = 'More photos could not be loaded. Follow the link to try again.';
      }
    },
    { rootMargin: '1200px' },
  );
  watcher.observe(more);
}

async function pageAt(url) {
  const answer = await fetch(url, { headers: { Accept: 'text/html' } });
  if (!answer.ok || answer.redirected) throw new Error(`the page answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

/** Says how many are chosen. With Shift all between the last choice and this one are; Escape lets go of them. */
function countChosen(form) {
  const count = form.querySelector('.selection .count');
  const boxes = () => [...form.querySelectorAll('.grid input')];
  let last = null;

  const show = () => {
    const chosen = boxes().filter((box) => box.checked).length;
    count.textContent = chosen === 1 ? '1 photo selected' : `${chosen} photos selected`;
  };
  form.addEventListener('click', (event) => {
    const all = boxes();
    const at = all.indexOf(event.target);
    if (at < 0) return;
    const from = all.indexOf(last);
    if (event.shiftKey && from >= 0) {
      for (const box of all.slice(Math.min(from, at), Math.max(from, at) + 1)) box.checked = event.target.checked;
    }
    last = event.target;
    show();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const box of boxes()) box.checked = false;
    show();
  });
  // Enter in the field of the tag means its own button, and nothing more drastic.
  form.querySelector('input[name="tag"]')?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    form.requestSubmit(form.querySelector('button[value="tag"]'));
  });
  show();
}
