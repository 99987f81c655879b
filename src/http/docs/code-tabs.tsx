import type { ComponentChildren } from 'preact';

export interface TabbedCode {
  readonly label: string;
  readonly code: string;
  /** What is said before it. */
  readonly note?: ComponentChildren;
}

/** The same in several languages. Without scripts or `:has()` in the browser, radio buttons still choose, or all are shown. */
export function CodeTabs({ id, legend, tabs }: { id: string; legend: string; tabs: readonly TabbedCode[] }) {
  return (
    <fieldset class="tabs">
      <legend class="unseen">{legend}</legend>
      <div class="labels">
        {tabs.map(({ label }, at) => (
          <label key={label}>
            <input type="radio" name={id} value={label} checked={at === 0} />
            {label}
          </label>
        ))}
      </div>
      {tabs.map(({ label, code, note }) => (
        <div key={label} data-language={label}>
          {note}
          <pre tabindex={0}>
            <code>{code}</code>
          </pre>
        </div>
      ))}
    </fieldset>
  );
}
