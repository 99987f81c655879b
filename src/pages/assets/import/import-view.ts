// Shows an import on its way: the whole, each file, the photos that have arrived, and in the end what did not come in.

import { publicPath } from '../public-path.js';
import type { Entry, EntryState } from './import-files.js';
import type { ImportRun } from './import-run.js';
import type { ImportState } from './import-service.js';

const ROWS = 60;
const stateWords: Readonly<Record<EntryState, string>> = {
  waiting: 'Waiting',
  hashing: 'Reading',
  hashed: 'Waiting',
  announcing: 'Asking',
  ready: 'Waiting',
  sending: 'Sending',
  arrived: 'Sent',
  known: 'Skipped',
  refused: 'Rejected',
  lost: 'Failed',
};

export interface Failure {
  readonly path: string;
  readonly reason: string;
}

export class ImportView {
  private readonly previews: ImportPreviews;
  private readonly rows = new Map<Entry, Row>();
  private drawn: number | null = null;

  constructor(private readonly card: HTMLElement) {
    this.previews = new ImportPreviews(this.part('arrived'));
  }

  /** An element of the page, by its name there. */
  part<T extends HTMLElement>(name: string): T {
    const found = this.card.querySelector<T>(`[data-run="${name}"]`);
    if (found === null) throw new Error(`The page has no part ${name}.`);
    return found;
  }

  /** Draws what changed, once for all changes of a frame. */
  show(run: ImportRun, entry: Entry | null): void {
    this.card.hidden = false;
    if (entry) this.showRow(entry);
    this.drawn ??= requestAnimationFrame(() => {
      this.drawn = null;
      this.showWhole(run);
    });
  }

  say(text: string): void {
    const place = this.part('summary');
    if (place.textContent !== text) place.textContent = text;
  }

  /** The actions that people are offered when not everything has come. */
  offer({ again = false, finish = false }: { again?: boolean; finish?: boolean }): void {
    this.part('pause').hidden = again || finish;
    this.part('again').hidden = !again;
    this.part('finish').hidden = !finish;
  }

  /** Nothing more is sent; the service looks at the files. */
  showFinishing({ progress }: ImportState): void {
    this.offer({});
    this.part('pause').hidden = true;
    this.part('title').textContent = 'Processing the photos';
    this.say('They appear in your library when all of them have been checked.');
    this.part<HTMLProgressElement>('total').value = progress;
  }

  /** Nothing of what was chosen or dropped is to be imported. */
  showNothing(leftOut: number): void {
    this.card.hidden = false;
    this.clear();
    for (const name of ['pause', 'total', 'files', 'rest']) this.part(name).hidden = true;
    this.part('title').textContent = 'Nothing to import';
    this.say(leftOutText(leftOut).trim());
  }

  /** The end: counts, and what did not come in, with reasons. `failed` can be tried again. */
  showReport(
    { id, counts }: ImportState,
    failures: readonly Failure[],
    failed: readonly Entry[],
    leftOut: number,
  ): void {
    this.offer({});
    for (const entry of failed) this.previews.remove(entry);
    for (const name of ['pause', 'total', 'files', 'rest']) this.part(name).hidden = true;
    const known = counts.duplicate === 0 ? '' : ` ${counted(counts.duplicate, 'photo')} were already in your library.`;
    this.part('title').textContent = failures.length === 0 ? 'Imported' : 'Imported, with failures';
    this.say(`${counted(counts.imported, 'photo')} imported.${known}${leftOutText(leftOut)}`);
    this.part('report').hidden = failures.length === 0;
    this.part('retry').hidden = failed.length === 0;
    this.part('failures').replaceChildren(
      ...failures.map(({ path, reason }) => {
        const line = document.createElement('li');
        line.append(named('strong', '', path), ' ', named('span', 'soft', reason));
        return line;
      }),
    );
    this.part<HTMLAnchorElement>('details').href = publicPath(`/settings/imports/${id}`);
    this.part('details').hidden = false;
    this.part<HTMLAnchorElement>('show').href = publicPath(`/settings/library?import=${id}`);
    this.part('show').hidden = counts.imported === 0;
  }

  /** Makes place for another import. */
  clear(): void {
    this.rows.clear();
    this.previews.clear();
    this.part('files').replaceChildren();
    for (const name of ['pause', 'total', 'files']) this.part(name).hidden = false;
    for (const name of ['report', 'details', 'show', 'again', 'finish']) this.part(name).hidden = true;
  }

