import type { AnnouncedFile, FinishUploads, Refusal, RequestUploads, UploadTarget } from './backend.js';
import { NotTaken, send } from './send.js';

/** `waiting`, `preparing` (it is hashed and registered), `uploading`, `retrying` (there is no connection), then one of the others. */
export type UploadStatus = 'waiting' | 'preparing' | 'uploading' | 'retrying' | 'uploaded' | 'known' | 'failed';

/** One file on its way. */
export interface Upload {
  readonly file: File;
  readonly status: UploadStatus;
  /** Bytes that have arrived, as far as the browser knows. */
  readonly sent: number;
  /** Why it failed. */
  readonly error: Refusal | null;
}

interface Entry extends Upload {
  status: UploadStatus;
  sent: number;
  error: Refusal | null;
  announced: AnnouncedFile | null;
  target: UploadTarget | null;
}

const AT_ONCE = 3;
const BATCH = { files: 500, milliseconds: 2000 };
const ATTEMPTS = 8;
const LONGEST_PAUSE_MS = 30_000;
/** The same bytes may be taken later. */
const PASSING = new Set([0, 408, 429, 500, 502, 503, 504]);
/** Another request to the same target has not ended. */
const BEHIND = new Set(['upload_in_progress', 'upload_offset_mismatch']);
/** The target has expired. */
const STALE = new Set([401, 403, 404, 409, 410]);

/** Files on their way to the service, some at a time. It knows nothing of the page. */
export class Uploads {
  private readonly entries: Entry[] = [];
  private readonly stopped = new AbortController();
  private importId: number | null;
  private isPreparing = false;
  private sending = 0;
  private isFinishing = false;
  /** Whether something was added since the last end. */
  private isOpen = false;
  /** Whether the import is of an earlier visit, and may have ended meanwhile. */
  private isOfEarlier: boolean;

  /** @param importId An import that was interrupted. */
  constructor(
    private readonly backend: { readonly requestUploads: RequestUploads; readonly finishUploads: FinishUploads },
    // The second is called when nothing more is to be sent.
    private readonly listener: {
      onChange(upload: Upload): void;
      onFinish(given: { readonly importId: number | null }): void;
    },
    importId: number | null = null,
  ) {
    this.importId = importId;
    this.isOfEarlier = importId !== null;
  }

  get all(): readonly Upload[] {
    return this.entries;
  }

