// The answer of a form that shows a secret once: loading the page again must not send the form again.

history.replaceState(null, '', document.querySelector('nav [aria-current]')?.getAttribute('href') ?? '/settings');
