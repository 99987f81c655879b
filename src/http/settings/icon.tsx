import { type IconName, iconShapes } from './icon-shapes.js';

/** Beside the text of a button or link, which says what it does: screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={iconShapes[name]} />
    </svg>
  );
}
