import { ACCEPTED_FILES } from './accepted-files.js';
import { ask, type FinishAnswer, type FinishUploads, type RequestUploads, type UploadsAnswer } from './backend.js';
import { type Upload, Uploads } from './uploads.js';
import { englishTexts, type UploadTexts, View } from './view.js';

/** The progress of all files. */
export interface UploadProgress {
  readonly total: number;
  readonly uploaded: number;
  /** The library had them already. */
  readonly known: number;
  readonly failed: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

// Servers load the module, too, to render a page around the element.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * `<photo-upload uploads-url="/uploads" finish-url="/finish">`: lets people choose or drop photos, and sends them to Photo Service. The
 * page's own server registers them, with its key; the browser sends the bytes to the addresses that it gets back.
 *
 * Attributes: `uploads-url`, `finish-url` (asked by POST with JSON), `accept`. Events: `upload-start`; `upload-progress`, whose detail is
 * `UploadProgress`; `upload-file`, whose detail is an `Upload` that has ended; `upload-finish`, `{ importId, uploaded, known, failed }`.
 */
export class PhotoUploadElement extends Base {
  /** Instead of `uploads-url`: asks your server in a way of your own. */
  declare requestUploads?: RequestUploads | undefined;
  /** Instead of `finish-url`. */
  declare finishUploads?: FinishUploads | undefined;
  private words = englishTexts;
  private view: View | null = null;
  private uploads: Uploads | null = null;
  private isRunning = false;
  private isOutdated = false;
  private leftOut = 0;

  /** In the language of the page; what is left out stays English. */
  get texts(): UploadTexts {
    return this.words;
  }

  set texts(texts: Partial<UploadTexts>) {
    this.words = { ...englishTexts, ...texts };
    this.view?.say(this.words);
  }

  connectedCallback(): void {
    if (this.view !== null) return;
    // A page may have set it before this module was loaded, and the element was none yet.
    const early = Object.getOwnPropertyDescriptor(this, 'texts');
    if (early && Reflect.deleteProperty(this, 'texts')) this.texts = early.value;
    const actions = {
      choose: () => this.view?.input.click(),
      cancel: () => this.cancel(),
      retry: (upload?: Upload) => this.retry(upload),
    };
    const view = new View(this.attachShadow({ mode: 'open' }), actions, this.words);
    this.view = view;
    view.input.accept = this.getAttribute('accept') ?? ACCEPTED_FILES;
    view.input.addEventListener('change', () => {
      this.add(view.input.files ?? []);
      // So that the same files can be chosen again.
      view.input.value = '';
    });
    view.zone.addEventListener('dragover', (event) => {
      event.preventDefault();
      view.showDragging(true);
    });
    view.zone.addEventListener('dragleave', () => view.showDragging(false));
    view.zone.addEventListener('drop', async (event) => {
      event.preventDefault();
      view.showDragging(false);
      if (event.dataTransfer === null) return;
      const { files, leftOut } = await droppedFiles(event.dataTransfer);
      this.leftOut += leftOut;
      this.add(files);
    });
  }

  disconnectedCallback(): void {
    // Frameworks move elements: then it is connected again at once.
    queueMicrotask(() => !this.isConnected && this.stop());
  }

  /** Uploads these, as if a person had chosen them. */
  add(files: Iterable<File>): void {
    const some = [...files];
    if (some.length === 0) return;
    this.begin();
    this.uploads?.add(some);
    this.view?.announce(this.words.running({ done: 0, total: some.length }));
  }

  /** Tries failed photos again: this one, or all. */
  retry(upload?: Upload): void {
    this.begin();
    this.uploads?.retry(upload);
  }

  /** Ends what is on its way. Photos that have arrived are not deleted. */
  cancel(): void {
    this.stop();
    this.remember(null);
    this.view?.announce(this.words.cancelled);
    this.view?.showSummary(this.words.cancelled, 0, false, 0);
  }

  private begin(): void {
    const asked = this.getAttribute('uploads-url') ?? '';
    const finished = this.getAttribute('finish-url') ?? '';
    this.uploads ??= new Uploads(
      {
        requestUploads: this.requestUploads ?? ((question, signal) => ask<UploadsAnswer>(asked, question, signal)),
        finishUploads: this.finishUploads ?? ((given, signal) => ask<FinishAnswer>(finished, given, signal)),
      },
      { onChange: (upload) => this.changed(upload), onFinish: (given) => this.ended(given) },
      Number(storage()?.getItem(this.storageKey)) || null,
    );
    if (this.isRunning) return;
    this.isRunning = true;
    addEventListener('beforeunload', warn);
    this.tell('upload-start', {});
  }

