// Shows an import on its way: the whole, each file, and in the end what did not come in.

const ROWS = 60;
const stateWords = {
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

export class ImportView {
  #card;
  #rows = new Map();
  #drawn = null;

  constructor(card) {
    this.#card = card;
  }

  part(name) {
    return this.#card.querySelector(`[data-run="${name}"]`);
  }

  /** Draws what changed, once for all changes of a frame. */
  show(run, entry) {
    this.#card.hidden = false;
    if (entry) this.#showRow(entry);
    this.#drawn ??= requestAnimationFrame(() => {
      this.#drawn = null;
      this.#showWhole(run);
    });
  }

  #showWhole(run) {
    const size = sum(run.entries, ({ file }) => file.size);
    const done = sum(run.entries, ({ hasEnded, file, sentBytes }) => (hasEnded ? file.size : sentBytes));
    const ended = run.entries.filter(({ hasEnded }) => hasEnded).length;
    this.part('title').textContent = run.isPaused ? 'Paused' : 'Importing';
    this.part('pause').textContent = run.isPaused ? 'Continue' : 'Pause';
    this.part('total').value = size === 0 ? 0 : done / size;
    this.say(run.trouble || `${ended} of ${files(run.entries.length)}, ${bytes(done)} of ${bytes(size)}`);
    const hidden = run.entries.length - this.#rows.size;
    this.part('rest').hidden = hidden === 0;
    this.part('rest').textContent = `and ${files(hidden)} more`;
  }

  say(text) {
    const place = this.part('summary');
    if (place.textContent !== text) place.textContent = text;
  }

  #showRow(entry) {
    const row = this.#rows.get(entry) ?? this.#addRow(entry);
    if (row === null) return;
    row.dataset.state = entry.state;
    row.querySelector('.state').textContent = entry.reason || stateWords[entry.state];
    const bar = row.querySelector('progress');
    bar.hidden = entry.state !== 'sending';
    bar.value = entry.file.size === 0 ? 0 : entry.sentBytes / entry.file.size;
  }

  /** There is room for so many; those that are well and over make place. */
  #addRow(entry) {
    if (this.#rows.size >= ROWS) {
      const over = [...this.#rows.keys()].find(({ state }) => state === 'arrived' || state === 'known');
      if (over === undefined) return null;
      this.#rows.get(over).remove();
      this.#rows.delete(over);
    }
    const row = document.createElement('li');
    const bar = Object.assign(document.createElement('progress'), { max: 1 });
    bar.setAttribute('aria-label', entry.path);
    row.append(named('span', 'name', entry.path), named('span', 'size', bytes(entry.file.size)));
    row.append(bar, named('span', 'state', ''));
    this.part('files').append(row);
    this.#rows.set(entry, row);
    return row;
  }

  /** Offers what can be done when not everything has come. */
  offer({ again = false, finish = false }) {
    this.part('pause').hidden = again || finish;
    this.part('again').hidden = !again;
    this.part('finish').hidden = !finish;
  }

  /** Nothing is sent any more; the service looks at the files. */
  showFinishing({ progress }) {
    this.offer({});
    this.part('pause').hidden = true;
    this.part('title').textContent = 'Processing the photos';
    this.part('total').value = progress;
  }

  /** The end: counts, and what did not come in, with reasons. */
  showReport({ id, counts }, failures) {
    this.offer({});
    for (const name of ['pause', 'total', 'files', 'rest']) this.part(name).hidden = true;
    const known = counts.duplicate === 0 ? '' : ` ${photos(counts.duplicate)} were already in your library.`;
    this.part('title').textContent = failures.length === 0 ? 'Imported' : 'Imported, with failures';
    this.say(`${photos(counts.imported)} imported.${known}`);
    const report = this.part('report');
    report.hidden = failures.length === 0;
    report.querySelector('ul').replaceChildren(
      ...failures.map(({ path, reason }) => {
        const line = document.createElement('li');
        line.append(named('strong', '', path), ' ', named('span', 'soft', reason));
        return line;
      }),
    );
    this.part('details').href = `/settings/imports/${id}`;
    this.part('details').hidden = false;
    this.part('show').href = `/settings/library?import=${id}`;
    this.part('show').hidden = counts.imported === 0;
  }

  /** Makes place for another import. */
  clear() {
    this.#rows.clear();
    this.part('files').replaceChildren();
    for (const name of ['pause', 'total', 'files']) this.part(name).hidden = false;
    for (const name of ['report', 'details', 'show', 'again', 'finish']) this.part(name).hidden = true;
  }
}

function named(element, className, text) {
  return Object.assign(document.createElement(element), { className, textContent: text });
}

function sum(list, value) {
  return list.reduce((total, each) => total + value(each), 0);
}

function files(count) {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`;
}

function photos(count) {
  return count === 1 ? '1 photo' : `${count.toLocaleString('en')} photos`;
}

function bytes(count) {
  return count < 1e6
    ? `${Math.ceil(count / 1e3)} kB`
    : count < 1e9
      ? `${(count / 1e6).toFixed(1)} MB`
      : `${(count / 1e9).toFixed(2)} GB`;
}
