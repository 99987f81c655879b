// A blob store of your own: BLOB_STORE=./folder-store.mjs STORE_FOLDER=/mnt/photos npx phs serve
// It keeps each blob in a file below a folder. A file begins with a random word, the blob's ETag, so that both appear at the same moment.
// docs/adapters.md says what each part is for; test/contracts/outside-blobs.test.ts runs the contract of blob stores on it.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';

/** Bytes of the ETag in front of a blob. */
const HEAD = 32;

/** Below the folder, where blobs are until they are whole. No key begins with a dot. */
const UNFINISHED = '.unfinished';

export default {
  kind: 'folder',
  advice: 'Check that STORE_FOLDER is there and may be written to.',
  // The service reads every original again from time to time, because this store would not notice that one has changed.
  verifiesItself: false,
  settings: (read) => ({ folder: read.needed('STORE_FOLDER', 'BLOB_STORE is folder-store.mjs') }),
  describe: ({ folder }) => `the folder ${resolve(folder)}`,
  async open({ folder }) {
    // Not with its parents: where the disk is not mounted, the folder is missing, and nothing must be stored in its place.
    await mkdir(join(folder, UNFINISHED)).catch(unless('EEXIST'));
    return { blobs: new FolderStore(resolve(folder)) };
  },
};

/** Errors that it throws are answered as 503 `service_unavailable`. It says that a blob is absent only when the folder itself is there. */
class FolderStore {
  constructor(root) {
    this.root = root;
  }

  async put(key, bytes) {
    const draft = join(this.root, UNFINISHED, randomBytes(16).toString('hex'));
    const etag = randomBytes(HEAD / 2).toString('hex');
    let sizeBytes = 0;
    async function* content() {
      yield Buffer.from(etag);
      for await (const chunk of bytes) {
        sizeBytes += chunk.length;
        yield chunk;
      }
    }
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(content());
        await file.sync();
      } finally {
        await file.close();
      }
      await this.place(draft, this.path(key));
      return { sizeBytes, etag };
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async get(key, range) {
    const found = await this.find(key);
    if (found === null) return null;
    const { file, sizeBytes, etag } = found;
    const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
    // An open file can be read to its end whatever happens to its name. The stream closes it.
    const isWithin = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end < sizeBytes;
    if (isWithin) return { sizeBytes, etag, bytes: file.createReadStream({ start: HEAD + start, end: HEAD + end }) };
    await file.close();
    if (range !== undefined) throw new RangeError(`Bytes ${start} to ${end} are outside a blob of ${sizeBytes} bytes.`);
    return { sizeBytes, etag, bytes: Readable.from([]) };
  }

  async head(key) {
    const found = await this.find(key);
    if (found === null) return null;
    await found.file.close();
    return { sizeBytes: found.sizeBytes, etag: found.etag };
  }

  async copy(from, to, ifMatch) {
    const source = await this.get(from);
    if (source?.etag === ifMatch) {
      await this.put(to, source.bytes);
      return true;
    }
    source?.bytes.destroy?.();
    return false;
  }

  async delete(keys) {
    await stat(join(this.root, UNFINISHED));
    for (const key of keys) {
      await rm(this.path(key)).catch(unless('ENOENT', 'ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR'));
      await sync(dirname(this.path(key))).catch(unless('ENOENT', 'ENOTDIR'));
    }
  }

  async *list(prefix) {
    await stat(join(this.root, UNFINISHED));
    const end = prefix.lastIndexOf('/');
    yield* this.walk(prefix.slice(0, end), prefix.slice(end + 1));
  }

  async sweep(until) {
    const folder = join(this.root, UNFINISHED);
    for (const name of await readdir(folder)) {
      const facts = await stat(join(folder, name)).catch(unless('ENOENT'));
      if (facts && facts.mtime <= until) await rm(join(folder, name), { force: true });
    }
  }

  path(key) {
    return join(this.root, ...key.split('/'));
  }

  /** The open file of a blob, to be closed by the caller; null when it is absent. */
  async find(key) {
    const file = await open(this.path(key), 'r').catch(unless('ENOENT', 'ENOTDIR'));
    if (file === null) return stat(join(this.root, UNFINISHED)).then(() => null);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return await file.close().then(() => null);
      const { buffer } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
      return { file, sizeBytes: facts.size - HEAD, etag: buffer.toString('latin1') };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Gives a draft its name, and returns when that will survive a power failure. */
  async place(draft, target) {
    await stat(join(this.root, UNFINISHED));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(draft, target);
    for (let folder = dirname(target); folder.length >= this.root.length; folder = dirname(folder)) await sync(folder);
  }

  async *walk(folder, begin = '') {
    for (const entry of (await readdir(this.path(folder), { withFileTypes: true }).catch(
      unless('ENOENT', 'ENOTDIR'),
    )) ?? []) {
      if (!entry.name.startsWith(begin)) continue;
      const key = `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.walk(key);
      const facts = entry.isFile() && (await stat(this.path(key)).catch(unless('ENOENT')));
      // The time of its renaming: that of its last byte could be earlier than the put.
      if (facts) yield { key, sizeBytes: facts.size - HEAD, modifiedAt: facts.ctime };
    }
  }
}

async function sync(folder) {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Null for these errors of the file system; any other is rethrown. */
function unless(...codes) {
  return (error) => {
    if (!codes.includes(error.code)) throw error;
    return null;
  };
}
