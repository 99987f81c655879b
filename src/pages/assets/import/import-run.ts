// One import on its way: hashes files, announces them, and sends what is new, four at a time. Knows no page: it tells `changed` of
// every change. What has arrived is known to the service alone, so a person who comes again with the same files sends only the rest.
import { Entry, type EntryState, type Found, stateAfter } from './import-files.js';
import {
  ATTEMPTS,
  isOfStore,
  isResumable,
  NotTaken,
  patiently,
  pauseAfter,
  Refused,
  type Registered,
  Retries,
  send,
  service,
} from './import-service.js';

const AT_ONCE = 4;
/** Files of one announcement; the first can be smaller, so that sending begins early. */
const FIRST_BATCH = 12;
const BATCH = 500;

interface Listener {
  /** Makes the import and answers its id; the same one, when asked again. */
  readonly begin: () => Promise<number>;
  /** The file that changed; null: the whole. */
  readonly changed: (entry: Entry | null) => void;
  /** Every file has come to an end. */
  readonly settled: () => void;
}

export class ImportRun {
  readonly entries: Entry[] = [];
  isPaused = false;
  /** Why it paused by itself, in a sentence. */
  trouble = '';
  importId: number | null = null;
  readonly retries = new Retries(
    () => this.resume(),
    () => this.listener.changed(null),
  );
  private readonly hasher = new FileHasher();
  private isWorking = false;
  private sending = new AbortController();
  private readonly firstOfItem = new Map<number, Entry>();
  private readonly news = new News();

  constructor(private readonly listener: Listener) {}

  add(found: readonly Found[], tagNames: readonly string[]): void {
    const entries = found.map((each) => new Entry(each, tagNames));
    this.entries.push(...entries);
    this.listener.changed(null);
    for (const entry of entries.filter(({ hasEnded }) => hasEnded)) this.listener.changed(entry);
    void this.work();
  }

  pause(): void {
    this.isPaused = true;
    this.retries.cancel();
    // What is half sent continues if it is large, and is sent anew otherwise.
    this.sending.abort();
    this.sending = new AbortController();
    this.listener.changed(null);
  }

  resume(): void {
    this.isPaused = false;
    this.retries.cancel();
    this.trouble = '';
    this.listener.changed(null);
    this.news.tell();
  }

  /** Once more with all that was lost on the way. */
  tryAgain(): void {
    for (const entry of this.entries.filter(({ state }) => state === 'lost')) this.set(entry, 'hashed');
    this.resume();
    void this.work();
  }

  /** Until every file has ended. Files that are added meanwhile are done, too. */
  private async work(): Promise<void> {
    this.news.tell();
    if (this.isWorking) return;
    this.isWorking = true;
    while (this.importId === null) {
      await this.unlessPaused();
      try {
        this.importId = await patiently(this.listener.begin);
        this.retries.succeeded();
      } catch (error) {
        this.halt(error);
      }
    }
    await Promise.all([this.announceAll(), ...Array.from({ length: AT_ONCE }, () => this.sendAll())]);
    this.isWorking = false;
    this.listener.settled();
  }

  private async announceAll(): Promise<void> {
    let batch: Entry[] = [];
    while (!this.isDone()) {
      await this.unlessPaused();
      const entry = this.entries.find(({ state }) => state === 'waiting' || state === 'hashed');
      if (entry?.state === 'waiting') await this.hash(entry);
      if (entry?.state === 'hashed') batch.push(entry);
      if (entry?.state === 'hashed') this.set(entry, 'announcing');
      // No file waits for a large batch while there is nothing to send.
      const isIdle = batch.length >= FIRST_BATCH && !this.entries.some(({ state }) => state === 'ready');
      if (batch.length > 0 && (batch.length === BATCH || isIdle || !entry)) {
        await this.announce(batch);
        batch = [];
      } else if (!entry) await this.news.come();
    }
  }

  private async hash(entry: Entry): Promise<void> {
    this.set(entry, 'hashing');
    try {
      entry.hash = await this.hasher.hash(entry.file);
      this.set(entry, 'hashed');
    } catch {
      this.set(entry, 'refused', 'This file cannot be read.');
    }
  }

  /** Every file gets an address for its bytes, or an end. */
  private async announce(batch: readonly Entry[], throughService = false): Promise<void> {
    const photos = batch.map(({ announcement }) => announcement);
    try {
      const { data } = await patiently(() => service.register(this.importId ?? 0, photos, throughService));
      this.retries.succeeded();
      for (const [at, entry] of batch.entries()) this.place(entry, data[at]);
    } catch (error) {
      const mayPass = error instanceof Refused && error.mayPass;
      for (const entry of batch) this.set(entry, mayPass ? 'hashed' : 'refused', mayPass ? '' : messageOf(error));
      if (mayPass) this.halt(error);
    }
  }