  /** The import that is open; null before the first file is registered, and after its end. */
  get openImport(): number | null {
    return this.importId;
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      const entry: Entry = { file, status: 'waiting', sent: 0, error: null, announced: null, target: null };
      this.entries.push(entry);
      this.listener.onChange(entry);
    }
    void this.prepare();
  }

  /** Tries failed files again: this one, or all. */
  retry(one?: Upload): void {
    const again = this.entries.filter((entry) => entry.status === 'failed' && (one === undefined || entry === one));
    for (const entry of again) this.change(entry, { status: 'waiting', error: null, sent: 0, target: null });
    void this.prepare();
  }

  /** Ends everything that is on its way. What has arrived remains with the import. */
  stop(): void {
    this.stopped.abort(new DOMException('The upload was cancelled.', 'AbortError'));
  }

  private change(entry: Entry, values: Partial<Entry>): void {
    if (this.stopped.signal.aborted) return;
    Object.assign(entry, values);
    this.listener.onChange(entry);
  }

  private fail(entry: Entry, error: Refusal): void {
    this.change(entry, { status: 'failed', error });
  }

  /** Hashes and registers what waits, as many at a time as two seconds allow: each batch is one request to the backend. */
  private async prepare(): Promise<void> {
    this.isOpen = true;
    if (this.isPreparing || this.isFinishing) return;
    this.isPreparing = true;
    while (!this.stopped.signal.aborted && this.entries.some(({ status }) => status === 'waiting')) {
      await this.register(await this.nextBatch());
      this.fill();
    }
    this.isPreparing = false;
    await this.finishIfDone();
  }

  private async nextBatch(): Promise<Entry[]> {
    const batch: Entry[] = [];
    const until = performance.now() + BATCH.milliseconds;
    for (const entry of this.entries.filter(({ status }) => status === 'waiting').slice(0, BATCH.files)) {
      this.change(entry, { status: 'preparing' });
      const sha256 = entry.announced?.sha256 ?? (await hash(entry.file));
      if (typeof sha256 !== 'string') {
        this.fail(entry, sha256);
      } else if (batch.some(({ announced }) => announced?.sha256 === sha256)) {
        this.change(entry, { status: 'known', sent: entry.file.size });
      } else {
        entry.announced = { filename: entry.file.name, sizeBytes: entry.file.size, sha256, clientRef: sha256 };
        batch.push(entry);
      }
      if (performance.now() > until) break;
    }
    return batch;
  }

  private async register(batch: readonly Entry[]): Promise<void> {
    if (batch.length === 0) return;
    const files = batch.flatMap(({ announced }) => announced ?? []);
    const ask = async (importId: number | null) =>
      this.backend.requestUploads({ importId, files }, this.stopped.signal);
    const { isOfEarlier } = this;
    this.isOfEarlier = false;
    try {
      const { importId, uploads } = await ask(this.importId).catch((error: unknown) => {
        if (isOfEarlier) return ask(null);
        throw error;
      });
      this.importId = importId;
      for (const [index, entry] of batch.entries()) {
        const { upload, error } = uploads[index] ?? {};
        if (error) this.fail(entry, error);
        else if (upload) entry.target = upload;
        else this.change(entry, { status: 'known', sent: entry.file.size });
      }
    } catch (error) {
      for (const entry of batch) this.fail(entry, { code: 'not_registered', message: (error as Error).message });
    }
  }

  private fill(): void {
    const ready = this.entries.filter(({ status, target }) => status === 'preparing' && target !== null);
    for (const entry of ready.slice(0, AT_ONCE - this.sending)) {
      this.sending += 1;
      this.change(entry, { status: 'uploading' });
      void this.transfer(entry).then(() => {
        this.sending -= 1;
        this.fill();
        return this.finishIfDone();
      });
    }
  }

  private async transfer(entry: Entry): Promise<void> {
    const { signal } = this.stopped;
    let isRenewed = false;
    for (let attempt = 1; entry.target !== null; attempt += 1) {
      const before = entry.sent;
      try {
        const onSent = (sent: number) => this.change(entry, { status: 'uploading', sent });
        await send(entry.file, entry.target, onSent, signal);
        return this.change(entry, { status: 'uploaded', sent: entry.file.size });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof NotTaken)) return this.fail(entry, { code: 'unreadable', message: String(error) });
        const isBehind = BEHIND.has(error.code ?? '');
        if (STALE.has(error.status) && !isBehind && !isRenewed) {
          isRenewed = true;
          await this.register([entry]);
          if (entry.status !== 'uploading') return;
          continue;
        }
        // Some of it arrived: whatever is in the way lets something through.
        if (entry.sent > before) attempt = 0;
        if ((!PASSING.has(error.status) && !isBehind) || attempt >= ATTEMPTS) {
          const message = error.message || 'The connection was lost.';
          return this.fail(entry, { code: error.code ?? 'upload_refused', message });
        }
        this.change(entry, { status: 'retrying' });
        await pause(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** attempt) * (0.5 + Math.random() / 2), signal);
      }
    }
  }

  private async finishIfDone(): Promise<void> {
    const isDone = this.entries.every(({ status }) => ['uploaded', 'known', 'failed'].includes(status));
    if (!this.isOpen || !isDone || this.isPreparing || this.isFinishing || this.stopped.signal.aborted) return;
    const { importId } = this;
    this.isOpen = false;
    if (importId !== null) await this.finish(importId);
    if (this.stopped.signal.aborted) return;
    this.listener.onFinish({ importId });
    // Later files, and those that are tried again, are an import of their own.
    if (this.entries.some(({ status }) => status === 'waiting')) void this.prepare();
  }

  private async finish(importId: number): Promise<void> {
    this.isFinishing = true;
    try {
      const { failed = [] } = (await this.backend.finishUploads({ importId }, this.stopped.signal)) ?? {};
      for (const { clientRef, ...error } of failed) {
        const entry = this.entries.find(({ announced }) => announced?.clientRef === clientRef);
        // Of a file that did not arrive, the reason is known better here.
        if (entry?.status === 'uploaded') this.fail(entry, error);
      }
    } catch (error) {
      const sent = this.entries.filter(({ status }) => status === 'uploaded');
      for (const entry of sent) this.fail(entry, { code: 'not_finished', message: (error as Error).message });
    }
    this.importId = null;
    this.isFinishing = false;
  }
}

/** SHA-256 in hex, or why there is none. */
async function hash(file: File): Promise<string | Refusal> {
  // Browsers have it only over TLS, and on the same machine.
  if (crypto.subtle === undefined) return { code: 'insecure_page', message: 'This page has to be opened by https.' };
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return { code: 'unreadable', message: 'The file cannot be read.' };
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Ends early when the browser is on line again, and when it is stopped. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
