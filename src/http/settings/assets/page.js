// On every page: what is nicer with a script, and works without.

for (const time of document.querySelectorAll('time[datetime]')) {
  const at = new Date(time.dateTime);
  time.title = time.textContent;
  time.textContent = at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

// On a phone the navigation is wider than the page.
document.querySelector('.top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

// What a server refused is read first.
document.querySelector('[aria-invalid="true"]')?.focus();

for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', () => {
    // Not before the form is on its way: a disabled button would not be sent.
    setTimeout(() => {
      for (const button of form.querySelectorAll('button')) button.disabled = true;
    });
  });
}
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('form[method="post"] button')) button.disabled = false;
});