  private showWhole(run: ImportRun): void {
    const size = sum(run.entries, ({ file }) => file.size);
    const done = sum(run.entries, ({ hasEnded, file, sentBytes }) => (hasEnded ? file.size : sentBytes));
    const ended = run.entries.filter(({ hasEnded }) => hasEnded).length;
    const { seconds } = run.retries;
    this.part('title').textContent = run.isPaused ? (seconds === null ? 'Paused' : 'Waiting') : 'Importing';
    this.part('pause').textContent = run.isPaused ? (seconds === null ? 'Continue' : 'Try now') : 'Pause';
    this.part<HTMLProgressElement>('total').value = size === 0 ? 0 : done / size;
    const next = seconds === null ? '' : ` Next try in ${seconds} s.`;
    this.say(
      run.trouble
        ? run.trouble + next
        : `${ended} of ${counted(run.entries.length, 'file')}, ${bytes(done)} of ${bytes(size)}`,
    );
    const hidden = run.entries.filter(({ state }) => state !== 'arrived').length - this.rows.size;
    this.part('rest').hidden = hidden <= 0;
    this.part('rest').textContent = `and ${counted(hidden, 'file')} more`;
  }

  /** Files that have arrived are shown as pictures. */
  private showRow(entry: Entry): void {
    if (entry.state === 'arrived') {
      this.previews.add(entry);
      this.rows.get(entry)?.element.remove();
      this.rows.delete(entry);
      return;
    }
    const row = this.rows.get(entry) ?? this.addRow(entry);
    if (row === null) return;
    row.element.dataset.state = entry.state;
    row.state.textContent = entry.reason || stateWords[entry.state];
    row.bar.hidden = entry.state !== 'sending';
    row.bar.value = entry.file.size === 0 ? 0 : entry.sentBytes / entry.file.size;
  }

  /** There is room for so many; those that are well and over make place. */
  private addRow(entry: Entry): Row | null {
    if (this.rows.size >= ROWS) {
      const over = [...this.rows].find(([{ state }]) => state === 'known');
      if (over === undefined) return null;
      over[1].element.remove();
      this.rows.delete(over[0]);
    }
    const row = new Row(entry);
    this.part('files').append(row.element);
    this.rows.set(entry, row);
    return row;
  }
}

class Row {
  readonly element = document.createElement('li');
  readonly bar = Object.assign(document.createElement('progress'), { max: 1 });
  readonly state = named('span', 'state', '');

  constructor({ path, file }: Entry) {
    this.bar.setAttribute('aria-label', path);
    this.element.append(named('span', 'name', path), named('span', 'size', bytes(file.size)), this.bar, this.state);
  }
}

function named(element: string, className: string, text: string): HTMLElement {
  return Object.assign(document.createElement(element), { className, textContent: text });
}

function sum<T>(list: readonly T[], value: (each: T) => number): number {
  return list.reduce((total, each) => total + value(each), 0);
}

function leftOutText(count: number): string {
  if (count === 0) return '';
  const what =
    count === 1 ? '1 hidden or system file or folder was' : `${count} hidden or system files and folders were`;
  return ` ${what} left out.`;
}

function counted(count: number, one: 'file' | 'photo'): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString()} ${one}s`;
}

function bytes(count: number): string {
  if (count < 1e6) return `${Math.ceil(count / 1e3)} kB`;
  return count < 1e9 ? `${(count / 1e6).toFixed(1)} MB` : `${(count / 1e9).toFixed(2)} GB`;
}

// The files that have arrived, as small pictures, drawn one after another from the files themselves.
/** More than a screen of them; of an import of thousands the last ones are seen. */
const MOST = 120;
/** In pixels of the device: twice the size of a tile. */
const SIZE = 192;

class ImportPreviews {
  private drawing: Promise<void> = Promise.resolve();
  private readonly tiles = new Map<Entry, HTMLElement>();

  constructor(private readonly list: HTMLElement) {}

  add(entry: Entry): void {
    if (this.tiles.has(entry)) return;
    const tile = document.createElement('li');
    this.tiles.set(entry, tile);
    tile.title = entry.path;
    const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
    tile.append(Object.assign(document.createElement('span'), { textContent: name }));
    this.list.append(tile);
    this.list.hidden = false;
    if (this.list.children.length > MOST) this.list.firstElementChild?.remove();
    // One at a time: a photo that is decoded takes 100 MB.
    this.drawing = this.drawing.then(() => draw(entry.file, tile));
  }

  /** It turned out not to be a photo. */
  remove(entry: Entry): void {
    this.tiles.get(entry)?.remove();
    this.list.hidden = this.list.children.length === 0;
  }

  clear(): void {
    this.tiles.clear();
    this.list.replaceChildren();
    this.list.hidden = true;
  }
}

/** Formats that this browser does not know keep their name. */
async function draw(file: File, tile: HTMLElement): Promise<void> {
  if (!tile.isConnected) return;
  const whole = await createImageBitmap(file).catch(() => null);
  if (whole === null) return;
  const side = Math.min(whole.width, whole.height);
  const [left, top] = [(whole.width - side) / 2, (whole.height - side) / 2];
  const canvas = Object.assign(document.createElement('canvas'), { width: SIZE, height: SIZE });
  canvas.getContext('2d')?.drawImage(whole, left, top, side, side, 0, 0, SIZE, SIZE);
  whole.close();
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', tile.title);
  tile.replaceChildren(canvas);
}
