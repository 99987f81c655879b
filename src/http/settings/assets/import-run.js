// One import on its way: hashes files, announces them, and sends what is new, four at a time. Knows no page: it tells `changed` of
// every change. What has arrived is known to the service alone, so whoever comes again with the same files sends only the rest.

import { hashOf } from './import-hash.js';
import { Refused, service } from './import-service.js';
import { isResumable, NotTaken, send } from './import-upload.js';

const AT_ONCE = 4;
/** Files of one announcement; the first can be smaller, so that sending begins early. */
const FIRST_BATCH = 12;
const BATCH = 500;
const ATTEMPTS = 5;
const NOT_REACHED = 'The connection was lost. Uploads resume when it is back.';

/** `waiting` → `hashing` → `hashed` → `announcing` → `ready` → `sending` → one of these. What is `lost` can be tried again. */
const ends = ['arrived', 'known', 'refused', 'lost'];

/** One file on its way. */
class Entry {
  state = 'waiting';
  reason = '';
  sentBytes = 0;
  /** Of a file that continues where it was cut off. */
  arrivedBytes = 0;
  hash = null;
  item = null;
  throughService = false;

  constructor({ file, path }) {
    this.file = file;
    this.path = path;
  }

  get hasEnded() {
    return ends.includes(this.state);
  }

  get announcement() {
    return { filename: this.file.name, sizeBytes: this.file.size, sha256: this.hash };
  }
}

export class ImportRun {
  entries = [];
  isPaused = false;
  /** Why it paused by itself, in a sentence. */
  trouble = '';
  importId = null;
  #begin;
  #changed;
  #settled;
  #isWorking = false;
  #sending = new AbortController();
  #firstOfItem = new Map();
  #news = null;
  #tellNews = () => {};

  /**
   * `begin` makes the import and answers its id; the same one, when asked again. `changed` gets the file that changed, or null
   * when it is about the whole. `settled` is called whenever every file has come to an end.
   */
  constructor({ begin, changed, settled }) {
    this.#begin = begin;
    this.#changed = changed;
    this.#settled = settled;
  }

  add(found) {
    this.entries.push(...found.map((each) => new Entry(each)));
    this.#changed(null);
    this.#work();
  }

  pause() {
    this.isPaused = true;
    // What is half sent continues if it is large, and is sent anew otherwise.
    this.#sending.abort();
    this.#sending = new AbortController();
    this.#changed(null);
  }

  resume() {
    this.isPaused = false;
    this.trouble = '';
    this.#changed(null);
    this.#tell();
  }

  /** Once more with all that was lost on the way. */
  tryAgain() {
    for (const entry of this.entries.filter(({ state }) => state === 'lost')) this.#set(entry, 'hashed');
    this.resume();
    this.#work();
  }

  /** Until every file has ended. Files that are added meanwhile are done, too. */
  async #work() {
    this.#tell();
    if (this.#isWorking) return;
    this.#isWorking = true;
    await this.#beginImport();
    await Promise.all([this.#announceAll(), ...Array.from({ length: AT_ONCE }, () => this.#sendAll())]);
    this.#isWorking = false;
    this.#settled();
  }

  async #beginImport() {
    while (this.importId === null) {
      await this.#unlessPaused();
      try {
        this.importId = await patiently(this.#begin);
      } catch (error) {
        this.#halt(error.message);
      }
    }
  }

  async #announceAll() {
    let batch = [];
    while (!this.#isDone()) {
      await this.#unlessPaused();
      const entry = this.entries.find(({ state }) => state === 'waiting' || state === 'hashed');
      if (entry?.state === 'waiting') await this.#hash(entry);
      if (entry?.state === 'hashed') batch.push(entry);
      if (entry?.state === 'hashed') this.#set(entry, 'announcing');
      // Nobody waits for a large batch while there is nothing to send.
      const isIdle = batch.length >= FIRST_BATCH && !this.entries.some(({ state }) => state === 'ready');
      if (batch.length > 0 && (batch.length === BATCH || isIdle || !entry)) {
        await this.#announce(batch);
        batch = [];
      } else if (!entry) await this.#somethingNew();
    }
  }

  async #hash(entry) {
    this.#set(entry, 'hashing');
    try {
      entry.hash = await hashOf(entry.file);
      this.#set(entry, 'hashed');
    } catch {
      this.#set(entry, 'refused', 'This file cannot be read.');
    }
  }

