import { style } from './style.js';
import type { UploadTexts } from './texts.js';
import type { Upload } from './uploads.js';

/** More rows slow a page down; failed files always have one. */
const MOST_ROWS = 200;

interface Row {
  readonly item: HTMLLIElement;
  readonly state: HTMLSpanElement;
  readonly bar: HTMLProgressElement;
  readonly retry: HTMLButtonElement;
}

/** The actions of a person. */
interface ViewActions {
  choose(): void;
  cancel(): void;
  retry(upload?: Upload): void;
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
    private readonly actions: ViewActions,
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
