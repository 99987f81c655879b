// The answer of a form that shows a secret once: loading the page again must not send the form again.

import { ownPath } from './own-path.js';

history.replaceState(
  null,
  '',
  document.querySelector('nav [aria-current]')?.getAttribute('href') ?? ownPath('/settings'),
);
