// The answer of a form that shows a secret once: loading the page again must not send the form again.

import { publicPath } from './public-path.js';

history.replaceState(
  null,
  '',
  document.querySelector('nav [aria-current]')?.getAttribute('href') ?? publicPath('/settings'),
);
