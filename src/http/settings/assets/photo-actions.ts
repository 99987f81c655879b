// Actions on selected photos, without leaving the page.

import type { PhotoGrid } from './photo-grid.js';
import type { PhotoSelection } from './photo-selection.js';

/** What the service answers a script. */
interface Outcome {
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly undo?: { readonly action: string; readonly field: string; readonly values: readonly string[] };
}

/** Photos in one request; the service takes no more. */
const BATCH = 1000;
const MESSAGE_MS = 12_000;

/** Actions after which photos are not in the list any more. */
const LEAVING = ['trash', 'restore'];

export class PhotoActions {
  private timer = 0;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly grid: PhotoGrid,
    private readonly selection: PhotoSelection,
  ) {
    form.addEventListener('submit', (event) => this.submit(event));
  }

  /** A message that is read out, and goes away by itself. */
  say({ kind, text, undo }: Outcome): void {
    clearTimeout(this.timer);
    this.form.querySelector('.toast')?.remove();
    const toast = Object.assign(document.createElement('div'), { className: `flash toast ${kind}` });
    toast.append(Object.assign(document.createElement('span'), { textContent: text }));
    if (undo !== undefined) {
      const button = Object.assign(document.createElement('button'), {
        type: 'button',
        className: 'quiet',
        textContent: 'Undo',
      });
      button.addEventListener('click', () => this.undo(undo));
      toast.append(button);
    }
    this.form.append(toast);
    const status = this.form.querySelector('[role="status"]');
    if (status !== null) status.textContent = text;
    this.timer = setTimeout(() => toast.remove(), MESSAGE_MS);
  }

  /** Another part of the page has moved a photo to the trash. */
  noteTrashed(id: string): void {
    this.leave([id]);
    const action = new URL(this.form.action);
    action.searchParams.set('do', 'restore');
    this.say({
      kind: 'done',
      text: '1 photo moved to the trash.',
      undo: { action: action.href, field: 'ids', values: [id] },
    });
  }

  private submit(event: SubmitEvent): void {
    const button = event.submitter as HTMLButtonElement | null;
    const ids = this.selection.all;
    if (button?.dataset.inPlace === undefined) {
      this.addFields(ids);
      return;
    }
    event.preventDefault();
    // Other listeners expect that the page is left.
    event.stopPropagation();
    void this.run(button.value, ids);
  }

  /** A form that leaves the page takes photos along whose checkboxes are not there. */
  private addFields(ids: readonly string[]): void {
    for (const field of this.form.querySelectorAll('input[data-far]')) field.remove();
    for (const id of ids) {
      if (this.grid.tile(id)?.querySelector('input') != null) continue;
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'ids', value: id });
      field.dataset.far = '';
      this.form.append(field);
    }
  }

  private async run(what: string, ids: readonly string[]): Promise<void> {
    const tag = this.form.querySelector<HTMLInputElement>('input[name="tag"]')?.value ?? '';
    const bar = this.form.querySelector<HTMLFieldSetElement>('.selection');
    if (bar !== null) bar.disabled = true;
    try {
      let last: Outcome | null = null;
      for (let at = 0; at < ids.length; at += BATCH) {
        const batch = ids.slice(at, at + BATCH);
        last = await this.send(this.form.action, { do: what, tag }, 'ids', batch);
        if (last.kind === 'failed') break;
        if (LEAVING.includes(what)) this.leave(batch);
        if (at + BATCH < ids.length) this.say({ kind: 'done', text: `${at + batch.length} of ${ids.length} photos …` });
      }
      if (last !== null) this.say(last);
    } finally {
      if (bar !== null) bar.disabled = false;
    }
  }

  private leave(ids: readonly string[]): void {
    const focused = document.activeElement?.closest('.grid > li');
    this.grid.hide(ids);
    this.selection.drop(ids);
    if (this.selection.all.length === 0) this.selection.clear();
    if (focused instanceof HTMLElement && focused.hidden) this.grid.tiles()[0]?.querySelector('a')?.focus();
  }

  private async undo({ action, field, values }: NonNullable<Outcome['undo']>): Promise<void> {
    const outcome = await this.send(action, {}, field, values);
    if (outcome.kind === 'done') this.grid.show(values);
    this.say(outcome);
  }

  private async send(
    action: string,
    fields: Readonly<Record<string, string>>,
    field: string,
    values: readonly string[],
  ): Promise<Outcome> {
    const body = new URLSearchParams(fields);
    for (const value of values) body.append(field, value);
    const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
    const headers = { Accept: 'application/json', 'X-CSRF-Token': token };
    try {
      const answer = await fetch(action, { method: 'POST', headers, body });
      const content = await answer.json();
      return answer.ok ? content : { kind: 'failed', text: content.error.message };
    } catch {
      return { kind: 'failed', text: 'The service could not be reached. Try again.' };
    }
  }
}
