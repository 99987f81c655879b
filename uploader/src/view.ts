import type { Upload, UploadStatus } from './uploads.js';

/** More rows slow a page down; failed files always have one. */
const MOST_ROWS = 200;

interface Row {
  readonly item: HTMLLIElement;
  readonly state: HTMLSpanElement;
  readonly bar: HTMLProgressElement;
  readonly retry: HTMLButtonElement;
}

/** The visible part of the element, made without markup in text: nothing that a file is called can become an element. */
export class View {
  readonly zone = make('div', 'zone');
  readonly input = make('input');
  private readonly choose = make('button', 'choose');
  private readonly hint = make('p', 'hint');
  private readonly summary = make('div', 'summary');
  private readonly count = make('p', 'count');
  private readonly bar = make('progress', 'progress');
  private readonly cancel = make('button', 'cancel');
  private readonly retryAll = make('button', 'retry-all');
  private readonly list = make('ul', 'files');
  /** The announcements to those who hear the page: beginnings and ends, and not each photo. */
  private readonly announced = make('p', 'unseen');
  private readonly rows = new Map<Upload, Row>();

  constructor(
    root: ShadowRoot,
    private readonly actions: { choose(): void; cancel(): void; retry(upload?: Upload): void },
    private texts: UploadTexts,
  ) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    Object.assign(this.input, { type: 'file', multiple: true, hidden: true });
    this.announced.setAttribute('role', 'status');
    this.summary.hidden = true;
    this.zone.append(this.choose, this.input, this.hint);
    this.summary.append(this.bar, this.count, this.cancel, this.retryAll);
    root.append(this.zone, this.announced, this.summary, this.list);
    this.choose.addEventListener('click', () => actions.choose());
    this.cancel.addEventListener('click', () => actions.cancel());
    this.retryAll.addEventListener('click', () => {
      // The button goes, and the focus must not go with it.
      this.choose.focus();
      actions.retry();
    });
    this.say(texts);
  }

  /** In these words from now on. */
  say(texts: UploadTexts): void {
    this.texts = texts;
    this.choose.textContent = texts.choose;
    this.hint.textContent = texts.drop;
    this.cancel.textContent = texts.cancel;
    this.retryAll.textContent = texts.retryAll;
    this.bar.setAttribute('aria-label', texts.progress);
    for (const upload of this.rows.keys()) this.showFile(upload);
  }

  announce(text: string): void {
    this.announced.textContent = text;
  }

  showDragging(isDragging: boolean): void {
    this.zone.classList.toggle('dragging', isDragging);
    this.zone.part.toggle('dragging', isDragging);
  }

  showFile(upload: Upload): void {
    if (!this.rows.has(upload) && this.rows.size >= MOST_ROWS && upload.status !== 'failed') return;
    const { item, state, bar, retry } = this.rows.get(upload) ?? this.addRow(upload);
    const { status, sent, error, file } = upload;
    const text = this.texts.status[status];
    item.dataset.status = status;
    item.part.value = `file file-${status}`;
    state.textContent = error === null ? text : `${text}: ${error.message}`;
    bar.hidden = !['uploading', 'retrying'].includes(status);
    bar.max = Math.max(1, file.size);
    bar.value = sent;
    bar.setAttribute('aria-label', this.texts.fileProgress(file.name));
    retry.hidden = status !== 'failed';
    retry.textContent = this.texts.retry;
  }

  showSummary(text: string, progress: number, isRunning: boolean, failed: number): void {
    this.summary.hidden = false;
    this.count.textContent = text;
    this.bar.value = progress;
    this.cancel.hidden = !isRunning;
    this.retryAll.hidden = isRunning || failed < 2;
  }

  private addRow(upload: Upload): Row {
    const [item, name, retry] = [make('li'), make('span', 'name'), make('button', 'retry')];
    const row = { item, retry, state: make('span', 'state'), bar: make('progress', 'file-progress') };
    name.textContent = upload.file.name;
    name.id = `file-${this.rows.size}`;
    retry.id = `retry-${this.rows.size}`;
    retry.setAttribute('aria-labelledby', `${retry.id} ${name.id}`);
    const words = make('div');
    words.append(name, document.createElement('br'), row.state);
    item.append(words, retry, row.bar);
    retry.addEventListener('click', () => {
      this.choose.focus();
      this.actions.retry(upload);
    });
    this.list.append(item);
    this.rows.set(upload, row);
    return row;
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, part = ''): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (element instanceof HTMLButtonElement) element.type = 'button';
  if (part !== '') Object.assign(element, { className: part }).part.value = part;
  return element;
}

/** Everything that people read, so that a page can say it in its own language. */
export interface UploadTexts {
  readonly choose: string;
  readonly drop: string;
  readonly cancel: string;
  readonly retry: string;
  readonly retryAll: string;
  /** The progress of the whole, and of each file, for those who hear the page. */
  readonly progress: string;
  readonly fileProgress: (filename: string) => string;
  readonly status: Readonly<Record<UploadStatus, string>>;
  /** While files are on their way. */
  readonly running: (given: { readonly done: number; readonly total: number }) => string;
  /** After the last one. */
  readonly finished: (given: {
    readonly uploaded: number;
    readonly known: number;
    readonly failed: number;
    /** Hidden files and folders, and those of systems, in what was dropped; a folder is one. */
    readonly leftOut: number;
  }) => string;
  readonly cancelled: string;
}

const photos = (count: number) => (count === 1 ? '1 photo' : `${count} photos`);

export const englishTexts: UploadTexts = {
  choose: 'Choose photos',
  drop: 'or drop photos and folders here',
  cancel: 'Cancel',
  retry: 'Try again',
  retryAll: 'Try all failed photos again',
  progress: 'All photos',
  fileProgress: (filename) => `${filename}, uploaded`,
  status: {
    waiting: 'Waiting',
    preparing: 'Preparing',
    uploading: 'Uploading',
    retrying: 'Connection lost, trying again',
    uploaded: 'Uploaded',
    known: 'Already there',
    failed: 'Failed',
  },
  running: ({ done, total }) => `${done} of ${photos(total)} done`,
  finished: ({ uploaded, known, failed, leftOut }) =>
    [
      `${photos(uploaded)} uploaded`,
      ...(known > 0 ? [`${known} already there`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(leftOut > 0 ? [`${leftOut} hidden or system files left out`] : []),
    ].join(', '),
  cancelled: 'Cancelled',
};

/** Colours follow the `color-scheme` of the page; each can be replaced by a custom property of the same name on the element. */
const style = `
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
