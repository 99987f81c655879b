/** A text that people take somewhere else, often shown only once. The button appears where scripts run; `Copied` tells what it did. */
export function Copyable({ id, text, small = false, codes = false }: CopyableProps) {
  return (
    <div class="secret">
      <code id={id} class={codes ? 'codes' : undefined}>
        {text}
      </code>
      <button class={`button plain${small ? ' small' : ''}`} type="button" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

interface CopyableProps {
  /** Unique on its page. */
  readonly id: string;
  readonly text: string;
  readonly small?: boolean;
  /** One a line. */
  readonly codes?: boolean;
}

/** What the script says to screen readers, once on a page with texts to copy. */
export function Copied() {
  return <p class="unseen" id="copied" role="status" />;
}
