// Takes photos that are dropped on the page or chosen, and sees them into the library.

import { carriesFiles, chosenFiles, droppedFiles } from './import-files.js';
import { ImportRun } from './import-run.js';
import { service } from './import-service.js';
import { ImportView } from './import-view.js';

const section = document.querySelector('[data-importer]');
if (section) startImporter(section);

function startImporter(section) {
  const form = section.querySelector('form');
  const view = new ImportView(section.querySelector('.import-run'));
  const tags = form.querySelector('[name="tags"]');
  let run = null;
  /** An import that was begun before: whoever chooses the same files again goes on with it. */
  let begunBefore = Number(section.dataset.importer) || null;

  const take = (found) => {
    if (found.length === 0) return;
    if (run === null) {
      view.clear();
      run = newRun();
      document.body.classList.add('importing');
      if (tags) tags.readOnly = true;
    }
    form.hidden = false;
    run.add(found);
  };

  function newRun() {
    const clientRef = `settings-${randomName()}`;
    const run = new ImportRun({
      begin: async () => begunBefore ?? (await service.begin(clientRef, tagNames(tags))).id,
      changed: (entry) => {
        view.show(run, entry);
        if (run.importId !== null) rememberInAddress(section, run.importId);
      },
      settled: () => settle(run),
    });
    return run;
  }

  /** All that could be sent is sent. */
  async function settle(run) {
    if (run.entries.some(({ state }) => state === 'lost')) {
      view.offer({ again: true, finish: true });
      return;
    }
    await finish('reject');
  }

  async function finish(missingUploads) {
    try {
      await service.finish(run.importId, missingUploads);
      await report();
    } catch (error) {
      const isIncomplete = error.code === 'uploads_incomplete';
      view.offer({ again: !isIncomplete, finish: true });
      view.say(isIncomplete ? incomplete(error.details.missing) : error.message);
    }
  }

  async function report() {
    let state = await service.state(run.importId);
    while (state.status === 'processing') {
      view.showFinishing(state);
      await new Promise((resolve) => setTimeout(resolve, 700));
      state = await service.state(run.importId);
    }
    view.showReport(state, failures(run.entries, state.failed));
    run = null;
    begunBefore = null;
    document.body.classList.remove('importing');
    forgetAddress(section);
    if (tags) Object.assign(tags, { readOnly: false, value: '' });
    document.dispatchEvent(new Event('photos-imported'));
  }

  view.part('pause').addEventListener('click', () => (run.isPaused ? run.resume() : run.pause()));
  view.part('again').addEventListener('click', () => {
    view.offer({});
    if (run.entries.some(({ state }) => state === 'lost')) run.tryAgain();
    else finish('reject');
  });
  view.part('finish').addEventListener('click', () => finish('fail'));
  addEventListener('online', () => run?.trouble && run.resume());
  addEventListener('beforeunload', (event) => {
    if (run !== null) event.preventDefault();
  });

  const [files, folder] = section.querySelectorAll('input[type="file"]');
  folder.webkitdirectory = true;
  section.querySelector('[data-scripted]').hidden = false;
  for (const input of [files, folder]) {
    input.addEventListener('change', () => {
      take(chosenFiles(input));
      // The same files can be chosen once more.
      input.value = '';
    });
  }
  takeDrops(section, form, take);
}

/** Anywhere on the page: nobody has to aim. */
function takeDrops(section, form, take) {
  let over = 0;
  const show = (by) => {
    over = Math.max(0, over + by);
    document.body.classList.toggle('dropping', over > 0);
    if (section.dataset.waits !== undefined && over > 0) form.hidden = false;
  };
  addEventListener('dragenter', (event) => carriesFiles(event) && show(1));
  addEventListener('dragleave', (event) => carriesFiles(event) && show(-1));
  addEventListener('dragover', (event) => carriesFiles(event) && event.preventDefault());
  addEventListener('drop', async (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    show(-over);
    section.scrollIntoView({ block: 'nearest' });
    take(await droppedFiles(event.dataTransfer));
  });
}

/** After a reload the page goes on with this import. */
function rememberInAddress(section, importId) {
  if (section.dataset.importer === String(importId)) return;
  section.dataset.importer = importId;
  if (location.pathname === '/settings/import') history.replaceState(null, '', `/settings/import?import=${importId}`);
}

function forgetAddress(section) {
  section.dataset.importer = '';
  if (location.pathname === '/settings/import') history.replaceState(null, '', '/settings/import');
}

/** Failed files: those that were rejected, and those that turned out not to be pictures. */
function failures(entries, failedItems) {
  const paths = new Map(entries.filter(({ item }) => item).map(({ item, path }) => [item.id, path]));
  const refused = entries.filter(
    ({ state, item }) => (state === 'refused' || state === 'lost') && !isAmong(failedItems, item),
  );
  return [
    ...refused.map(({ path, reason }) => ({ path, reason })),
    ...failedItems.map(({ id, filename, reason }) => ({ path: paths.get(id) ?? filename, reason })),
  ];
}

function isAmong(items, item) {
  return item !== null && items.some(({ id }) => id === item.id);
}

function tagNames(field) {
  const names = (field?.value ?? '').split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

function incomplete(missing) {
  const files = missing === 1 ? '1 file' : `${missing} files`;
  return `${files} of this import ${missing === 1 ? 'is' : 'are'} missing. Select the missing files again, or finish without them.`;
}

/** crypto.randomUUID is there only by TLS or on this machine. */
function randomName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
