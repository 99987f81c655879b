/** Colours follow the `color-scheme` of the page; each can be replaced by a custom property of the same name on the element. */
export const style = `
:host {
  display: block;
  --_accent: var(--photo-upload-accent, light-dark(#0b5cad, #7db8f5));
  --_on-accent: var(--photo-upload-on-accent, light-dark(#fff, #0c1a28));
  --_surface: var(--photo-upload-surface, light-dark(#fff, #16191d));
  --_text: var(--photo-upload-text, light-dark(#1c2024, #e8eaed));
  --_muted: var(--photo-upload-muted, light-dark(#596068, #a3abb4));
  --_border: var(--photo-upload-border, light-dark(#8a929b, #6b747e));
  --_danger: var(--photo-upload-danger, light-dark(#b3261e, #ff9a8f));
  --_radius: var(--photo-upload-radius, 8px);
  color: var(--_text);
  background: var(--_surface);
  font: inherit;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
.zone {
  padding: 2rem 1rem;
  text-align: center;
  border: 2px dashed var(--_border);
  border-radius: var(--_radius);
}
.zone.dragging { border-color: var(--_accent); border-style: solid; }
.hint { margin: .5rem 0 0; color: var(--_muted); }
button {
  font: inherit;
  padding: .4em .9em;
  color: var(--_accent);
  background: transparent;
  border: 1px solid currentColor;
  border-radius: var(--_radius);
  cursor: pointer;
}
button.choose { color: var(--_on-accent); background: var(--_accent); border-color: transparent; }
button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
.summary { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-block: 1rem .5rem; }
.summary progress { flex: 1 1 10rem; }
.count { margin: 0; font-variant-numeric: tabular-nums; }
progress { width: 100%; height: .5rem; accent-color: var(--_accent); }
ul { margin: 0; padding: 0; list-style: none; }
li {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: .25rem 1rem;
  align-items: center;
  padding-block: .5rem;
  border-top: 1px solid color-mix(in srgb, var(--_border) 40%, transparent);
}
.name { overflow-wrap: anywhere; }
.state { color: var(--_muted); }
li[data-status=failed] .state { color: var(--_danger); }
li progress { grid-column: 1 / -1; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) { li[data-status=failed] .state { color: CanvasText; font-weight: bold; } }
`;
