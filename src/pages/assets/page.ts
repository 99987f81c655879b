// On every page: what is nicer with a script, and works without.

showTimes(document);

/** In the zone of the browser, and in words. */
export function showTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const at = new Date(time.dateTime);
    time.title = time.textContent ?? '';
    time.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  }
}

// On a phone the navigation is wider than the page.
document.querySelector('.top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

// What a server refused is read first.
document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();

// Also for forms that come later.
addEventListener('submit', ({ target }) => {
  const form = target as HTMLFormElement;
  if (form.method !== 'post') return;
  // Not before the form is on its way: a disabled button would not be sent.
  setTimeout(() => {
    for (const button of form.querySelectorAll('button')) button.disabled = true;
  });
});
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('form[method="post"] button'))
    button.disabled = false;
});