  private stop(): void {
    this.uploads?.stop();
    this.uploads = null;
    this.rest();
  }

  private rest(): void {
    this.isRunning = false;
    removeEventListener('beforeunload', warn);
  }

  private changed(upload: Upload): void {
    this.view?.showFile(upload);
    if (upload.status === 'retrying') this.view?.announce(this.words.status.retrying);
    if (['uploaded', 'known', 'failed'].includes(upload.status)) this.tell('upload-file', upload);
    if (this.isOutdated) return;
    // Once for all files that are added together.
    this.isOutdated = true;
    queueMicrotask(() => this.update());
  }

  private update(): void {
    this.isOutdated = false;
    if (!this.isRunning) return;
    const progress = this.progress();
    const { total, uploaded, known, failed, bytes, totalBytes } = progress;
    const text = this.words.running({ done: uploaded + known + failed, total });
    this.view?.showSummary(text, totalBytes === 0 ? 0 : bytes / totalBytes, true, failed);
    this.tell('upload-progress', progress);
    this.remember(this.uploads?.openImport ?? null);
  }

  private ended({ importId }: { readonly importId: number | null }): void {
    const { uploaded, known, failed } = this.progress();
    const text = this.words.finished({ uploaded, known, failed, leftOut: this.leftOut });
    this.rest();
    this.leftOut = 0;
    this.remember(null);
    this.view?.showSummary(text, 1, false, failed);
    this.view?.announce(text);
    this.tell('upload-finish', { importId, uploaded, known, failed });
  }

  private progress(): UploadProgress {
    const all = this.uploads?.all ?? [];
    const count = (status: Upload['status']) => all.filter((upload) => upload.status === status).length;
    const sum = (bytes: (upload: Upload) => number) => all.reduce((total, upload) => total + bytes(upload), 0);
    const [uploaded, known, failed] = [count('uploaded'), count('known'), count('failed')];
    const totalBytes = sum(({ file }) => file.size);
    const bytes = sum(({ status, sent, file }) => (status === 'failed' ? file.size : sent));
    return { total: all.length, uploaded, known, failed, bytes, totalBytes };
  }

  private tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** An import that a reload of the page interrupted: the same files, chosen again, continue where they were. */
  private get storageKey(): string {
    return `photo-upload:${this.id || this.getAttribute('uploads-url') || ''}`;
  }

  private remember(importId: number | null): void {
    if (importId === null) storage()?.removeItem(this.storageKey);
    else storage()?.setItem(this.storageKey, String(importId));
  }
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Null where the browser keeps nothing for this page. */
function storage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/**
 * The files of a drop, those in its folders included, but for hidden ones and those of systems, and the number of what was left out; a folder
 * is one.
 */
async function droppedFiles({ items, files }: DataTransfer): Promise<{ files: readonly File[]; leftOut: number }> {
  // The list is emptied once the event is over, so all of it is taken before anything is waited for.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found = { files: [] as File[], leftOut: 0 };
  if (entries.length === 0) found.files.push(...files);
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry: FileSystemEntry, found: { files: File[]; leftOut: number }): Promise<void> {
  if (entry.name.startsWith('.') || (!entry.isFile && SYSTEM_FOLDERS.test(entry.name))) {
    found.leftOut += 1;
    return;
  }
  try {
    if (entry.isFile) {
      const file = entry as FileSystemFileEntry;
      found.files.push(await new Promise<File>((resolve, reject) => file.file(resolve, reject)));
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      // At most 100 at a time, and none at the end.
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const each of some) await walk(each, found);
    }
  } catch {
    found.files.push(unreadable(entry.name));
  }
}

/** Folders of systems, network drives and programs, thumbnails and rubbish bins among them. */
const SYSTEM_FOLDERS =
  /^(@eaDir|@Recycle|@Recently-Snapshot|#recycle|#snapshot|\.@__thumb|\.thumbnails|\$RECYCLE\.BIN|RECYCLER|System Volume Information|lost\+found|FOUND\.\d{3}|__MACOSX)$/i;

/** Stands for a file or a folder that the browser cannot read, and fails where it is seen: the others are uploaded. */
function unreadable(name: string): File {
  return Object.assign(new File([], name), { arrayBuffer: () => Promise.reject(new Error(`${name} cannot be read`)) });
}