  private place(entry: Entry, registered: Registered | undefined): void {
    const id = registered?.photo?.id ?? null;
    const first = (id !== null && this.firstOfItem.get(id)) || entry;
    if (id !== null) this.firstOfItem.set(id, first);
    entry.item = registered?.photo ?? registered?.refused ?? null;
    entry.upload = registered?.photo?.upload ?? null;
    const [state, reason] = stateAfter(registered);
    if (first !== entry) this.set(entry, 'known', 'The same file was selected twice.');
    // The sender that renews its address goes on: if it were ready, another would begin, too.
    else this.set(entry, state === 'ready' && entry.state === 'sending' ? 'sending' : state, reason);
  }

  private async sendAll(): Promise<void> {
    while (!this.isDone()) {
      await this.unlessPaused();
      const entry = this.entries.find(({ state }) => state === 'ready');
      if (entry) await this.send(entry);
      else await this.news.come();
    }
  }

  /** Several times, for connections break. */
  private async send(entry: Entry): Promise<void> {
    for (let attempt = 1; entry.isUnderWay && !this.isPaused; attempt += 1) {
      const before = entry.arrivedBytes;
      this.set(entry, 'sending');
      try {
        await this.sendOnce(entry);
        this.retries.succeeded();
        this.set(entry, 'arrived');
      } catch (error) {
        if (error instanceof DOMException && error.name === 'AbortError') return this.set(entry, 'ready');
        if (!(await entry.canBeRead())) return this.set(entry, 'refused', 'This file can no longer be read.');
        const { status, message } = error instanceof NotTaken || error instanceof Refused ? error : new NotTaken(0);
        if (status === 400 || status === 413) {
          return this.set(entry, 'refused', 'This file has changed since it was selected. Select it again.');
        }
        if (entry.arrivedBytes > before) attempt = 1;
        if (attempt === ATTEMPTS && status !== 0) return this.set(entry, 'lost', message);
        if (attempt === ATTEMPTS) {
          this.halt(error);
          break;
        }
        await pauseAfter(attempt);
        await this.renew(entry, error);
      }
    }
    if (entry.state === 'sending') this.set(entry, 'ready');
  }

  private async sendOnce(entry: Entry): Promise<void> {
    const { item, upload } = entry;
    if (item === null || upload === null) throw new NotTaken(0);
    const onProgress = (bytes: number) => {
      entry.sentBytes = Math.min(bytes, entry.file.size);
      this.listener.changed(entry);
    };
    const onArrived = (bytes: number) => {
      entry.arrivedBytes = bytes;
    };
    await send(entry.file, upload, { onArrived, onProgress, signal: this.sending.signal });
    // Our own addresses notice by themselves.
    if (isOfStore(upload)) await service.arrived(this.importId ?? 0, item.id);
  }

  /** A fresh address, for the old one may have ended; one of this service, where the store cannot be reached. Or it turns out that the bytes are there. */
  private async renew(entry: Entry, error: unknown): Promise<void> {
    const { item, upload } = entry;
    if (item === null || upload === null) return;
    const wasSilent = (error instanceof NotTaken || error instanceof Refused) && error.status === 0;
    // Nothing was said against this one.
    if (wasSilent && isResumable(entry.file, upload)) return;
    entry.throughService ||= wasSilent && error instanceof NotTaken && isOfStore(upload);
    this.firstOfItem.delete(item.id);
    await this.announce([entry], entry.throughService);
  }

  /** Goes on by itself, unless the person has to sign in first. */
  private halt(error: unknown): void {
    if (this.isPaused) return;
    this.trouble = messageOf(error);
    this.pause();
    if (error instanceof Refused && error.status === 401) return;
    this.retries.plan();
    this.listener.changed(null);
  }

  private set(entry: Entry, state: EntryState, reason = ''): void {
    entry.state = state;
    entry.reason = reason;
    if (state !== 'sending' && state !== 'ready') entry.sentBytes = 0;
    this.listener.changed(entry);
    this.news.tell();
  }

  private isDone(): boolean {
    return this.entries.every(({ hasEnded }) => hasEnded);
  }

  private async unlessPaused(): Promise<void> {
    while (this.isPaused) await this.news.come();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The SHA-256 of files, by a worker.

class FileHasher {
  private worker: Worker | null = null;
  private last = 0;
  private readonly waiting = new Map<number, { resolve: (hash: string) => void; reject: (error: Error) => void }>();

  /** 64 hex digits. Rejects when the file cannot be read. */
  hash(file: File): Promise<string> {
    const worker = this.worker ?? this.start();
    this.last += 1;
    const id = this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, file });
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data: { id, hash, error } }) => {
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (hash) asked?.resolve(hash);
      else asked?.reject(new Error(error));
    });
    worker.addEventListener('error', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('this browser could not read the files'));
      this.waiting.clear();
      // The next file starts another: this one may never have been loaded.
      worker.terminate();
      if (this.worker === worker) this.worker = null;
    });
    this.worker = worker;
    return worker;
  }
}

/** For those who wait until something has changed, and then look what it was. */
class News {
  private coming: Promise<void> | null = null;
  private arrive = () => {};

  come(): Promise<void> {
    this.coming ??= new Promise((resolve) => {
      this.arrive = resolve;
    });
    return this.coming;
  }

  tell(): void {
    this.coming = null;
    this.arrive();
  }
}
