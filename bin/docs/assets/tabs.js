// A language that somebody chooses is chosen everywhere, on this page and on the next.
const STORED = 'docs-language';

window.addEventListener('DOMContentLoaded', () => {
  const choose = (language) => {
    for (const input of document.querySelectorAll('.tabs input')) {
      if (input.value === language) input.checked = true;
    }
  };
  const stored = localStorage.getItem(STORED);
  if (stored !== null) choose(stored);
  document.addEventListener('change', ({ target }) => {
    if (!target.closest('.tabs .labels')) return;
    const top = target.getBoundingClientRect().top;
    localStorage.setItem(STORED, target.value);
    choose(target.value);
    // Code above has another length now; what was clicked stays where it is.
    window.scrollBy(0, target.getBoundingClientRect().top - top);
  });
});
