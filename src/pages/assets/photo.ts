// The page of a photo: arrows lead to those beside it.

import { showHistogram } from './library/histogram.js';
import { offerLocationMap } from './map/location-map.js';

const links: Readonly<Record<string, string>> = { ArrowLeft: 'a[rel="prev"]', ArrowRight: 'a[rel="next"]' };

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, summary');
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  document.querySelector<HTMLElement>(links[event.key] ?? 'none')?.click();
});

offerLocationMap(document);
void showHistogram(document, document.querySelector('.photo figure img'));

// The page of a photo: its focus is chosen by a click on the photo.

const card = document.querySelector<HTMLElement>('[data-focus]');
const figure = document.querySelector<HTMLElement>('.photo figure');
const form = card?.querySelector('form');
const choice = card?.querySelector<HTMLElement>('.choose');
const button = choice?.querySelector('button');
const status = choice?.querySelector('[role="status"]');
if (figure && form && choice && button && status) {
  const isChoosing = () => figure.classList.contains('choosing');
  const choose = (isOn: boolean) => {
    figure.classList.toggle('choosing', isOn);
    button.setAttribute('aria-pressed', String(isOn));
    status.textContent = isOn ? 'Click the point that is to stay in view. Escape cancels.' : '';
  };
  choice.hidden = false;

  button.addEventListener('click', () => {
    choose(!isChoosing());
    if (isChoosing()) figure.scrollIntoView({ block: 'nearest' });
  });
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isChoosing()) choose(false);
  });
  // The picture is a link to a larger one.
  figure.addEventListener('click', (event) => {
    const picture = figure.querySelector('img');
    if (!isChoosing() || picture === null) return;
    event.preventDefault();
    const { left, top, width, height } = picture.getBoundingClientRect();
    fill(form, 'x', percent(event.clientX - left, width));
    fill(form, 'y', percent(event.clientY - top, height));
    choose(false);
    form.requestSubmit();
  });
}

function fill(form: HTMLFormElement, name: string, value: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = value;
}

/** Returns a position in the picture, in hundredths; for a point beside it, the nearest one in it. */
function percent(at: number, length: number): string {
  return ((Math.min(Math.max(at, 0), length) / length) * 100).toFixed(2);
}
