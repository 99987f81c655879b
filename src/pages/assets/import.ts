// Takes photos that are dropped on the page or chosen, and sees them into the library.

import { carriesFiles, chosenFiles, droppedFiles, type Entry, type FoundFiles } from './import/import-files.js';
import { ImportRun } from './import/import-run.js';
import { type ImportState, Refused, service } from './import/import-service.js';
import { type Failure, ImportView } from './import/import-view.js';
import { publicPath } from './public-path.js';

const EVERY_MS = 700;
const RETRY_SECONDS = 5;

const section = document.querySelector<HTMLElement>('[data-importer]');
const form = section?.querySelector('form');
const card = section?.querySelector<HTMLElement>('.import-run');
if (section && form && card) startImporter(section, form, new ImportView(card));

function startImporter(section: HTMLElement, form: HTMLFormElement, view: ImportView): void {
  const tags = form.querySelector<HTMLInputElement>('[name="tags"]');
  let run: ImportRun | null = null;
  /** The entries of the last import that can be tried again. */
  let failed: readonly Entry[] = [];
  let leftOut = 0;
  /** An import that was begun before: choosing the same files again continues it. */
  let begunBefore = Number(section.dataset.importer) || null;

  const take = (found: FoundFiles, tagNames = namesIn(tags?.value ?? '')) => {
    if (found.files.length === 0) {
      if (run === null && found.leftOut > 0) view.showNothing(found.leftOut);
      return;
    }
    if (run === null) {
      view.clear();
      leftOut = 0;
      run = newRun();
      document.body.classList.add('importing');
    }
    form.hidden = false;
    leftOut += found.leftOut;
    run.add(found.files, tagNames);
  };

  function newRun(): ImportRun {
    const clientRef = `settings-${randomName()}`;
    const run: ImportRun = new ImportRun({
      begin: async () => begunBefore ?? (await service.begin(clientRef)).id,
      changed: (entry) => {
        view.show(run, entry);
        if (run.importId !== null) noteInAddress(section, run.importId);
      },
      settled: () => void settle(run),
    });
    return run;
  }

  async function settle(ended: ImportRun): Promise<void> {
    if (ended.entries.some(({ state }) => state === 'lost')) view.offer({ again: true, finish: true });
    else await finish(ended, 'reject');
  }

  async function finish(ended: ImportRun, missingUploads: 'reject' | 'fail'): Promise<void> {
    try {
      const id = ended.importId ?? 0;
      await untilAnswered(() => service.finish(id, missingUploads), view);
      await report(ended, id);
    } catch (error) {
      const missing = error instanceof Refused && error.code === 'uploads_incomplete' ? error.details.missing : null;
      view.offer({ again: missing === null, finish: true });
      view.say(missing === null ? String((error as Error).message) : incomplete(Number(missing)));
    }
  }

  async function report(ended: ImportRun, id: number): Promise<void> {
    let state = await untilAnswered(() => service.state(id), view);
    while (state.status === 'processing') {
      view.showFinishing(state);
      await delay(EVERY_MS);
      state = await untilAnswered(() => service.state(id), view);
    }
    failed = entriesThatFailed(ended.entries, state);
    view.showReport(state, failuresOf(ended.entries, state), failed, leftOut);
    run = null;
    begunBefore = null;
    document.body.classList.remove('importing');
    noteInAddress(section, null);
    if (tags) tags.value = '';
    document.dispatchEvent(new Event('photos-imported'));
  }

  view.part('pause').addEventListener('click', () => (run?.isPaused ? run.resume() : run?.pause()));
  view.part('again').addEventListener('click', () => {
    view.offer({});
    if (run?.entries.some(({ state }) => state === 'lost')) run.tryAgain();
    else if (run) void finish(run, 'reject');
  });
  view.part('finish').addEventListener('click', () => run && void finish(run, 'fail'));
  view.part('retry').addEventListener('click', () => {
    for (const { found, tagNames } of failed) take({ files: [found], leftOut: 0 }, tagNames);
  });
  addEventListener('online', () => run?.trouble && run.resume());
  addEventListener('beforeunload', (event) => {
    if (run !== null) event.preventDefault();
  });

  for (const input of form.querySelectorAll<HTMLInputElement>('input[type="file"]')) {
    input.webkitdirectory = input.dataset.folder !== undefined;
    input.addEventListener('change', () => {
      take(chosenFiles(input));
      // The same files can be chosen once more.
      input.value = '';
    });
  }
  for (const part of form.querySelectorAll<HTMLElement>('[data-scripted]')) part.hidden = false;
  takeDrops(section, form, take);
}

/** Goes on asking, and says so, while there is no answer. */
async function untilAnswered<T>(ask: () => Promise<T>, view: ImportView): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused) || !error.mayPass || error.status === 401) throw error;
      for (let seconds = RETRY_SECONDS; seconds > 0; seconds -= 1) {
        view.say(`${error.message} Next try in ${seconds} s.`);
        await delay(1000);
      }
    }
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** After a reload the page goes on with this import; null: with none. */
function noteInAddress(section: HTMLElement, importId: number | null): void {
  if (section.dataset.importer === String(importId ?? '')) return;
  section.dataset.importer = String(importId ?? '');
  const address = importId === null ? location.pathname : `?import=${importId}`;
  if (location.pathname === publicPath('/settings/import')) history.replaceState(null, '', address);
}

/** Files that were rejected, and those that turned out not to be pictures. */
function entriesThatFailed(entries: readonly Entry[], { failed }: ImportState): readonly Entry[] {
  const ids = new Set(failed.map(({ id }) => id));
  return entries.filter(
    ({ state, item }) => state === 'refused' || state === 'lost' || (item !== null && ids.has(item.id)),
  );
}

/** With the reasons; among them files of an earlier visit, which are no longer at hand. */
function failuresOf(entries: readonly Entry[], state: ImportState): readonly Failure[] {
  const reasons = new Map(state.failed.map(({ id, reason }) => [id, reason]));
  const ours = entriesThatFailed(entries, state);
  const known = new Set(ours.map(({ item }) => item?.id));
  return [
    ...ours.map(({ path, item, reason }) => ({ path, reason: (item && reasons.get(item.id)) || reason })),
    ...state.failed.filter(({ id }) => !known.has(id)).map(({ filename, reason }) => ({ path: filename, reason })),
  ];
}

function namesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

function incomplete(missing: number): string {
  const files = missing === 1 ? '1 file' : `${missing} files`;
  return `${files} of this import ${missing === 1 ? 'is' : 'are'} missing. Select the missing files again, or finish without them.`;
}

/** crypto.randomUUID is there only by TLS or on this machine. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Photos that are dropped anywhere on the page: no one has to aim.
function takeDrops(section: HTMLElement, form: HTMLFormElement, take: (found: FoundFiles) => void): void {
  let over = 0;
  const show = (by: number) => {
    over = Math.max(0, over + by);
    document.body.classList.toggle('dropping', over > 0);
    if (section.dataset.waits !== undefined && over > 0) form.hidden = false;
  };
  addEventListener('dragenter', (event) => carriesFiles(event) && show(1));
  addEventListener('dragleave', (event) => carriesFiles(event) && show(-1));
  addEventListener('dragover', (event) => carriesFiles(event) && event.preventDefault());
  addEventListener('drop', async (event) => {
    if (event.dataTransfer === null || !carriesFiles(event)) return;
    event.preventDefault();
    show(-over);
    section.scrollIntoView({ block: 'nearest' });
    take(await droppedFiles(event.dataTransfer));
  });
}