  /** Every file gets an address for its bytes, or an end. */
  async #announce(batch, throughService = false) {
    const photos = batch.map(({ announcement }) => announcement);
    try {
      const { data } = await patiently(() => service.register(this.importId, photos, throughService));
      for (const [at, result] of data.entries()) this.#place(batch[at], result);
    } catch (error) {
      if (error.mayPass) {
        for (const entry of batch) this.#set(entry, 'hashed');
        this.#halt(error.message);
        return;
      }
      for (const entry of batch) this.#set(entry, 'refused', error.message);
    }
  }

  /** What became of a file, by the service's answer. */
  #place(entry, { outcome, photo: item, error, refused }) {
    // The import's report has an item of it, too.
    if (outcome === 'rejected') entry.item = refused;
    if (outcome === 'rejected') return this.#set(entry, 'refused', error.message);
    const first = this.#firstOfItem.get(item.id) ?? entry;
    this.#firstOfItem.set(item.id, first);
    entry.item = item;
    if (first !== entry) return this.#set(entry, 'known', 'The same file was selected twice.');
    if (item.upload !== null) return this.#set(entry, 'ready');
    if (item.status === 'duplicate') return this.#set(entry, 'known', 'This photo is already in your library.');
    if (item.status === 'failed') return this.#set(entry, 'refused', item.error.message);
    return this.#set(entry, 'arrived');
  }

  async #sendAll() {
    while (!this.#isDone()) {
      await this.#unlessPaused();
      const entry = this.entries.find(({ state }) => state === 'ready');
      if (entry) await this.#send(entry);
      else await this.#somethingNew();
    }
  }

  /** Several times, for connections break. */
  async #send(entry) {
    for (let attempt = 1; isUnderWay(entry) && !this.isPaused; attempt += 1) {
      const before = entry.arrivedBytes;
      this.#set(entry, 'sending');
      try {
        await this.#sendOnce(entry);
        this.#set(entry, 'arrived');
      } catch (error) {
        if (error.name === 'AbortError') return this.#set(entry, 'ready');
        if (!(await canBeRead(entry.file))) return this.#set(entry, 'refused', 'This file can no longer be read.');
        if (error.status === 400 || error.status === 413) {
          return this.#set(entry, 'refused', 'This file has changed since it was selected. Select it again.');
        }
        if (entry.arrivedBytes > before) attempt = 1;
        if (attempt === ATTEMPTS) return this.#giveUp(entry, error);
        await pauseAfter(attempt);
        await this.#renew(entry, error);
      }
    }
    if (entry.state === 'sending') this.#set(entry, 'ready');
  }

  async #sendOnce(entry) {
    const onProgress = (bytes) => {
      entry.sentBytes = Math.min(bytes, entry.file.size);
      this.#changed(entry);
    };
    const { upload, id } = entry.item;
    const onArrived = (bytes) => {
      entry.arrivedBytes = bytes;
    };
    await send(entry.file, upload, { onArrived, onProgress, signal: this.#sending.signal });
    // Our own addresses notice by themselves.
    if (isOfStore(upload)) await service.arrived(this.importId, id);
  }

  /** A fresh address, for the old one may have ended; one of this service, where the store cannot be reached. Or it turns out that the bytes are there. */
  async #renew(entry, error) {
    // Nothing was said against this one.
    if (error.status === 0 && isResumable(entry.file, entry.item.upload)) return;
    entry.throughService ||= error instanceof NotTaken && error.status === 0 && isOfStore(entry.item.upload);
    this.#firstOfItem.delete(entry.item.id);
    await this.#announce([entry], entry.throughService);
  }

  #giveUp(entry, error) {
    if (error.status !== 0) return this.#set(entry, 'lost', error.message);
    this.#set(entry, 'ready');
    this.#halt(NOT_REACHED);
  }

  #halt(trouble) {
    this.trouble = trouble;
    this.pause();
  }

  #set(entry, state, reason = '') {
    entry.state = state;
    entry.reason = reason;
    if (state !== 'sending' && state !== 'ready') entry.sentBytes = 0;
    this.#changed(entry);
    this.#tell();
  }

  #isDone() {
    return this.entries.every(({ hasEnded }) => hasEnded);
  }

  async #unlessPaused() {
    while (this.isPaused) await this.#somethingNew();
  }

  #somethingNew() {
    this.#news ??= new Promise((resolve) => {
      this.#tellNews = resolve;
    });
    return this.#news;
  }

  #tell() {
    this.#news = null;
    this.#tellNews();
  }
}

function isUnderWay({ state }) {
  return state === 'ready' || state === 'sending';
}

/** Bytes that go straight to a store do not pass this service. */
function isOfStore({ url }) {
  return !/\/uploads\/[^/]+$/.test(new URL(url).pathname);
}

/** Goes on asking while the answer may be another one soon. */
async function patiently(ask) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused) || !error.mayPass || error.status === 401 || attempt === ATTEMPTS) throw error;
      await pauseAfter(attempt);
    }
  }
}

/** 0.3 to 5 seconds. */
function pauseAfter(attempt) {
  return new Promise((resolve) => setTimeout(resolve, attempt ** 2 * 300));
}

async function canBeRead(file) {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(() => true)
    .catch(() => false);
}
