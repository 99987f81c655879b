// The page of a photo: arrows lead to those beside it.

import { showHistogram } from './histogram.js';
import { offerLocationMap } from './location-map.js';

const links: Readonly<Record<string, string>> = { ArrowLeft: 'a[rel="prev"]', ArrowRight: 'a[rel="next"]' };

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, summary');
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  document.querySelector<HTMLElement>(links[event.key] ?? 'none')?.click();
});

offerLocationMap(document);
void showHistogram(document, document.querySelector('.photo figure img'));
