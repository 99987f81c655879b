// Photos that are dropped anywhere on the page: nobody has to aim.

import { carriesFiles, droppedFiles, type FoundFiles } from './import-files.js';

export function takeDrops(section: HTMLElement, form: HTMLFormElement, take: (found: FoundFiles) => void): void {
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
